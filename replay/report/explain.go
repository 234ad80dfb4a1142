package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Bounds on what a report lists.
const (
	freeShown    = 3  // ways to make a history linearizable, in Short
	freeListed   = 10 // in Explain
	overlapShown = 8
	waitsShown   = 8
	coreShown    = 12 // in pages
	statesShown  = 8
	conflictMax  = 8
	delaysShown  = 8
	resultsShown = 6
)

// Explain writes the verdict of h and the reason for it in plain sentences, with
// a timeline of the operations that matter. For a linearizable history the reason
// is its witness.
func Explain(w io.Writer, h *history.History, spec replay.Spec, v *replay.Verdict, o Options) (err error) {
	if err := checkInput(w, h, v); err != nil {
		return err
	}
	p := newPrinter(w, h, o)
	defer p.rescue(&err)
	p.title(spec)
	p.reason(v)
	if v.Answer == replay.Linearizable {
		p.picture(spec, v)
	}
	return p.Flush()
}

// title writes the name of the history, if it has one, its size and its model. The name
// is one line, even if that is wider than the report.
func (p *printer) title(spec replay.Spec) {
	what := Clean(p.h.File)
	if p.h.ID != "" {
		what += "#" + Clean(p.h.ID)
	}
	if what == "" {
		return
	}
	model := ""
	if replay.Validate(spec) == nil {
		model = ", " + Clean(spec.Name())
		if s, ok := spec.(fmt.Stringer); ok && len(s.String()) < DefaultWidth {
			model = ", " + Clean(s.String())
		}
	}
	text := fmt.Sprintf("%s, %s", operations(len(p.h.Ops)), count(len(p.h.Processes), "process", "processes"))
	if n := p.h.Pending(); n > 0 {
		text += fmt.Sprintf(", %s pending", thousands(n))
	}
	if what += ":"; columns(what) > p.Width { // one line, so that it can be copied
		p.printf("%s\n", p.paint(bold, what))
	} else {
		text = what + " " + text
	}
	p.say("%s", p.paint(bold, text+model))
}

// requirement names what an order of the operations has to respect.
func (p *printer) requirement() string {
	switch {
	case p.h.IsRelaxed() && slices.ContainsFunc(p.h.Edges, func(e history.Edge) bool { return !p.h.IsProgramEdge(e) }):
		return "the order within each process and the orders in the file"
	case p.h.IsRelaxed():
		return "the order within each process"
	case p.h.HasEdges():
		return "real time and the orders in the file"
	case slices.ContainsFunc(p.h.Ops, func(op history.Operation) bool { return op.Version != 0 }):
		return "real time and versions"
	}
	return "real time"
}

const linearizable = "linearizable"

// property names the property of a history that has an order which meets requirement.
func (p *printer) property() string {
	if p.h.IsRelaxed() {
		return "sequentially consistent"
	}
	return linearizable
}

// Short writes the lines that the command check prints below the line of a history that
// is not linearizable. They have the response that no order explains, results that would
// make the history linearizable, the sizes of its parts, and the parts that were not
// computed. It writes nothing about other histories.
func Short(w io.Writer, h *history.History, v *replay.Verdict, o Options) (err error) {
	if err := checkInput(w, h, v); err != nil {
		return err
	}
	p := newPrinter(w, h, o)
	defer p.rescue(&err)
	if v.Answer != replay.NotLinearizable {
		return nil
	}
	e := v.Explanation
	if v.Versions != "" {
		p.printf("    %s\n", Clean(v.Versions))
	} else if e != nil {
		p.shortReason(e)
	}
	for _, w := range p.h.Waits[:min(len(p.h.Waits), waitsShown)] {
		p.printf("    %s\n", p.waitOf(&w))
	}
	if more := len(p.h.Waits) - waitsShown; more > 0 {
		p.printf("    and %s that %s for ever\n", count(more, "call", "calls"), map[bool]string{true: "waits", false: "wait"}[more == 1])
	}
	if (e == nil || len(e.Free) == 0) && (len(v.Conflict) > 1 || v.Conflict != nil && e == nil) {
		p.conflict(v.Conflict)
	}
	if e != nil {
		line := func(sentence string) { p.printf("    %s\n", strings.ToLower(sentence[:1])+sentence[1:]) }
		if e.Initial != "" {
			line(p.initially(e))
		}
		p.sizes(e)
		for _, m := range e.Missing {
			line(missingText(e, m))
		}
	}
	if p.Hint != "" {
		p.printf("    more: %s\n", p.Hint)
	}
	return p.Flush()
}

