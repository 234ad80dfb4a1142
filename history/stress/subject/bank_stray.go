package subject

// A strayBank misses money, or finds it twice, that is transferred while it
// adds up.
type strayBank struct{ *lockedBank }

func (b *strayBank) total() (sum int) {
	for i := range b.accounts {
		sum += int(b.accounts[i].Load())
		linger()
	}
	return sum
}
