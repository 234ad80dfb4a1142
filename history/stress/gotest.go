package stress

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/history/stress/values"
)

// A GoTest is a Go test of a violation that needs nothing but the package under test.
type GoTest struct {
	Body string // see gotest.Test
	// Type is the type of the object, with marks. If ByValue, the constructor returns what it
	// points to.
	Type    string
	ByValue bool
	// Missing is the reason for an empty Body.
	Missing string
}

// maxExpected bounds the expected outcomes of a Go test, and maxOrders the sequential runs that
// it has comments about.
const maxExpected, maxOrders = 1000, 10_000

// goTest returns the Go test of a finding.
func (f *Finding) goTest() *GoTest {
	e := f.Seen.Expected
	c, p := e.Class, e.Program
	t := &GoTest{Type: c.goType, ByValue: c.byValue}
	all, outcomes := p.All(), e.Outcomes()
	switch {
	case slices.ContainsFunc(all, func(inv Invocation) bool { return inv.Method.written == nil }):
		t.Missing = "its methods do not belong to a Go type"
	case c.Close != nil:
		t.Missing = "its objects have to be closed"
	case f.Fault != "":
		t.Missing = "the fault is inside one call"
	case f.RealTime:
		t.Missing = "the results alone do not show it"
	case len(outcomes) > maxExpected:
		t.Missing = fmt.Sprintf("the program has %d outcomes", len(outcomes))
	case slices.ContainsFunc(outcomes, func(o Count) bool { return o.Outcome.Waits() }):
		t.Missing = "its calls may wait for ever"
	}
	if t.Missing != "" {
		return t
	}
	panics := slices.ContainsFunc(append(outcomes, Count{Outcome: f.Seen.Outcome}), func(o Count) bool {
		return slices.ContainsFunc(o.Outcome, func(v history.Value) bool {
			return v.Kind() == history.Exception && strings.HasPrefix(v.Text(), "panic: ")
		})
	})
	var b strings.Builder
	fmt.Fprintf(&b, "const program = %s\n", gotest.Quote(p.String()))
	e.writeExpected(&b, all)
	b.WriteString(`limit := 10 * time.Second
		if testing.Short() {
			limit = time.Second
		}
		for begin, executions := time.Now(), 0; time.Since(begin) < limit; {
			var outcomes []func() string
			parallel(t, 100, func() []func() {
				o := ` + values.NewObject + "\n")
	p.writeCalls(&b, panics)
	fmt.Fprintf(&b, `})
		for _, outcome := range outcomes {
			executions++
			if got := outcome(); !slices.Contains(expected, got) {
				t.Fatalf("%%s returned %%s in execution %%d, %s", program, got, executions)
			}
		}
	}
	`, gotest.Unexplained)
	t.Body = b.String()
	return t
}

// writeExpected writes the outcomes of the program, each with an order that has it.
func (e *Expected) writeExpected(b *strings.Builder, all []Invocation) {
	var runs []SequentialRun
	total := int64(0)
	for _, o := range e.Outcomes() {
		total += o.Times
	}
	if total <= maxOrders {
		runs, _ = e.Runs.All() // without all runs, some outcomes have no order in a comment
	}
	b.WriteString("expected := []string{\n")
	for _, o := range e.Outcomes() {
		if i := slices.IndexFunc(runs, func(r SequentialRun) bool { return r.Outcome.Equal(o.Outcome) }); i >= 0 {
			fmt.Fprintf(b, "// %s\n", strings.Join(strings.Fields(inOrder(all, &runs[i])), " "))
		}
		var parts []string
		for _, v := range o.Outcome {
			parts = append(parts, gotest.Canonical(v))
		}
		fmt.Fprintf(b, "%s,\n", gotest.Quote(strings.Join(parts, ",")))
	}
	b.WriteString("}\n")
}

// writeCalls writes what is done with an object o: the initial part, the final part in a
// function that returns the outcome, and the sequences.
func (p *Program) writeCalls(b *strings.Builder, panics bool) {
	n := 0
	calls := func(list []Invocation) {
		for _, inv := range list {
			before, result := inv.Method.written(n, inv.Args)
			if inv.Method.Weak && inv.Method.ReadOnly {
				before, result = before+"_ = "+result+"\n", strconv.Quote(gotest.Canonical(history.UnknownValue))
			}
			if panics {
				before, result = "", "try(func() string {\n"+before+"return "+result+"\n})"
			}
			fmt.Fprintf(b, "%sr[%d] = %s\n", before, n, result)
			n++
		}
	}
	fmt.Fprintf(b, "var r [%d]string\n", p.Len())
	calls(p.Initial)
	if len(p.Order) > 0 {
		fmt.Fprintf(b, "var e [%d]atomic.Bool // the sequences that have ended\n", len(p.Sequences))
	}
	b.WriteString("sequences := []func(){\n")
	for i, s := range p.Sequences {
		b.WriteString("func() {\n")
		for _, o := range p.Order {
			if o[1] == i {
				fmt.Fprintf(b, "for !e[%d].Load() {\nruntime.Gosched()\n}\n", o[0])
			}
		}
		calls(s)
		if len(p.Order) > 0 {
			fmt.Fprintf(b, "e[%d].Store(true)\n", i)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\noutcomes = append(outcomes, func() string {\n")
	calls(p.Final)
	b.WriteString("return strings.Join(r[:], \",\")\n})\nreturn sequences\n")
}

// source returns how a Go method is called as the n-th invocation of a program: statements,
// and the expression of its result.
func (s signature) source(m reflect.Method) func(n int, args []history.Value) (before, result string) {
	return func(n int, args []history.Value) (before, result string) {
		var in, errs, shown, left []string
		for i := range s.isError {
			name := fmt.Sprintf("%c%d", 'a'+i, n)
			if left = append(left, name); s.isError[i] {
				errs = append(errs, name)
			} else {
				shown = append(shown, "&"+name)
			}
		}
		for i, v := range s.given(args) {
			calls := ""
			if p := s.params[i]; p.Records() {
				calls = fmt.Sprintf("%c%d", 'p'+len(shown), n)
				declared, written := p.RecordedSource(calls)
				before += declared + "\n"
				shown = append(shown, written)
			}
			text, _ := s.params[i].SourceRecording(v, calls)
			in = append(in, text)
		}
		if s.variadic {
			in[len(in)-1] += "..."
		}
		call := fmt.Sprintf("%s.%s(%s)\n", values.Self, m.Name, strings.Join(in, ", "))
		if len(left) > 0 {
			call = strings.Join(left, ", ") + " := " + call
		}
		list := "nil"
		if len(errs) > 0 {
			list = "[]error{" + strings.Join(errs, ", ") + "}"
		}
		return before + call, "result(" + strings.Join(append([]string{list}, shown...), ", ") + ")"
	}
}