func (p *printer) shortReason(e *replay.Explanation) {
	if e.Unexplained != replay.NoOperation {
		p.printf("    no order explains %s%s\n", responseOf(&p.h.Ops[e.Unexplained]), p.at(e.Unexplained))
		if e.Impossible != "" {
			p.printf("    %s\n", Clean(e.Impossible))
		}
		if text := e.Difference.String(); text != "" {
			p.printf("    in its result, %s\n", text)
		}
	} else if reasons := p.constraints(e); len(reasons) > 0 {
		text := "real time"
		if p.h.IsRelaxed() {
			text = "the order within each process"
		}
		p.printf("    %s can be explained, but not if %s\n", text, strings.Join(reasons, " and "))
	}
	for k, group := range e.Free {
		if k == freeShown {
			p.printf("    and %d more such changes of results\n", len(e.Free)-k)
			break
		}
		var changes []string
		for _, f := range group {
			who := p.at(f.Op)
			if op := &p.h.Ops[f.Op]; op.Waits {
				who = p.place(f.Op, call(op))
			}
			changes = append(changes, who+" had returned "+p.allowed(f)+p.lacks(e, f))
		}
		p.printf("    %s if %s\n", p.property(), strings.Join(changes, " and "))
	}
}

// responseOf returns the words before an operation whose end no order explains.
func responseOf(op *history.Operation) string {
	if op.Waits {
		return ""
	}
	return "the response of "
}

// sizes writes the sizes of the shortest prefix and of the sub-history that fail.
func (p *printer) sizes(e *replay.Explanation) {
	var parts []string
	if total := events(p.h); e.Prefix > 0 && e.Prefix < total {
		parts = append(parts, fmt.Sprintf("the first %s of %s", thousands(e.Prefix), count(total, "event", "events")))
	}
	if len(e.Core) > 0 && len(e.Core) < len(p.h.Ops) {
		parts = append(parts, fmt.Sprintf("%s of %s", thousands(len(e.Core)), operations(len(p.h.Ops))))
	}
	if len(parts) > 0 {
		p.printf("    not %s by themselves: %s\n", p.property(), strings.Join(parts, "; "))
	}
}

// conflict lists operations that have no witness by themselves.
func (p *printer) conflict(ops []int32) {
	what := "no order explains"
	for _, i := range ops[:min(len(ops), conflictMax)] {
		p.printf("    %s %s\n", what, p.at(i))
		what = "together with"
	}
	if more := len(ops) - conflictMax; more > 0 {
		p.printf("    and %d more\n", more)
	}
}

func (p *printer) names(ops []int32) string {
	names := make([]string, len(ops))
	for k, i := range ops {
		names[k] = Name(p.h.Ops[i].ID())
	}
	return strings.Join(names, ", ")
}

func (p *printer) delay(x int32, place map[int32]int) string {
	op := &p.h.Ops[x]
	var past []int32
	for i := range p.h.Ops {
		if overlaps(op, &p.h.Ops[i]) && place[int32(i)] < place[x] {
			past = append(past, int32(i))
		}
	}
	slices.SortFunc(past, func(a, b int32) int { return place[b] - place[a] }) // the nearest first
	text := p.at(x)
	switch n := len(past); {
	case n == 0:
		return text + " comes as late as the operations after it allow"
	case n == 1:
		return text + " is delayed past " + p.short(past[0])
	default:
		return fmt.Sprintf("%s is delayed past %s and %s that it overlaps", text, p.short(past[0]), count(n-1, "other", "others"))
	}
}
