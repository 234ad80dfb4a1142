package stress

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// TestVariations: the programs with other arguments, and what those with a violation have in
// common.
func TestVariations(t *testing.T) {
	nothing := func([]history.Value) Call { return func(any) history.Value { return history.NoValue } }
	c := &Class{Name: "map", Methods: []*Method{
		{Name: "put", Params: []Param{values.Int, values.Int}, Prepare: nothing}, {Name: "has", Params: []Param{values.Int}, Prepare: nothing},
		{Name: "clear", Prepare: nothing}, {Name: "putAll", Params: []Param{values.Map}, Prepare: nothing}, {Name: "name", Params: []Param{values.Text}, Prepare: nothing},
	}}
	for _, test := range []struct {
		program string
		choices int
		seen    func(program string) bool
		want    string
	}{
		{"{ put(0,0) } || { clear(); put(1,0); has(1) }", 32, func(p string) bool {
			return strings.HasPrefix(p, "{ put(0,") && strings.Contains(p, "; put(1,") && strings.Contains(p, "has(1)")
		}, "argument 1 of call 1 (put) < argument 1 of call 3 (put), and argument 1 of call 1 (put) < argument 1 of call 4 (has)"},
		{"{ has(0) } || { has(1) }", 4, func(p string) bool { return p != "{ has(0) } || { has(0) }" && p != "{ has(1) } || { has(1) }" }, "argument 1 of call 1 (has) differs from argument 1 of call 2 (has)"},
		{`{ name("0") } || { clear() }`, 2, func(p string) bool { return strings.Contains(p, `"0"`) }, `argument 1 of call 1 (name) is "0"`},
		{"{ has(5) } || { clear() }", 3, func(string) bool { return true }, ""},
		{"{ putAll({0=1}) } || { clear() }", 1, nil, ""},
		{"{ put(0,0); put(0,0); put(0,0) } || { has(0); clear() }", 0, nil, ""},
	} {
		p, err := Parse(test.program, c)
		if err != nil {
			t.Fatal(err)
		}
		places, programs := variations(p)
		if len(programs) != test.choices {
			t.Errorf("%s: %d programs, want %d", test.program, len(programs), test.choices)
		}
		if len(programs) > 0 && programs[0].String() != test.program {
			t.Errorf("%s: the first is %v", test.program, programs[0])
		}
		if test.seen == nil {
			continue
		}
		var tried []Variation
		for _, q := range programs {
			tried = append(tried, Variation{Program: q.String(), Seen: test.seen(q.String()), Executions: 7})
		}
		if got := pattern(places, programs, tried); got != test.want {
			t.Errorf("%s: pattern %q, want %q", test.program, got, test.want)
		}
	}
	v := &Variations{Tried: []Variation{{Program: "a", Seen: true}, {Program: "b", Executions: 9}, {Program: "c", Executions: 7}}, Untried: 2, Pattern: "x = y"}
	if got, want := v.String(), "with other arguments: seen with 1 of 3 choices (not in 7 or more executions of each other one, such as b); 2 not tried; seen exactly where x = y"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if (*Variations)(nil).String() != "" {
		t.Error("nothing is not empty")
	}
}
