package subject

// A carelessQueue delivers one element to all that read the same head. One
// that was overtaken moves the head back, and elements come once more.
type carelessQueue struct{ *linkedQueue }

func (q *carelessQueue) dequeue() (int, bool) {
	next := q.head.Load().next.Load()
	if next == nil {
		return 0, false
	}
	linger()
	q.head.Store(next)
	return next.v, true
}
