package order

// decisions has the variables in the order in which they are decided: those in recent
// conflicts come first (Moskewicz et al., 2001; with the growing step of Eén and
// Sörensson, "An extensible SAT-solver", 2003). A variable gets the value that it had
// last (Pipatsrisawat and Darwiche, "A lightweight component caching scheme", 2007).
type decisions struct {
	activity []float32
	step     float32
	heap     []variable // all unassigned variables that matter, and some others, by activity
	place    []int32    // variable -> index in heap, outside or unimportant
	phase    []bool     // variable -> the value to try first
}

// Places of variables that are not in the heap.
const (
	outside     = -1
	unimportant = -2 // it is never decided
)

// addVariable adds a variable, which is unimportant until it is inserted.
func (d *decisions) addVariable(phase bool, weight float32) {
	d.activity = append(d.activity, weight)
	d.place = append(d.place, unimportant)
	d.phase = append(d.phase, phase)
}

// pop removes the variable of the greatest activity from the heap and returns it, or -1 if
// the heap is empty.
func (d *decisions) pop() variable {
	if len(d.heap) == 0 {
		return -1
	}
	v, last := d.heap[0], d.heap[len(d.heap)-1]
	d.heap = d.heap[:len(d.heap)-1]
	d.place[v] = outside
	if len(d.heap) > 0 {
		d.heap[0] = last
		d.place[last] = 0
		d.sink(0)
	}
	return v
}

// release notes that a literal that was true has lost its value.
func (d *decisions) release(l literal) {
	v := l.variable()
	d.phase[v] = !l.isNegated()
	if d.place[v] == outside {
		d.insert(v)
	}
}

// bump notes that a variable was in a conflict.
func (d *decisions) bump(v variable) {
	d.activity[v] += d.step
	if d.place[v] >= 0 {
		d.lift(int(d.place[v]))
	}
}

// decay makes later conflicts count more.
func (d *decisions) decay() {
	if d.step *= 1 / 0.95; d.step > 1e30 {
		for v := range d.activity {
			d.activity[v] *= 1e-30
		}
		d.step *= 1e-30
	}
}

// hasPriority reports whether v is decided before w.
func (d *decisions) hasPriority(v, w variable) bool {
	return d.activity[v] > d.activity[w] || d.activity[v] == d.activity[w] && v < w
}

func (d *decisions) insert(v variable) {
	d.heap = append(d.heap, v)
	d.place[v] = int32(len(d.heap) - 1)
	d.lift(len(d.heap) - 1)
}

func (d *decisions) lift(i int) {
	v := d.heap[i]
	for i > 0 && d.hasPriority(v, d.heap[(i-1)/2]) {
		d.heap[i] = d.heap[(i-1)/2]
		d.place[d.heap[i]] = int32(i)
		i = (i - 1) / 2
	}
	d.heap[i] = v
	d.place[v] = int32(i)
}

func (d *decisions) sink(i int) {
	v := d.heap[i]
	for {
		child := 2*i + 1
		if child >= len(d.heap) {
			break
		}
		if child+1 < len(d.heap) && d.hasPriority(d.heap[child+1], d.heap[child]) {
			child++
		}
		if !d.hasPriority(d.heap[child], v) {
			break
		}
		d.heap[i] = d.heap[child]
		d.place[d.heap[i]] = int32(i)
		i = child
	}
	d.heap[i] = v
	d.place[v] = int32(i)
}
