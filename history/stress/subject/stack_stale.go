package subject

// A staleStack answers, from a pop that was overtaken, the value that it had
// read before.
type staleStack struct{ linkedStack }

func (s *staleStack) pop() (int, bool) {
	top := s.top.Load()
	if top == nil {
		return 0, false
	}
	v := top.v
	linger()
	for !s.top.CompareAndSwap(top, top.next) {
		if top = s.top.Load(); top == nil {
			return 0, false
		}
	}
	return v, true
}
