package state

import (
	"math"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A numbering is what the versions of completed operations say of the pending ones.
type numbering struct {
	made map[int64]bool // versions that completed operations made
	most int64          // the largest version that one has; math.MaxInt64 if some have none
}

// UseVersions makes Step fail for a pending operation that would make a version that a completed one
// made: no two make the same. It also fails if the version is larger than those of all completed
// operations, and each has one. No operation that returned can follow, so that such a
// pending one may as well take no effect. It applies to objects that number their changes;
// see replay.Numbered. Without it, a search tries all sets of pending operations again and again.
func (m *Machine) UseVersions(p *ops.Problem) {
	v, isVersioned := p.Spec.(replay.Versioned)
	if !isVersioned || replay.NumberOf(m.states[0][0]) < 0 {
		return
	}
	n := &numbering{made: map[int64]bool{}}
	for i := range p.H.Ops {
		op := &p.H.Ops[i]
		if op.Pending() || op.MayNotHappen() {
			if op.Happened {
				return
			}
			continue
		}
		use := v.VersionUse(op)
		number, isKnown := use.Version.Number()
		switch {
		case use.Part > 0:
			return
		case !isKnown:
			n.most = math.MaxInt64
		case use.Kind == replay.NewVersion:
			n.made[number] = true
		}
		n.most = max(n.most, number)
	}
	m.numbering = n
}

// forbids reports whether a pending operation cannot lead from a state to another one.
func (m *Machine) forbids(state, next int32) bool {
	if next == state || next == Fail {
		return false
	}
	n := replay.NumberOf(m.states[next][0])
	return n != replay.NumberOf(m.states[state][0]) && (m.numbering.made[n] || n > m.numbering.most)
}
