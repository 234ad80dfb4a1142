package stresstest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// TestBenchmark: a benchmark can call Test, though no worker can run it.
func TestBenchmark(t *testing.T) {
	o := Options{Programs: []string{"{ Put(0) } || { Put(0) }"}, Effort: stress.Effort{Time: time.Minute, Program: time.Millisecond}, Dir: t.TempDir()}
	r := testing.Benchmark(func(b *testing.B) {
		Test(b, newInventory, o)
	})
	if r.N == 0 {
		t.Error("the benchmark fails")
	}
}

// A skipTB can be skipped, and goes on.
type skipTB struct {
	fakeTB
	skips []string
}

func (s *skipTB) Skipf(text string, a ...any) { s.skips = append(s.skips, fmt.Sprintf(text, a...)) }

// TestExercised: a test that exercises nothing is skipped, and fails if it is strict. One that does not
// exercise a method that the options name fails.
func TestExercised(t *testing.T) {
	for _, c := range []struct {
		named, strict       bool
		exercised           [2]int
		skips, errors, logs string
	}{
		{false, false, [2]int{0, 0}, "nothing was exercised", "", ""},
		{true, false, [2]int{0, 0}, "nothing was exercised", "", ""},
		{false, true, [2]int{0, 0}, "", "nothing was exercised", ""},
		{true, false, [2]int{3, 0}, "", "named, and not exercised: Take", "no violation in 3 programs and 100 executions"},
		{true, false, [2]int{3, 1}, "", "", "no violation in 3 programs and 100 executions"},
		{false, true, [2]int{3, 0}, "", "", "no violation in 3 programs and 100 executions"},
	} {
		r := &stress.Report{Programs: 3, Executions: 100, Recorded: 100, Overlap: 1}
		r.Account.Sizes = []*stress.SizeAccount{{Sequences: 2, Invocations: 2, Programs: 3}}
		for i, name := range []string{"Put", "Take"} {
			*r.Account.Method(name) = stress.MethodAccount{Name: name, Programs: 3, Returned: 3, Exercised: c.exercised[i], Named: c.named}
		}
		tb := &skipTB{}
		logReports(tb, "Queue", []*stress.Report{r}, c.strict)
		for _, x := range []struct {
			got  []string
			want string
		}{{tb.skips, c.skips}, {tb.errors, c.errors}, {tb.logs[1:], c.logs}} {
			if got := strings.Join(x.got, "\n"); !strings.Contains(got, x.want) || (got == "") != (x.want == "") {
				t.Errorf("%+v: %q, want %q", c, got, x.want)
			}
		}
	}
}
