package instrument

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Copies say how to build with the instrumented copies, and what these are.
type Copies struct {
	Flags   []string          // for go build or go test: -tags, -mod; see WithOverlay for -overlay
	Overlay map[string]string // name of a file -> name of its copy
	Notes   []*Notes          // of the packages

	followed []string // packages of other modules that the code refers to
}

// WithOverlay writes a file for -overlay, with the overlay of the copies and
// more, and returns the flags.
func (c *Copies) WithOverlay(file string, more map[string]string) ([]string, error) {
	all := maps.Clone(more)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, c.Overlay)
	text, err := json.Marshal(map[string]map[string]string{"Replace": all})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	return append(slices.Clone(c.Flags), "-overlay="+file), nil
}

// Remarks returns a line for each package that is not instrumented completely.
func (c *Copies) Remarks() []string {
	var lines []string
	for _, p := range c.Notes {
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

// HasPlain reports whether plain loads or stores are points. See Target.Plain.
func (c *Copies) HasPlain() bool {
	return slices.ContainsFunc(c.Notes, func(p *Notes) bool {
		return p.Counts["load"]+p.Counts["store"]+p.Counts["map access"] > 0
	})
}

// Notes are about one package.
type Notes struct {
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

func (p *Notes) count(what string, n int) {
	if p.Counts == nil {
		p.Counts = map[string]int{}
	}
	p.Counts[what] += n
}

func (p *Notes) miss(what, where string) {
	for i := range p.Missed {
		if p.Missed[i].What == what {
			p.Missed[i].Times++
			return
		}
	}
	p.Missed = append(p.Missed, Missed{what, where, 1})
}

// Explain returns advice about what a compiler printed for instrumented code, or
// "".
func Explain(output string) string {
	for line := range strings.Lines(output) {
		file, _, _ := strings.Cut(line, ".go:")
		switch {
		case !strings.Contains(line, room+"shim"): // the compiler writes the import path where names are the same
		case strings.Contains(file, "history/explore/"): // an error in the stand-ins
		case strings.Contains(line, "provides package"), strings.Contains(line, "\tgo get "):
			// The module does not require leadline, and the Go tool has advice.
		default:
			return "An instrumented package exchanges values of package sync or the like with one that is not instrumented. Instrument both"
		}
	}
	return ""
}
