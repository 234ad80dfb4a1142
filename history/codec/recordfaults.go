package codec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A recordFault is a fault of a record that the value of a part has.
type recordFault struct {
	part    part
	kind    string // what all records with this fault have in common
	text    string
	snippet string // of the expression; on lines of its own
	line    int
	more    int // later records with a fault of this kind
}

func (f *recordFault) Error() string { return f.text + f.snippet }

// addFault notes a fault of the current record. Faults of one kind are reported once.
func (d *mapped) addFault(f *recordFault) {
	i := slices.IndexFunc(d.faults, func(g recordFault) bool { return g.part == f.part && g.kind == f.kind })
	switch {
	case i >= 0:
		d.faults[i].more++
	case len(d.faults) <= history.MaxErrors: // one more shows that there are too many
		f.line = d.line
		d.faults = append(d.faults, *f)
	}
}

// reportFaults reports the fields that no record has, and the faults of records that are not
// due to them, before those of events.
func (d *mapped) reportFaults() {
	if d.b.Events() > 0 && d.b.Faults() == 0 || len(d.faults) > 0 {
		for _, p := range d.env.unseen {
			if p.hasRoot {
				d.faults = slices.DeleteFunc(d.faults, func(f recordFault) bool {
					return len(p.members) == 0 && slices.ContainsFunc(d.m.parts[f.part].fields, func(g *recordField) bool { return g.name == p.field })
				})
				d.b.Errorf(d.line, "no record has the field %s, which %s names%s; if that is right, write ?? nil after it",
					p.text(), p.part, d.env.didYouMean(&p))
			}
		}
	}
	for _, f := range slices.Backward(d.faults) {
		if f.more > 0 {
			f.text += fmt.Sprintf("; and %d more like it", f.more)
		}
		d.b.ErrorfFirst(f.line, "%s", &f)
	}
}

// didYouMean returns the question whether a similar name is meant by a path.
func (e *environment) didYouMean(p *fieldPath) string {
	if len(p.members) > 0 {
		names := slices.Clone(p.members)
		last := &names[len(names)-1]
		similar := similarName(*last, p.others)
		if *last = similar; similar == "" {
			return ""
		}
		return meant((&fieldPath{field: p.field, members: names}).text())
	}
	others := slices.Clone(e.others)
	for _, f := range e.named {
		if !slices.ContainsFunc(e.unseen, func(u fieldPath) bool { return u.field == f.name }) {
			others = append(others, f.name)
		}
	}
	if similar := similarName(p.field, others); similar != "" {
		return meant(fieldText(similar))
	}
	return ""
}

func meant(name string) string { return " (did you mean " + name + "?)" }

// similarName returns the candidate that is most like a name: it differs in case and
// separators, by a typing mistake, or has the name in it. It returns "" if none does.
func similarName(name string, candidates []string) string {
	plain := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(s))
	}
	for _, isLike := range []func(a, b string) bool{
		func(a, b string) bool { return a == b }, isTypo,
		func(a, b string) bool {
			return min(len(a), len(b)) > 2 && (strings.Contains(a, b) || strings.Contains(b, a))
		},
	} {
		for _, c := range candidates {
			if c != name && isLike(plain(name), plain(c)) {
				return c
			}
		}
	}
	return ""
}

// isTypo reports whether two strings of more than two bytes differ in at most two neighbouring
// bytes.
func isTypo(a, b string) bool {
	if min(len(a), len(b)) < 3 {
		return false
	}
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 2 && len(b) <= 2
}

var (
	goConversion = regexp.MustCompile(`^interface conversion: interface (?:\{\}|.*) is (.+), not (.+)$`)
	goInternal   = regexp.MustCompile(`reflect|runtime error|interface \{\}|\bgo-|github\.com`)
	goTypes      = strings.NewReplacer("map[string]interface {}", "an object", "map[string]any", "an object", "[]interface {}", "a list", "[]any", "a list",
		"float64", "float", "codec.decimal", "number", "history.Value", "value", "interface {}", "value", "<nil>", "nil", "time.Time", "date", "time.Duration", "duration")
)

// plainMessage returns a message of the library of expressions without the names of Go's
// packages and types.
func plainMessage(text string) string {
	if m := goConversion.FindStringSubmatch(text); m != nil {
		text = m[1] + " where " + m[2] + " is expected"
	}
	if text = goTypes.Replace(text); goInternal.MatchString(text) {
		return "this does not work for these values"
	}
	return text
}
