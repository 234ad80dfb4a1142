package stress_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// A search for failures finds what no sequential run has, and another process confirms it.
func TestFailures(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	for name, test := range map[string]struct{ kind, calls string }{
		"Table":   {stress.FatalFailure, "Put("},
		"Torn":    {stress.PanicFailure, "Pop("},
		"Slim":    {stress.PanicFailure, ""},
		"Chain":   {stress.PanicFailure, "Cut($1)"},
		"Pair":    {stress.WaitingFailure, "Forth()"},
		"Ring":    {stress.WaitingFailure, "Third()"},
		"Mirror":  {stress.WaitingFailure, "Equal(self)"},
		"Looping": {stress.WaitingFailure, "Left()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := stress.Supervise(t.Context(), child("failing "+name), failingOptions(patience))
			if err != nil || len(r.Findings) != 1 {
				t.Fatalf("%v, %d findings, %d unconfirmed of %d programs, without %v", err, len(r.Findings), len(r.Unconfirmed), r.Programs, r.Account.LeftOut)
			}
			f := r.Findings[0]
			if f.Failure.Kind != test.kind || !strings.Contains(f.Program, test.calls) || f.Times == 0 || r.Programs == 0 {
				t.Errorf("%s: %v, seen %d times in %d programs", f.Program, f.Failure, f.Times, r.Programs)
			}
			if f.GoTest == nil || !strings.Contains(f.GoTest.Body, "parallel(t, 1000") {
				t.Errorf("%+v", f.GoTest)
			}
		})
	}
}

func failingOptions(d time.Duration) stress.Options {
	return stress.Options{Failures: true, Effort: stress.Effort{Time: d, Program: 5 * time.Millisecond}}
}

// Nothing is found, or seen and not confirmed, of objects that fail sequentially, too, or not at all.
func TestFailuresNone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	limit := 3 * time.Second
	if *full {
		limit = 20 * time.Second
	}
	for _, name := range []string{"Safe", "Picky", "Bounded", "Helped", "Leaky", "Latch", "Nested", "Latest", "Clumsy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := failingOptions(limit)
			if name == "Clumsy" {
				o.Effort.Program, o.Programs = time.Second, []string{"{ Set(1); Set(0); Set(1); Set(0) } || { Do(null) }"}
			}
			r, err := stress.Supervise(t.Context(), child("failing "+name), o)
			if err != nil || r.Programs == 0 && name != "Picky" {
				t.Fatal(err, r)
			}
			if name == "Clumsy" && len(r.MayWait) > 0 { // calls after one that fails do not count
				t.Errorf("%v may wait", r.MayWait)
			}
			for _, f := range slices.Concat(r.Findings, r.Unconfirmed) {
				t.Errorf("%s: %v\n%s", f.Program, f.Failure, f.Failure.Stack)
			}
		})
	}
}

// Arguments can be results of earlier calls: programs are read as they are written.
func TestEarlier(t *testing.T) {
	r, err := stress.Reflect(NewChain, stress.ReflectOptions{ReadOnly: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Class.Failing()
	for _, text := range []string{"[ Add(0) ] { Cut($1) } || { Cut($1) }", "{ Add(0); Cut($1) } || { Add(1); Cut($3) }"} {
		if p, err := stress.Parse(text, c); err != nil || p.String() != text {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for text, fault := range map[string]string{
		"{ Add(0) } || { Cut($1) }":                     "not a call before Cut($1)",
		"[ Add(0) ] { Cut($3) } || { Cut($1) }":         "not a call before Cut($3)",
		"[ Add(0); Cut($1) ] { Cut($2) } || { Add(0) }": "has no result that can be an argument",
	} {
		if _, err := stress.Parse(text, c); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := stress.Parse("[ Add(0) ] { Cut($1) } || { Cut($1) }", r.Class); err == nil || !strings.Contains(err.Error(), "only a search for failures") {
		t.Error(err)
	}
	p, err := stress.Parse("[ Add(0); Add(1) ] { Add(2); Cut($3) } || { Cut($1); Cut($2) }", c)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[ Add(1) ] { Add(2); Cut($2) } || { Cut([]); Cut($1) }", "", "[ Add(0); Add(1) ] { Cut([]) } || { Cut($1); Cut($2) }"} {
		if got := stress.Without(p, i); want != "" && got.String() != want {
			t.Errorf("without %d: %v, want %s", i, got, want)
		}
	}
	calls := p.Calls()
	object := c.New()
	for _, call := range calls {
		if v := call(object); v.String() != "none" && v.Text() != "" {
			t.Error(v)
		}
	}
}

// TestFailingPrograms: a seed fixes the programs of a search for failures, and Parse reads what String writes.
func TestFailingPrograms(t *testing.T) {
	r, err := stress.Reflect(NewChain, stress.ReflectOptions{ReadOnly: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Class.Failing()
	var first []string
	earlier, most := 0, 0
	for p := range stress.FailingPrograms(c, 7) {
		text := p.String()
		q, err := stress.Parse(text, c)
		if err != nil || q.String() != text {
			t.Fatalf("%s: %v, %v", text, q, err)
		}
		if strings.Contains(text, "$") {
			earlier++
		}
		most = max(most, len(p.Sequences))
		if first = append(first, text); len(first) == 1000 {
			break
		}
	}
	if earlier < 300 || most != 4 {
		t.Errorf("%d of %d programs have results of calls as arguments, and at most %d sequences", earlier, len(first), most)
	}
	n := 0
	for p := range stress.FailingPrograms(c, 7) {
		if p.String() != first[n] {
			t.Fatalf("%v is %s another time", p, first[n])
		}
		if n++; n == 100 {
			break
		}
	}
}
