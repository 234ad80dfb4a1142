package hitting

import "math/bits"

// packedMax is the largest number of live elements of a packed schedule.
const packedMax = 16

// packed generates families of up to packedMax live elements. A schedule is a
// word, with the element at place k in bits 4k to 4k+3. The word is its own
// fingerprint, so no result depends on hashing.
type packed struct {
	n      int
	live   *liveElements
	chains []packedChain     // nil until depth 2
	above  [packedMax]uint16 // bit j of above[i]: i <= j
	below  [packedMax]uint16 // bit j of below[i]: j <= i
	word   uint64            // the schedule being visited
	buf    [packedMax]int32
}

// packedChain has the tables of a chain.
type packedChain struct {
	chain int32
	base  uint64            // the schedule of <chain, ()>
	tails [packedMax]uint64 // appendTail of each element
}

func newPacked(v *liveElements) *packed {
	return &packed{n: len(v.elements), live: v}
}

// prepare fills the tables for depths beyond 1.
func (g *packed) prepare() {
	v := g.live
	for i := range g.n {
		for j := range g.n {
			if i == j || v.less(int32(i), int32(j)) {
				g.above[i] |= 1 << j
				g.below[j] |= 1 << i
			}
		}
	}
	// Chains with the same tables give the same schedules: only the first of
	// them is kept.
	type tables struct {
		base  uint64
		tails [packedMax]uint64
	}
	known := map[tables]bool{}
	for _, chain := range v.distinctChains() {
		t := tables{base: g.base(chain)}
		for x := range g.n {
			t.tails[x] = pack(v.appendTail(g.buf[:0], chain, int32(x)))
		}
		if !known[t] {
			known[t] = true
			g.chains = append(g.chains, packedChain{chain, t.base, t.tails})
		}
	}
}

// base returns the schedule of <chain, ()>.
func (g *packed) base(chain int32) uint64 { return pack(g.live.appendTail(g.buf[:0], chain, -1)) }

func pack(elements []int32) uint64 {
	word := uint64(0)
	for k, e := range elements {
		word |= uint64(e) << (4 * k)
	}
	return word
}

func (g *packed) fingerprint() fingerprint { return fingerprint{g.word, 1} }

func (g *packed) schedule() []int32 {
	for k := range g.n {
		g.buf[k] = int32(g.word >> (4 * k) & 15)
	}
	return g.buf[:g.n]
}

// move returns the schedule with everything from x upwards moved to the end,
// where it takes the order of tail.
func (g *packed) move(word uint64, x int, tail uint64) uint64 {
	const ones = 0x1111111111111111
	// Find x: the lowest nibble that is zero after the xor.
	v := word ^ uint64(x)*ones
	at := uint(bits.TrailingZeros64((v-ones)&^v&(8*ones))) &^ 3
	above := uint32(g.above[x])
	moved := word & (1<<at - 1)
	rest := word >> at
	// Only elements after x can be above it. The others close the gaps.
	for left := g.n - int(at/4) - bits.OnesCount32(above); left > 0; rest >>= 4 {
		stays := uint64(^above >> (rest & 15) & 1)
		moved |= (rest & 15 * stays) << at
		at += uint(4 * stays)
		left -= int(stays)
	}
	return moved | tail<<at
}

// packedRun is one walk over the tree of the tuples of a depth.
type packedRun struct {
	g     *packed
	f     *Family
	visit func(chain int32, tuple []int32) bool
	chain *packedChain
	tuple [packedMax]int32
	grew  bool
}

func (g *packed) run(f *Family, visit func(chain int32, tuple []int32) bool) bool {
	if f.d == 1 {
		return g.runBases(f, visit)
	}
	if g.chains == nil {
		g.prepare()
	}
	r := packedRun{g: g, f: f, visit: visit}
	for c := range g.chains {
		r.chain = &g.chains[c]
		var none [packedMax]uint64
		all := uint16(1)<<(g.n-1)<<1 - 1
		if g.n == 0 || !r.walk(0, r.chain.base, all, &none) {
			break
		}
	}
	return r.grew
}

// runBases visits depth 1, where most witnesses are, without tables.
func (g *packed) runBases(f *Family, visit func(chain int32, tuple []int32) bool) (grew bool) {
	for _, chain := range g.live.distinctChains() {
		grew = true
		g.word = g.base(chain)
		if !f.spend(g.n) || !visit(chain, nil) {
			break
		}
	}
	return grew
}

// walk visits the tuples that extend the first k elements of r.tuple. These give the
// schedule word, and allowed are the elements that may follow. siblings has, for each
// element, the schedule that it would give in place of the k-th element.
//
// walk leaves out two kinds of tuples with all their extensions: tuples whose next
// element moves nothing, and tuples whose next element undoes the move before it. A
// tuple with one element less gives the same schedule, so an earlier depth has it.
func (r *packedRun) walk(k int, word uint64, allowed uint16, siblings *[packedMax]uint64) bool {
	var next [packedMax]uint64
	last := k == r.f.d-2
	for left := allowed; left != 0; left &= left - 1 {
		x := bits.TrailingZeros16(left)
		next[x] = r.g.move(word, x, r.chain.tails[x])
		if !last || next[x] == word || k > 0 && next[x] == siblings[x] {
			continue
		}
		r.tuple[k] = int32(x)
		r.grew = true
		r.g.word = next[x]
		if !r.visit(r.chain.chain, r.tuple[:k+1]) {
			return false
		}
	}
	if last {
		return r.f.spend(r.g.n)
	}
	for left := allowed; left != 0; left &= left - 1 {
		x := bits.TrailingZeros16(left)
		if next[x] == word || k > 0 && next[x] == siblings[x] {
			continue
		}
		r.tuple[k] = int32(x)
		if !r.walk(k+1, next[x], allowed&^r.g.below[x], &next) {
			return false
		}
	}
	return true
}
