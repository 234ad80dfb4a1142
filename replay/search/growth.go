package search

// bytesPerUnit is the size of new states of the object that counts as a unit of work.
const bytesPerUnit = 64

// growth is the size of a machine's tables when it was last read.
type growth int64

// work returns the work for the new states of the machine.
func (g *growth) work(bytes int64) int {
	work := max(0, bytes-int64(*g)) / bytesPerUnit
	*g = growth(bytes)
	return int(work)
}
