package hitting

import (
	"strconv"
	"strings"
)

// An Index is a schedule index <chain, (x1, ..., x_{d-1})> of Section 4.1:
// elements of the chain are delayed, and those of the tuple more, in the
// order of the tuple.
type Index struct {
	Chain int32
	Tuple []int32
}

// Depth returns the d of the families that have schedules with this index.
func (x Index) Depth() int { return len(x.Tuple) + 1 }

// Clone returns a copy that shares nothing with x.
func (x Index) Clone() Index {
	return Index{x.Chain, append([]int32{}, x.Tuple...)}
}

// String returns the index as <chain, (x1, x2)>.
func (x Index) String() string {
	var b strings.Builder
	b.WriteByte('<')
	b.WriteString(strconv.Itoa(int(x.Chain)))
	b.WriteString(", (")
	for i, e := range x.Tuple {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(int(e)))
	}
	b.WriteString(")>")
	return b.String()
}
