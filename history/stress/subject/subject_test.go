package subject

import (
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

// calls returns random invocations of the class's methods, and others that
// are the same but for being of another class.
func calls(random *rand.Rand, c *stress.Class, most int) []stress.Invocation {
	list := make([]stress.Invocation, 1+random.IntN(most))
	for i := range list {
		m := c.Methods[random.IntN(len(c.Methods))]
		list[i] = stress.Invocation{Method: m, Args: arguments(random, m)}
	}
	return list
}

func arguments(random *rand.Rand, m *stress.Method) []history.Value {
	args := make([]history.Value, len(m.Params))
	for i, p := range m.Params {
		args[i] = history.IntValue(random.Int64N(3))
		if p == stress.Map {
			first, second := random.Int64N(3), random.Int64N(3)
			pairs := []history.Value{history.IntValue(first), history.IntValue(random.Int64N(3)), history.IntValue(second), history.IntValue(1)}
			if first == second {
				pairs = pairs[:2]
			}
			args[i], _ = history.MapValue(pairs...)
		}
	}
	return args
}

// waits reports whether methods of the class wait.
func waits(c *stress.Class) bool { return strings.HasPrefix(c.Name, "blocking-") }

// results calls the methods of these names on a fresh object of the class and
// returns their results, up to the first that waits.
func results(c *stress.Class, list []stress.Invocation) []history.Value {
	if waits(c) {
		own := slices.Clone(list)
		for i := range own {
			own[i].Method = c.Method(list[i].Method.Name)
		}
		return stress.Sequential(c, own, 0)
	}
	object := c.New()
	var all []history.Value
	for _, inv := range list {
		all = append(all, c.Method(inv.Method.Name).Prepare(inv.Args)(object))
	}
	return all
}

func newRandom(t *testing.T) *rand.Rand {
	const seed = 20
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestSubjects(t *testing.T) {
	names := map[string]bool{}
	broken := 0
	for _, s := range All() {
		if names[s.Class.Name] || Lookup(s.Class.Name) != s {
			t.Errorf("two subjects are called %s", s.Class.Name)
		}
		names[s.Class.Name] = true
		if s.Doc == "" || s.Broken != (s.Twin != "") {
			t.Errorf("%s: %q, broken %v, twin %q", s.Class.Name, s.Doc, s.Broken, s.Twin)
		}
		if s.Broken {
			broken++
			if twin := Lookup(s.Twin); twin == nil || twin.Broken {
				t.Errorf("%s is the twin of %s", s.Twin, s.Class.Name)
			}
		}
		methods := map[string]bool{}
		for _, m := range s.Class.Methods {
			if methods[m.Name] {
				t.Errorf("%s has two methods %s", s.Class.Name, m.Name)
			}
			methods[m.Name] = true
		}
	}
	if broken < 8 || Lookup("no such") != nil {
		t.Errorf("%d subjects are broken", broken)
	}
}

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // many wait
	os.Exit(m.Run())
}

// TestSequential: every subject returns the same results twice, as its model does,
// and a broken one as its twin.
func TestSequential(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Class.Name, func(t *testing.T) {
			t.Parallel() // some wait
			random := newRandom(t)
			var model replay.Spec
			if s.Class.Model != "" {
				var err error
				if model, err = spec.Lookup(s.Class.Model, s.Class.ModelArgs); err != nil {
					t.Fatal(err)
				}
			}
			n := 3000
			if *full {
				n = 10000
			}
			if testing.Short() { // as under the race detector
				n /= 3
			}
			if waits(s.Class) {
				n = 1 // it takes seconds to see that a method waits
			}
			for range n {
				list := calls(random, s.Class, 8)
				got := results(s.Class, list)
				if again := results(s.Class, list); !slices.EqualFunc(got, again, history.Value.Equal) {
					t.Fatalf("%v returns %v, then %v", list, got, again)
				}
				if s.Broken {
					want := results(Lookup(s.Twin).Class, list)
					if !slices.EqualFunc(got, want, history.Value.Equal) {
						t.Fatalf("%v returns %v, its twin %v", list, got, want)
					}
				}
				if model != nil {
					checkModel(t, model, list, got)
				}
			}
		})
	}
}

func checkModel(t *testing.T, model replay.Spec, list []stress.Invocation, got []history.Value) {
	t.Helper()
	object := model.New()
	for i, inv := range list {
		op := &history.Operation{Method: inv.Method.Name, Args: inv.Args, Result: got[i]}
		if err := model.Check(op); err != nil {
			t.Fatal(err)
		}
		want, ok := object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		if !ok || !got[i].Equal(want) {
			t.Fatalf("%v: result %d is %v, that of the model %v, %v", list, i, got[i], want, ok)
		}
	}
}

// TestReadOnly: read-only methods change no result.
func TestReadOnly(t *testing.T) {
	random := newRandom(t)
	for _, s := range All() {
		for range 1000 {
			before, after := calls(random, s.Class, 5), calls(random, s.Class, 5)
			m := s.Class.Methods[random.IntN(len(s.Class.Methods))]
			if !m.ReadOnly {
				continue
			}
			look := stress.Invocation{Method: m, Args: arguments(random, m)}
			without := results(s.Class, slices.Concat(before, after))
			with := results(s.Class, slices.Concat(before, []stress.Invocation{look}, after))
			if !slices.EqualFunc(with[len(before)+1:], without[len(before):], history.Value.Equal) {
				t.Fatalf("%s: %s changes %v to %v", s.Class.Name, m.Name, without, with)
			}
		}
	}
}

// TestAllocations: the methods that make nothing allocate nothing, but those of sync.Map, which are
// called by reflection.
func TestAllocations(t *testing.T) {
	makes := map[string]bool{}
	for _, name := range []string{"elements", "keys", "snapshot", "Range", "push", "Swap", "Store", "LoadOrStore", "CompareAndSwap",
		"Clear", "clear", "pair read", "pair-torn read", "queue enqueue", "queue-double-delivery enqueue", "sync.Map-kv put", "sync.Map-kv cas"} {
		makes[name] = true
	}
	random := newRandom(t)
	for _, s := range All() {
		for _, m := range s.Class.Methods {
			if waits(s.Class) || s.Class.Name == "sync.Map" || makes[m.Name] || makes[s.Class.Name+" "+m.Name] {
				continue
			}
			object, call := s.Class.New(), m.Prepare(arguments(random, m))
			if n := testing.AllocsPerRun(200, func() { call(object) }); n > 0 {
				t.Errorf("%s: %s allocates %v times", s.Class.Name, m.Name, n)
			}
		}
	}
}
