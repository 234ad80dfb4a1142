package records

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A recordFault is a fault of a record.
type recordFault struct {
	line int
	text string
	kind string // text without the values in it
	more int    // later records with a fault of this kind
}

// faultValue matches the values in a fault: strings, fields with their values in parentheses, and
// numbers.
var faultValue = regexp.MustCompile(`"[^"]*?("|\.\.\.)|\(.*\)|-?[0-9][-+0-9.e]*`)

// addFault notes a fault of the current record. Faults that differ only in values are reported once.
func (d *mapped) addFault(err error) {
	d.b.Faulty = true
	kind := faultValue.ReplaceAllString(err.Error(), "")
	i := slices.IndexFunc(d.faults, func(f recordFault) bool { return f.kind == kind })
	switch {
	case i >= 0:
		d.faults[i].more++
	case len(d.faults) <= history.MaxErrors: // one more shows that there are too many
		d.faults = append(d.faults, recordFault{line: d.line, text: err.Error(), kind: kind})
	}
}

// reportFaults reports the fields that no record has. Only without such, it reports the faults of
// records, which may be due to them.
func (d *mapped) reportFaults() {
	lacks := false
	for _, p := range d.env.unseen {
		if p.hasRoot && (len(d.faults) > 0 || d.b.Events() > 0 && (lacks || d.b.Faults() == 0)) {
			lacks = true
			d.b.Errorf(d.line, "no record has the field %s, which %s names%s; if that is right, write ?? nil after it",
				p.text(), p.part, d.env.didYouMean(&p))
		}
	}
	if lacks {
		return
	}
	for _, f := range d.faults {
		text, more := f.text, ""
		if f.more > 0 {
			more = fmt.Sprintf("; and %d more like it", f.more)
		}
		i := strings.Index(text+"\n", "\n") // where the expression follows
		d.b.Errorf(f.line, "%s%s%s", text[:i], more, text[i:])
	}
}

// didYouMean returns the question whether a similar name is meant by a path, or "".
func (e *environment) didYouMean(p *fieldPath) string {
	name, names, last := p.field, e.names, len(p.members)-1
	if last >= 0 {
		name, names = p.members[last], p.siblings
	}
	i := slices.IndexFunc(names, func(n string) bool { return isSimilar(n, name) })
	if i < 0 {
		return ""
	}
	similar := fieldPath{field: names[i]}
	if last >= 0 {
		similar = fieldPath{field: p.field, members: append(slices.Clone(p.members[:last]), names[i])}
	}
	return " (did you mean " + similar.text() + "?)"
}

// isSimilar reports whether two names differ, apart from case, in at most two neighbouring bytes,
// or by bytes that one of them has at one place.
func isSimilar(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b || min(len(a), len(b)) < 3 {
		return a == b
	}
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return max(len(a), len(b)) <= 2 || min(len(a), len(b)) == 0
}

// goNames matches what messages of the library of expressions have of Go.
var goNames = regexp.MustCompile(`reflect|runtime error|interface|map\[|\[\]|float64|codec\.|history\.|time\.|<nil>|\bgo-|github\.com`)

// place matches the end of an error of that library: line and column, the expression, and a caret.
var place = regexp.MustCompile(` \(\d+:\d+\)\n \| .*\n \| \.*\^$`)

// plainError splits an error of the library into its message, in plain words, and the place in
// the expression.
func plainError(err error) (message, at string) {
	message = err.Error()
	at = place.FindString(message)
	return plainMessage(strings.TrimSuffix(message, at)), at
}

// plainMessage returns a message of that library, or another one if it has names of Go's packages
// and types.
func plainMessage(text string) string {
	hint := ""
	if strings.HasPrefix(text, "invalid operation") {
		hint = "; ns(FIELD) makes a date or a duration a number"
	}
	if goNames.MatchString(text) {
		text = "this does not work for these values"
	}
	return text + hint
}
