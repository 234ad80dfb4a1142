package instrument

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Report lists what was instrumented, and what was not.
type Report struct {
	Packages []*PackageReport
}

// Remarks returns a line for each package that is not instrumented completely.
func (r *Report) Remarks() []string {
	var lines []string
	for _, p := range r.Packages {
		var missed []string
		for _, m := range p.Missed {
			missed = append(missed, m.What)
		}
		const shown = 3
		if n := len(missed); n > shown {
			missed = append(missed[:shown], fmt.Sprintf("and %d more", n-shown))
		}
		if len(missed) > 0 {
			lines = append(lines, fmt.Sprintf("not instrumented in %s: %s", p.Path, strings.Join(missed, ", ")))
		}
	}
	return lines
}

// HasPlain reports whether plain loads or stores are points. See Options.Plain.
func (r *Report) HasPlain() bool {
	return slices.ContainsFunc(r.Packages, func(p *PackageReport) bool {
		return p.Counts["load"]+p.Counts["store"]+p.Counts["map access"] > 0
	})
}

// A PackageReport is about one package.
type PackageReport struct {
	Path    string
	Version string         // of its module; "" for one that is not in the module cache
	Counts  map[string]int // of what is rewritten: import sync/atomic, go, channel, select, load, ...
	Missed  []Missed       // what is not
}

// Missed is something that is not instrumented: it is not a scheduling point, and its
// results are not controlled.
type Missed struct {
	What  string
	Where string // the first place, as file:line
	Times int
}

func (p *PackageReport) count(what string, n int) {
	if p.Counts == nil {
		p.Counts = map[string]int{}
	}
	p.Counts[what] += n
}

func (p *PackageReport) miss(what, where string) {
	for i := range p.Missed {
		if p.Missed[i].What == what {
			p.Missed[i].Times++
			return
		}
	}
	p.Missed = append(p.Missed, Missed{what, where, 1})
}

func (r *Report) sort() {
	slices.SortFunc(r.Packages, func(a, b *PackageReport) int { return cmp.Compare(a.Path, b.Path) })
}
