package window

// A restList is a linked list of the insertions that have not been removed, sorted by
// invocation. It includes insertions that have not been invoked yet. Node n is both ends of
// the list.
type restList struct {
	prev, next []int32
	gone       []bool
	n          int32
}

func newRestList(n int) restList {
	r := restList{make([]int32, n+1), make([]int32, n+1), make([]bool, n+1), int32(n)}
	for i := range int32(n + 1) {
		r.prev[i], r.next[i] = i-1, i+1
	}
	r.prev[0], r.next[n] = int32(n), 0
	return r
}

func (r *restList) first() int32 { return r.next[r.n] }

func (r *restList) remove(e int32) {
	r.gone[e] = true
	r.next[r.prev[e]], r.prev[r.next[e]] = r.next[e], r.prev[e]
}

// restore undoes the last removal.
func (r *restList) restore(e int32) {
	r.gone[e] = false
	r.next[r.prev[e]], r.prev[r.next[e]] = e, e
}
