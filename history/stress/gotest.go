package stress

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template"

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

// maxExpected bounds the expected outcomes of a Go test. Each has a line.
const maxExpected = 100

// goTest returns the Go test of a finding. It runs the program sequentially once more, with results
// as the test writes them.
func (f *Finding) goTest(x Executor) *GoTest {
	e := f.Seen.Expected
	t := &GoTest{Type: e.Class.goType, ByValue: e.Class.byValue, Missing: f.withoutGoTest()}
	if t.Missing != "" {
		return t
	}
	var runs []SequentialRun
	written, err := x.Expected(e.Program.written())
	if err == nil {
		runs, err = written.Runs.All()
	}
	if err != nil {
		t.Missing = err.Error()
		return t
	}
	switch outcomes := written.Outcomes(); {
	case len(outcomes) < len(e.Outcomes()):
		t.Missing = "not all of its results differ as strings"
	case slices.ContainsFunc(outcomes, func(o Count) bool { return o.Outcome.hasAddress() }):
		t.Missing = "its results hold addresses"
	default:
		t.Body = written.goTestBody(outcomes, runs, f.Seen.Outcome)
	}
	return t
}

// withoutGoTest returns why a finding has no Go test, or "".
func (f *Finding) withoutGoTest() string {
	e := f.Seen.Expected
	outcomes := e.Outcomes()
	for _, inv := range e.Program.All() {
		if why := inv.Method.unwritten(); why != "" {
			return why
		}
	}
	switch {
	case e.Class.Close != nil:
		return "its objects have to be closed"
	case f.Fault != "":
		return "the fault is inside one call"
	case f.RealTime:
		return "the results alone do not show it"
	case len(outcomes) > maxExpected:
		return fmt.Sprintf("the program has %d outcomes", len(outcomes))
	case slices.ContainsFunc(outcomes, func(o Count) bool { return o.Outcome.Waits() }):
		return "its calls may wait for ever"
	}
	return ""
}

// hasAddress reports whether a string of the outcome may differ in another process.
func (o Outcome) hasAddress() bool {
	return slices.ContainsFunc(o, func(v history.Value) bool { return values.Quote(v.Text()).Text() != v.Text() })
}

// written returns the program with results as its Go test has them.
func (p *Program) written() *Program {
	q := p.clone()
	for i := range q.Len() {
		inv := q.at(i)
		m := *inv.Method
		m.Prepare = m.inGo.prepare(func(out []reflect.Value, _ *values.Maker) history.Value { return values.Sprint(out) })
		m.Failure = values.Sprint(m.inGo.zeros())
		inv.Method = &m
	}
	return q
}

// goTestBody is the Go test of a program. It makes a hundred objects at a time.
const goTestBody = `expected := [][{{.Calls}}]string{
{{.Expected}}}
limit := 10 * time.Second
if testing.Short() {
limit = time.Second
}
debug.SetTraceback("all")
defer time.AfterFunc(limit+20*time.Second, func() { panic("{{.NotReturning}}") }).Stop()
{{if .Panics}}caught := func(result *string) {
if p := recover(); p != nil {
*result = fmt.Sprint("panic: ", p)
}
}
{{end}}memory := []metrics.Sample{{"{{"}}Name: "/memory/classes/total:bytes"{{"}}"}}
metrics.Read(memory)
for begin := time.Now(); time.Since(begin) < limit && memory[0].Value.Uint64() < 2<<30; metrics.Read(memory) {
var results [100][{{.Calls}}]string
var sequences [100][]func()
{{if .Final}}var final [100]func()
{{end}}for i := range results {
o := {{.NewObject}}
{{.Program}}}
` + gotest.Round + `for i := range results {
{{if .Final}}final[i]()
{{end}}if !slices.Contains(expected, results[i]) {
t.Fatalf("the calls returned %q, {{.Unexplained}}", results[i])
}
}
}
`

// goTestBody writes the Go test of a program whose results are strings, with its outcomes. A call may
// panic if it panics in one of them, or in the violation.
func (e *Expected) goTestBody(outcomes []Count, runs []SequentialRun, seen Outcome) string {
	var lines, body strings.Builder
	panics := make([]bool, len(e.all))
	for _, o := range append(outcomes, Count{Outcome: seen}) {
		for i, v := range o.Outcome {
			panics[i] = panics[i] || v.Kind() == history.Exception && strings.HasPrefix(v.Text(), "panic: ")
		}
	}
	for _, o := range outcomes {
		lines.WriteString(e.expectedLine(o.Outcome, runs))
	}
	_ = template.Must(template.New("").Parse(goTestBody)).Execute(&body, map[string]any{ // to memory
		"Calls": len(e.all), "Final": len(e.Program.Final) > 0, "Panics": slices.Contains(panics, true),
		"Expected": lines.String(), "Program": e.Program.calls(panics),
		"NewObject": values.NewObject, "NotReturning": gotest.NotReturning, "Unexplained": gotest.Unexplained,
	})
	return body.String()
}

