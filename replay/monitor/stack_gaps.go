package monitor

// A gap is a group of slots between which no inner interval begins or ends.
type gap struct {
	begin         int32 // its first slot
	firsts, lasts int32 // how many inner intervals began and ended before
}

// A block is a value with an inner interval that is not empty.
type block struct {
	value       int32
	first, last int32 // its inner interval
	byLast      int32 // its number by last; its own is by first
	from, to    int32 // the gaps that it covers; there may be none
	open        int32 // conditions that are not yet met
	sole        int32 // the latest gap that it alone covers, or none
}

// A terrain is what a stack's history looks like from the side.
type terrain struct {
	blocks  []block // by first
	ranking []int32 // block numbers, by last
	moments []int32 // values whose inner intervals are empty, by last
	gaps    []gap
	counts  []int32 // gap -> number of blocks that cover it
	sums    []int32 // gap -> their numbers, by exclusive or
	lookGap []int32 // position of an event of a look -> gap of the slot it lies in
}

// What a position is: a number from the first group, a value, and any from
// the second group.
const (
	blockBegins = 1 + iota // it is the first of the value
	blockEnds              // it is the last of the value
	moment                 // it is the last of a value with an empty inner interval

	lookBegins = 1 << 2
	lookEnds   = 1 << 3
	valueShift = 4
)

// newTerrain lists what there is by position. Of the gaps it keeps those that
// fewer blocks cover than the slots to their left or right, and those where the
// interval of a look begins or ends: if other values leave any slot of the
// interval uncovered, at whatever time, then also a gap that is kept.
func (p *problem) newTerrain(inners []inner) *terrain {
	marks, blocks, moments := p.marks(inners)
	s := &surveyor{inners: inners, rank: make([]int32, len(inners)), terrain: &terrain{
		blocks: make([]block, 0, blocks), ranking: make([]int32, 0, blocks), moments: make([]int32, 0, moments)}}
	for position, mark := range marks {
		if mark == 0 {
			continue
		}
		if mark&lookEnds != 0 {
			s.keep()
		}
		s.pass(int32(position), mark)
		if mark&lookBegins != 0 {
			s.keep()
		}
		if mark&(lookBegins|lookEnds) != 0 {
			marks[position] = int32(len(s.gaps) - 1)
		}
	}
	for i := range s.blocks {
		if s.blocks[i].last == p.end {
			s.end(int32(i))
			s.begin, s.kept = p.end+1, false
		}
	}
	s.keep()
	s.lookGap = marks
	return s.terrain
}

// marks says what each position is, and how many blocks and moments there are.
func (p *problem) marks(inners []inner) (marks []int32, blocks, moments int) {
	marks = make([]int32, p.end)
	for i, in := range inners {
		v := int32(i)
		switch {
		case in == leftOut:
			continue
		case in.empty():
			marks[in.last] = v<<valueShift | moment
			moments++
			continue
		}
		blocks++
		marks[in.first] |= v<<valueShift | blockBegins
		if in.last < p.end {
			marks[in.last] |= v<<valueShift | blockEnds
		}
		for _, op := range p.looksOf(v) {
			marks[p.call[op]] |= lookBegins
			marks[p.ret[op]] |= lookEnds
		}
	}
	return marks, blocks, moments
}

// A surveyor comes by the positions in their order.
type surveyor struct {
	*terrain
	inners      []inner
	rank        []int32 // value -> block
	begin       int32   // where the gap begins
	kept        bool    // whether it is among gaps
	rising      bool    // whether a block begins where it begins
	count, sums int32   // of blocks that cover it
}

// keep makes the gap one of those that are kept.
func (s *surveyor) keep() {
	if !s.kept {
		s.kept = true
		s.gaps = append(s.gaps, gap{s.begin, int32(len(s.blocks)), int32(len(s.ranking))})
		s.counts, s.terrain.sums = append(s.counts, s.count), append(s.terrain.sums, s.sums)
	}
}

// pass comes by the beginning or the end of a block or moment.
func (s *surveyor) pass(position, mark int32) {
	v := mark >> valueShift
	switch mark & (1<<2 - 1) {
	case moment:
		s.moments = append(s.moments, v)
		return
	case blockBegins:
		if !s.rising {
			s.keep()
		}
		i := int32(len(s.blocks))
		in := s.inners[v]
		s.rank[v] = i
		s.blocks = append(s.blocks, block{value: v, first: in.first, last: in.last, from: int32(len(s.gaps)), sole: none})
		s.count, s.sums = s.count+1, s.sums^i
		s.rising = true
	case blockEnds:
		s.end(s.rank[v])
	default:
		return
	}
	s.begin, s.kept = position+1, false
}

// end comes by the end of block i.
func (s *surveyor) end(i int32) {
	b := &s.blocks[i]
	b.byLast, b.to = int32(len(s.ranking)), int32(len(s.gaps)-1)
	s.ranking = append(s.ranking, i)
	s.count, s.sums = s.count-1, s.sums^i
	s.rising = false
}
