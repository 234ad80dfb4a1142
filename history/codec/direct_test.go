package codec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/expr-lang/expr/vm"
)

// randomExpression returns an expression of what environment.compile knows, and of a few
// other things.
func randomExpression(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(6) == 0 {
		leaves := []string{"a", "b", "c", "a", "b", `$env["b c"]`, "nil", "true", "false", "0", "1", "-1", "1.0", `""`, `"x"`, `"1"`, "$line", "[]", "[1,2]", "9007199254740993"}
		return leaves[r.IntN(len(leaves))]
	}
	x := func() string { return randomExpression(r, depth-1) }
	path := []string{"a", "b", "c"}[r.IntN(3)]
	switch r.IntN(14) {
	case 0, 1:
		return path + []string{".k", "?.k", ".k.l", "?.k.l", "?.k?.l", `["k l"]`, "?.k == nil", "[0]"}[r.IntN(8)]
	case 2, 3:
		return fmt.Sprintf("(%s %s %s ? %s : %s)", x(), []string{"==", "!="}[r.IntN(2)], x(), x(), x())
	case 4:
		return fmt.Sprintf("(%s ?? %s)", x(), x())
	case 5:
		return fmt.Sprintf("[%s, %s]", x(), x())
	case 6:
		return fmt.Sprintf("[%s]", x())
	case 7:
		return fmt.Sprintf("(%s == %s %s %s != %s)", x(), x(), []string{"&&", "||", "and", "or"}[r.IntN(4)], x(), x())
	case 8:
		return fmt.Sprintf("(%s %s %s)", x(), []string{"&&", "||", "+", "-", "*", "<"}[r.IntN(6)], x())
	case 9:
		return fmt.Sprintf("ns(%s, %q)", x(), []string{"s", "ns"}[r.IntN(2)])
	case 10:
		return fmt.Sprintf("(%s ? %s : %s)", x(), x(), x())
	case 11:
		return fmt.Sprintf("(%s ?? nil).k", x())
	case 12:
		return fmt.Sprintf(`{"x": %s, "1": 2}[string(%s ?? "")]`, x(), path)
	}
	return fmt.Sprintf("let z = %s; [z, %s]", x(), path)
}

// randomJSON returns a value in JSON.
func randomJSON(r *rand.Rand, depth int) string {
	leaves := []string{"null", "true", "false", "0", "1", "-1", "1.0", "2.5", "1e3", "9007199254740993", "99999999999999999999", `""`, `"x"`, `"1"`, `"é\n"`}
	n := r.IntN(len(leaves) + 6)
	x := func() string { return randomJSON(r, depth-1) }
	switch {
	case n < len(leaves) || depth == 0:
		return leaves[n%len(leaves)]
	case n < len(leaves)+2:
		return []string{"[]", "[" + x() + "," + x() + "]"}[r.IntN(2)]
	}
	return []string{`{"k":` + x() + "}", `{"k":` + x() + `,"k l":` + x() + "}", "{}"}[r.IntN(3)]
}

// TestDirect: an expression that needs no machine has the value that the machine returns,
// and none where that reports an error.
func TestDirect(t *testing.T) {
	r := random(t)
	direct, runs := 0, 0
	for range 5_000 {
		text := randomExpression(r, 1+r.IntN(3))
		m := &mapping{fields: map[string]*recordField{}}
		x, err := m.compile(argsPart, text)
		if err != nil {
			continue
		}
		m.parts[argsPart] = x
		env := newEnvironment(m)
		for line := range 5 {
			var in bytes.Buffer
			for i, name := range []string{"a", "b", "c", "b c", "other"} {
				if i == 4 || r.IntN(4) > 0 {
					fmt.Fprintf(&in, "%s%q:%s", []string{"{", ","}[min(in.Len(), 1)], name, randomJSON(r, 2))
				}
			}
			env.begin()
			env.line = line
			s := newJSONRecords(strings.NewReader(in.String()+"}"), DefaultLimits)
			if _, err := s.next(env); err != nil {
				t.Fatal(err, in.String())
			}
			env.work = maxWork
			got, ok := env.directly(argsPart)
			env.work = maxWork
			want, err := (&vm.VM{MemoryBudget: maxMemory}).Run(x.program, env.forMachine())
			if runs++; ok {
				direct++
			}
			if ok && (err != nil || !reflect.DeepEqual(got, want)) {
				t.Fatalf("%s of %s}: %#v, the machine: %#v, %v", text, in.String(), got, want, err)
			}
			if !ok && env.direct[argsPart] != nil && err == nil {
				t.Fatalf("%s of %s}: no value, the machine: %#v", text, in.String(), want)
			}
		}
	}
	if t.Logf("%d of %d without the machine", direct, runs); direct < runs/4 {
		t.Error("too few")
	}
}
