package stress

import (
	"slices"
	"strings"
	"testing"
)

// TestOmit: programs with one reason are one omission, other things are one if they are the same.
func TestOmit(t *testing.T) {
	a, b := &Account{}, &Account{}
	b.Omit(Omission{What: "{ A() }", Programs: 1, Why: "misuse"})
	b.Omit(Omission{What: "{ B() }", Programs: 2, Why: "misuse", Remedy: "do not"})
	b.Omit(Omission{What: "Watch", Why: "a parameter"})
	b.Omit(Omission{What: "Each", Why: "a parameter"})
	a.add(b)
	b.LeftOut[0].Programs = 4
	a.add(b)
	var got []string
	for _, o := range a.LeftOut {
		got = append(got, o.String())
	}
	if want := []string{"7 programs, such as { A() }: misuse", "Watch: a parameter", "Each: a parameter"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (Omission{What: "x", Why: "y", Remedy: "z"}).String(), "x: y; z"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTried: the account has a line for each pass, each number of sequences, and each method.
func TestTried(t *testing.T) {
	threads := &Report{Programs: 2, Executions: 5, Recorded: 5, Overlap: 1}
	threads.Account.Method("Put").Exercised = 2
	threads.Account.size(2, 3).Programs = 2
	r := &Report{Programs: 10, Executions: 100, Explored: &Explored{Steps: 7, Judged: 100}}
	for _, s := range []SizeAccount{{2, 3, 4, 0, []int{4, 4, 1}}, {2, 5, 4, 0, []int{4, 4, 1}}, {3, 3, 2, 0, []int{2, 1}}, {4, 4, 1, 0, nil}} {
		*r.Account.size(s.Sequences, s.Invocations) = s
	}
	r.Account.Sequences, r.Account.Invocations, r.Account.Values, r.Account.Preemptions = 4, 5, 2, 2
	for _, m := range []MethodAccount{
		{Name: "Put", Programs: 10, Returned: 10, Exercised: 6, Instrumented: true, Ordered: true, Twice: true},
		{Name: "Len", Programs: 5, Returned: 5, Exercised: 5, Ordered: true},
		{Name: "Cap", Programs: 5, Returned: 5, Exercised: 5},
		{Name: "Own", Programs: 5, Returned: 5, Named: true},
		{Name: "Run", Programs: 5},
		{Name: "Weak"},
	} {
		*r.Account.Method(m.Name) = m
	}
	r.add(threads)
	want := `2 programs, 5 executions, 100 % of those recorded overlapped; 0s; then schedules:
2 sequences of 3 calls: 2 programs
11 programs, 100 schedules, 7 steps; 0s
2 sequences of 3 to 5 calls: 8 programs, complete to 1 preemption, 2 to 2
3 sequences of 3 calls: 2 programs, complete to 0 preemptions, 1 to 1
4 sequences of 4 calls: 1 program
method  programs  exercised in  steps  note
Put     10        8             yes
Len     5         5             no     never beside itself
Cap     5         5             no     no result shows an order
Own     5         0             no     not exercised
Run     5         0             no     never returned
Weak    0         0             no     not called
bounds: at most 4 sequences, 5 calls in them, 2 values, 2 preemptions`
	if got := strings.Join(Tried([]*Report{threads, r}), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if line, nothing := NotExercised([]*Report{threads, r}); line != "named, and not exercised: Own" || nothing {
		t.Errorf("%q, %v", line, nothing)
	}
}

// TestFinish: what the options name has to be exercised, apart from a weak method without a level. What
// passes have left out is in the account of the last one, once.
func TestFinish(t *testing.T) {
	threads := &Report{Programs: 2, Executions: 5, Recorded: 5, Overlap: 1, MayWait: []string{"get"}, Unsteady: []string{"{ a() }"}}
	r := &Report{Programs: 2, Executions: 5, Explored: &Explored{Judged: 5, Cut: 1}}
	for _, name := range []string{"put", "get", "size", "sum", "other"} {
		r.Account.Method(name)
	}
	finish([]*Report{threads, r}, &Options{ReflectOptions: ReflectOptions{Core: []string{"Put"}, ReadOnly: []string{"Get"}, Weak: []string{"Size", "Sum=monotonic"}}})
	var named []string
	for _, m := range r.Account.Methods {
		if m.Named {
			named = append(named, m.Name)
		}
	}
	if want := []string{"put", "get", "sum"}; !slices.Equal(named, want) {
		t.Errorf("named are %q, want %q", named, want)
	}
	if n := len(r.Account.LeftOut); n != 3 {
		t.Errorf("%d left out: %v", n, r.Account.LeftOut)
	}
	finish(nil, &Options{})
}
