package stress

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/stress/values"
)

// goTestOfFailure returns a Go test that fails as the program does.
func goTestOfFailure(c *Class, p *Program) *GoTest {
	t := &GoTest{Type: c.goType, ByValue: c.byValue}
	all, held := p.All(), p.held()
	switch {
	case slices.ContainsFunc(all, func(inv Invocation) bool { return inv.Method.inGo == nil }):
		t.Missing = "its methods do not belong to a Go type"
		return t
	case c.Close != nil:
		t.Missing = "its objects have to be closed"
		return t
	}
	var b strings.Builder
	fmt.Fprintf(&b, "for begin := time.Now(); time.Since(begin) < 10*time.Second; {\nparallel(t, 1000, func() []func() {\no := %s\n", values.NewObject)
	n := 0
	calls := func(list []Invocation) {
		for _, inv := range list {
			earlier := func(p Param, call int) string { return resultName(call, all[call].Method.resultFor(p)) }
			call := inv.Method.inGo.call(inv.Args, earlier)
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
	b.WriteString("}\n})\n}\n")
	t.Body = b.String()
	return t
}

// resultName is the variable for a result of a call.
func resultName(call, result int) string { return fmt.Sprintf("%c%d", 'a'+result, call) }

// heldResults returns the variables for the results of call n that are arguments of others.
func (m *Method) heldResults(n int, all []Invocation) string {
	names := make([]string, len(m.inGo.outs))
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