// expectedLine writes an outcome, and an order that has it.
func (e *Expected) expectedLine(o Outcome, runs []SequentialRun) string {
	var texts, order []string
	for _, v := range o {
		texts = append(texts, gotest.Quote(v.Text()))
	}
	if i := slices.IndexFunc(runs, func(r SequentialRun) bool { return r.Outcome.Equal(o) }); i >= 0 {
		for _, n := range runs[i].Order {
			order = append(order, e.all[n].String())
			if o[n].Text() != "" {
				order[len(order)-1] += " = " + o[n].Text()
			}
		}
	}
	return fmt.Sprintf("{%s}, // %s\n", strings.Join(texts, ", "), strings.Join(strings.Fields(strings.Join(order, "; ")), " "))
}

// calls writes what is done with the object o of results[i]. Some calls may panic.
func (p *Program) calls(panics []bool) string {
	n := 0
	calls := func(list []Invocation) (lines []string) {
		for _, inv := range list {
			lines = append(lines, inv.Method.inGo.source(n, inv.Args, inv.Method.Weak && inv.Method.ReadOnly, panics[n]))
			n++
		}
		return lines
	}
	text := ""
	for _, line := range calls(p.Initial) {
		text += line + "\n"
	}
	sequences := "sequences[i] = []func(){\n"
	for i, s := range p.Sequences {
		lines := calls(s)
		for _, o := range p.Order {
			if o[1] == i {
				lines = slices.Insert(lines, 0, fmt.Sprintf("<-e%d", o[0]))
			}
		}
		if slices.ContainsFunc(p.Order, func(o [2]int) bool { return o[0] == i }) {
			text += fmt.Sprintf("e%d := make(chan bool) // is closed at the end of sequence %[1]d\n", i)
			lines = append(lines, fmt.Sprintf("close(e%d)", i))
		}
		sequences += function(lines) + ",\n"
	}
	text += sequences + "}\n"
	if len(p.Final) > 0 {
		text += "final[i] = " + function(calls(p.Final)) + "\n"
	}
	return text
}

// function writes a function, in one line if it has one.
func function(lines []string) string {
	if body := strings.Join(lines, "\n"); strings.Contains(body, "\n") {
		return "func() {\n" + body + "\n}"
	}
	return "func() { " + strings.Join(lines, "") + " }"
}

// unwritten returns why Go tests do not call a method, or "".
func (m *Method) unwritten() string {
	g := m.inGo
	if g == nil {
		return "its methods do not belong to a Go type"
	}
	if m.MayFail() && !m.Failure.Equal(g.value(g.zeros(), &values.Maker{})) {
		return fmt.Sprintf("the failure of %s is not that of zero results", m.Name)
	}
	if m.Weak && m.ReadOnly {
		return ""
	}
	if len(g.recorded) > 0 {
		return fmt.Sprintf("what %s calls or writes to is part of its result", m.Name)
	}
	for _, t := range g.outs {
		if what := values.Unprintable(t); what != "" {
			return fmt.Sprintf("a result of %s holds %s", m.Name, what)
		}
	}
	return ""
}

// source writes the n-th call of a program. If it is weak, it has no result.
func (g *goMethod) source(n int, args []history.Value, weak, panics bool) string {
	result, call := fmt.Sprintf("results[i][%d]", n), g.call(args, nil)
	if len(g.outs) > 0 && !weak {
		call = result + " = fmt.Sprint(" + call + ")"
	}
	if panics {
		return function([]string{"defer caught(&" + result + ")", call}) + "()"
	}
	return call
}

// call writes a call of the object, given how it writes arguments that are results of earlier calls.
func (g *goMethod) call(args []history.Value, earlier func(p Param, call int) string) string {
	var in []string
	for i, v := range g.given(args) {
		text, _ := g.params[i].Source(v)
		if n, ok := earlierCall(g.params[i], v); ok {
			text = earlier(g.params[i], n)
		}
		in = append(in, text)
	}
	if g.variadic {
		in[len(in)-1] += "..."
	}
	return fmt.Sprintf("%s.%s(%s)", values.Self, g.Name, strings.Join(in, ", "))
}
