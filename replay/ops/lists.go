package ops

// Lists has a list of numbers for each key, such as the operations of each value.
type Lists struct{ start, items []int32 }

// Group puts the numbers from 0 to n-1 into lists by their keys, in ascending order. Keys are
// less than keys; a number with the key None is in no list. It takes O(n + keys).
func Group(n, keys int, key func(i int32) int32) Lists {
	l := Lists{start: make([]int32, keys+2)} // at first, the list of key k ends at start[k+2]
	for i := range int32(n) {
		if k := key(i); k != None {
			l.start[k+2]++
		}
	}
	for k := range keys {
		l.start[k+2] += l.start[k+1]
	}
	l.items = make([]int32, l.start[keys+1])
	for i := range int32(n) {
		if k := key(i); k != None {
			l.items[l.start[k+1]] = i
			l.start[k+1]++
		}
	}
	return l
}

// Of returns the list of a key.
func (l *Lists) Of(key int32) []int32 { return l.items[l.start[key]:l.start[key+1]] }

// All returns all lists, in the order of their keys.
func (l *Lists) All() []int32 { return l.items }

// Bounds returns where the list of a key begins and ends in All.
func (l *Lists) Bounds(key int32) (from, to int32) { return l.start[key], l.start[key+1] }
