package visibility

import (
	"fmt"
	"slices"
	"strings"
)

// A Level says which earlier operations an operation has to see. See the package comment.
type Level uint8

const (
	Complete Level = iota // all earlier operations; this is the level of a linearizable history
	Weak
	Basic
	Monotonic
	Peer
	Causal
	Bundle
)

var names = [...]string{"complete", "weak", "basic", "monotonic", "peer", "causal", "bundle"}

func (l Level) String() string {
	if int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("level %d", l)
}

// Parse returns the level with a name.
func Parse(name string) (Level, error) {
	if i := slices.Index(names[:], name); i >= 0 {
		return Level(i), nil
	}
	return 0, fmt.Errorf("unknown level %q; levels are %s", name, strings.Join(names[:], ", "))
}

// IsAtLeast reports whether l has the rules of m, one of Basic to Causal.
func (l Level) IsAtLeast(m Level) bool { return m <= l && l <= Causal }

// IsCoupled reports whether the sets of other operations restrict a set at level l.
func (l Level) IsCoupled() bool { return Monotonic <= l && l <= Bundle }
