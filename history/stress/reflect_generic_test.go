package stress_test

import (
	"go/build"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/stress"
)

type embedsGeneric struct{ embedsPointer }

type embedsPointer struct{ *rand.Rand }

type hidesGeneric struct{ *rand.Rand }

func (hidesGeneric) N(n int) int { return n }

type hidesByField struct {
	*rand.Rand
	N int
}

type twoMethods struct{ n int }

func (t *twoMethods) Add(n int) int { t.n += n; return t.n }
func (t *twoMethods) Sum() int      { return t.n }

// TestUnreachable: methods that reflection does not find are left out by name. Since Go
// 1.27, rand.Rand has the generic method N.
func TestUnreachable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	reflected := func(r *stress.Reflected, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, l := range r.LeftOut {
			if !strings.Contains(l.Why, "parameter of type") && !strings.Contains(l.Why, "result of type") {
				list = append(list, l.What+": "+l.Why)
			}
		}
		return strings.Join(list, "; ")
	}
	n, excluded := "N: a generic method: embed the type, with a method N that is not", "N: excluded"
	if !slices.Contains(build.Default.ReleaseTags, "go1.27") {
		n, excluded = "", ""
	}
	var none stress.ReflectOptions
	for name, c := range map[string]struct{ got, want string }{
		"pointer":  {reflected(stress.Reflect(func() *rand.Rand { return random }, none)), n},
		"embedded": {reflected(stress.Reflect(func() embedsGeneric { return embedsGeneric{embedsPointer{random}} }, none)), n},
		"method":   {reflected(stress.Reflect(func() hidesGeneric { return hidesGeneric{random} }, none)), ""},
		"field":    {reflected(stress.Reflect(func() hidesByField { return hidesByField{Rand: random} }, none)), ""},
		"interface": {reflected(stress.Reflect(func() interface{ Add(int) int } { return &twoMethods{} }, none)),
			"Sum: not a method of interface { Add(int) int }: have the constructor return *stress_test.twoMethods"},
		"interface, excluded": {reflected(stress.Reflect(func() interface{ Add(int) int } { return &twoMethods{} },
			stress.ReflectOptions{Exclude: []string{"Sum"}})), "Sum: excluded"},
	} {
		if c.got != c.want {
			t.Errorf("%s: left out are %q, want %q", name, c.got, c.want)
		}
	}
	if excluded != "" {
		o := stress.ReflectOptions{Exclude: []string{"N"}}
		if got := reflected(stress.Reflect(func() *rand.Rand { return random }, o)); got != excluded {
			t.Errorf("left out are %q, want %q", got, excluded)
		}
	}
	_, err := stress.Reflect(func() interface{ Add(int) int } { return &twoMethods{} }, stress.ReflectOptions{Core: []string{"Sum"}})
	if err == nil || !strings.Contains(err.Error(), "method Sum is left out: not a method of") {
		t.Errorf("a core method that is left out: %v", err)
	}
}
