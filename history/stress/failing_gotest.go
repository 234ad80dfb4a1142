package stress

import (
	"fmt"
	"go/format"
	"reflect"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/history/stress/values"
)

// goTestOfFailure returns the body of a Go test that runs the program as often as its constant
// executions says. It fails as the program does.
func goTestOfFailure(c *Class, p *Program) *GoTest {
	t := &GoTest{Type: c.goType, ByValue: c.byValue}
	all, held := p.All(), p.held()
	switch {
	case slices.ContainsFunc(all, func(inv Invocation) bool { return inv.Method.called == nil }):
		t.Missing = "its methods do not belong to a Go type"
		return t
	case c.Close != nil:
		t.Missing = "its objects have to be closed"
		return t
	}
	var b strings.Builder
	fmt.Fprintf(&b, "parallel(t, executions, func() []func() {\no := %s\n", values.NewObject)
	n := 0
	calls := func(list []Invocation) {
		for _, inv := range list {
			earlier := func(p Param, call int) string { return resultName(call, all[call].Method.resultFor(p)) }
			call := inv.Method.called(inv.Args, earlier)
			if slices.Contains(held, n) {
				call = inv.Method.heldResults(n, all) + " := " + call
			}
			b.WriteString(call + "\n")
			n++
		}
	}
	calls(p.Initial)
	b.WriteString("return []func(){\n")
	for _, s := range p.Sequences {
		b.WriteString("func() {\n")
		calls(s)
		b.WriteString("},\n")
	}
	b.WriteString("}\n})\n")
	t.Body = b.String()
	return t
}

// resultName is the variable for a result of a call.
func resultName(call, result int) string { return fmt.Sprintf("%c%d", 'a'+result, call) }

// heldResults returns the variables for the results of call n that are arguments of others.
func (m *Method) heldResults(n int, all []Invocation) string {
	names := make([]string, len(m.outs))
	for i := range names {
		names[i] = "_"
	}
	for _, inv := range all {
		for k, a := range inv.Args {
			if call, ok := earlierCall(inv.Method.Params[k], a); ok && call == n {
				result := m.resultFor(inv.Method.Params[k])
				names[result] = resultName(n, result)
			}
		}
	}
	return strings.Join(names, ", ")
}

// called returns how Go calls a method, given how it writes the results of earlier calls.
func (s signature) called(m reflect.Method) func(args []history.Value, earlier func(p Param, call int) string) string {
	return func(args []history.Value, earlier func(p Param, call int) string) string {
		var in []string
		for i, v := range s.given(args) {
			text, _ := s.params[i].Source(v)
			if n, ok := earlierCall(s.params[i], v); ok {
				text = earlier(s.params[i], n)
			}
			in = append(in, text)
		}
		if s.variadic {
			in[len(in)-1] += "..."
		}
		return fmt.Sprintf("%s.%s(%s)", values.Self, m.Name, strings.Join(in, ", "))
	}
}

const failureTest = `package safety_test

%s
// %s fails with
//
//	%s
//
// which the same calls never do one after another.
func %[2]s(t *testing.T) {
	const limit, executions = 10 * time.Second, 1000
	for begin := time.Now(); time.Since(begin) < limit; {
		%[4]s
	}
}
%[5]s`

const addressSource = `
func address[T any](v T) *T { return &v }
`

// FailureTest writes the Go test of a failure, which needs nothing but the package under test. The
// constructor has import paths between marks of package values. With must, it also returns an error.
func (f *Finding) FailureTest(name, constructor string, must bool, packages map[string]string) string {
	imports := &gotest.Imports{Known: packages, Taken: slices.Concat(gotest.Taken, []string{"address", "begin"})}
	for _, p := range gotest.ParallelImports {
		imports.Name(p)
	}
	helpers := gotest.Parallel
	if constructor = imports.Resolve(constructor); must {
		helpers += gotest.Must
	}
	if f.GoTest.ByValue {
		constructor, helpers = "address("+constructor+")", helpers+addressSource
	}
	body := strings.ReplaceAll(imports.Resolve(f.GoTest.Body), values.NewObject, constructor)
	text := fmt.Appendf(nil, failureTest, imports, name, strings.Join(strings.Fields(f.Failure.String()), " "), body, helpers)
	if formatted, err := format.Source(text); err == nil {
		text = formatted
	}
	return string(text)
}
