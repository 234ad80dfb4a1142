package subject

// A checkedSet may add what is there by now: two adds of one value answer
// that they added it.
type checkedSet struct{ *lockedSet }

func (s *checkedSet) add(v int) bool {
	if s.contains(v) {
		return false
	}
	linger()
	s.lockedSet.add(v)
	return true
}
