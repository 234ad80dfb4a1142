package ops

// Lists has a list of numbers for each key, such as the operations of each value.
type Lists struct{ start, items []int32 }

// Group puts the numbers from 0 to n-1 into lists by their keys, in ascending order. Keys are
// less than keys; a number with the key None is in no list. It takes O(n + keys).
func Group(n, keys int, key func(i int32) int32) Lists {
	start := make([]int32, keys+2)
	counts, ends := start[2:], start[1:] // of the list of a key; ends grow while the lists are filled
	for i := range int32(n) {
		if k := key(i); k != None {
			counts[k]++
		}
	}
	for k := range counts {
		counts[k] += ends[k]
	}
	items := make([]int32, ends[keys])
	for i := range int32(n) {
		if k := key(i); k != None {
			items[ends[k]] = i
			ends[k]++
		}
	}
	return Lists{start, items}
}

// Of returns the list of a key.
func (l *Lists) Of(key int32) []int32 { return l.items[l.start[key]:l.start[key+1]] }

// All returns all lists, in the order of their keys.
func (l *Lists) All() []int32 { return l.items }

// Bounds returns where the list of a key begins and ends in All.
func (l *Lists) Bounds(key int32) (from, to int32) { return l.start[key], l.start[key+1] }

// Indices returns 0, 1, ..., n-1.
func Indices(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}
