package search

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func (s *lazySearch) open(from, to int32) {
	for _, t := range s.byCall[from:to] {
		s.occupant[s.slot[t]] = t
	}
}

// advance passes the due response.
func (s *lazySearch) advance() {
	s.at.mask &^= 1 << s.slot[s.at.due]
	s.occupant[s.slot[s.at.due]] = -1
	s.at.due++
	if int(s.at.due) < len(s.takers) {
		s.open(s.opened[s.at.due-1], s.opened[s.at.due])
	}
}

// retreatTo goes back to a frame, the last one.
func (s *lazySearch) retreatTo(f *lazyFrame) {
	for s.at.due > f.due {
		if int(s.at.due) < len(s.takers) {
			for _, t := range s.byCall[s.opened[s.at.due-1]:s.opened[s.at.due]] {
				s.occupant[s.slot[t]] = -1
			}
		}
		s.at.due--
		s.occupant[s.slot[s.at.due]] = s.at.due
	}
	for i := len(s.trail) - 1; i >= int(f.trail); i-- {
		if m := s.trail[i]; m.insert >= 0 && s.removes(m.taker) {
			s.rest.restore(m.insert)
		}
	}
	s.trail = s.trail[:f.trail]
	s.at = f.lazySpot
	s.rule.restore()
}

// removes reports whether the taker takes a value out.
func (s *lazySearch) removes(taker int32) bool {
	return int(taker) >= len(s.takers) || s.takers[taker].role == replay.Remove
}

// pushFrame lists the moves of this configuration.
func (s *lazySearch) pushFrame() {
	s.frames = append(s.frames, lazyFrame{s.at, int32(len(s.trail)), int32(len(s.moves)), int32(len(s.moves)), math.MaxInt32})
	s.rule.save()
	s.moves = s.rule.choices(s.moves, s.at.due)
	for _, t := range s.occupant {
		if t >= 0 && t != s.at.due && s.at.mask>>s.slot[t]&1 == 0 && !s.isSecond(t) {
			s.moves = s.rule.choices(s.moves, t)
		}
	}
	if s.at.used < s.pendingsOpened[s.at.due] {
		s.moves = s.rule.choices(s.moves, int32(len(s.takers))+s.at.used)
	}
}

// isSecond reports whether another open taker goes before this one.
func (s *lazySearch) isSecond(t int32) bool {
	a := &s.takers[t]
	for _, o := range s.occupant {
		if o < 0 || o >= t || s.at.mask>>s.slot[o]&1 != 0 {
			continue
		}
		b := &s.takers[o]
		if a.role == b.role && a.value == b.value && (b.call < a.call || s.isHarmless(b.call)) {
			return true
		}
	}
	return false
}

// isHarmless reports whether something invoked then can come next without
// keeping an insertion of the rest from coming behind that could come behind
// else.
func (s *lazySearch) isHarmless(call int32) bool {
	if s.heedless {
		return true
	}
	return call < s.at.reach || call < s.firstReturn(s.at.reach)
}

// firstReturn returns the earliest response of an insertion of the rest that
// is later than the given position.
func (s *lazySearch) firstReturn(after int32) int32 {
	for _, e := range s.byReturn[s.returned(after):] {
		if !s.rest.gone[e] {
			return s.inserts[e].ret
		}
	}
	return history.NoReturn
}
