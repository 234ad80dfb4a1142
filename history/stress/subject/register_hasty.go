package subject

// A hastyRegister sets what something else may have changed since it was
// compared: two of several equal tries succeed.
type hastyRegister struct{ atomicRegister }

func (r *hastyRegister) cas(old, new int) bool {
	if r.v.Load() != int64(old) {
		return false
	}
	linger()
	r.v.Store(int64(new))
	return true
}
