package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A naive object is a second description of a model, written without it.
type naive interface {
	// apply returns the result, and whether there is a transition.
	apply(method string, args []history.Value) (history.Value, bool)
	// text is equal for two objects exactly if they hold the same.
	text() string
}

// naiveKV has all puts of each key that were accepted.
type naiveKV map[string][]history.Value

func (n naiveKV) apply(method string, args []history.Value) (history.Value, bool) {
	k := args[0].String()
	version := int64(len(n[k]))
	if method == "get" {
		if version == 0 {
			return history.NullValue, true
		}
		return history.ListValue(n[k][version-1], history.IntValue(version)), true
	}
	if args[2].Int() == version {
		n[k] = append(n[k], args[1])
		return history.StringValue("ok"), true
	}
	if version == 0 {
		return history.StringValue("no-key"), true
	}
	return history.StringValue("version"), true
}

func (n naiveKV) text() string {
	last := map[string]string{}
	for k, values := range n {
		last[k] = fmt.Sprint(len(values), values[len(values)-1])
	}
	return fmt.Sprint(last) // sorted by key
}

type naiveLog struct{ values []history.Value }

func (n *naiveLog) apply(method string, args []history.Value) (history.Value, bool) {
	switch method {
	case "append":
		n.values = append(n.values, args[0])
		return history.IntValue(int64(len(n.values) - 1)), true
	case "read":
		for i, v := range n.values {
			if int64(i) == args[0].Int() {
				return v, true
			}
		}
		return history.NullValue, true
	}
	return history.IntValue(int64(len(n.values))), true
}

func (n *naiveLog) text() string { return fmt.Sprint(n.values) }

// naiveLock has who acquired it and has not released it, and how often it was acquired.
type naiveLock struct {
	owners []history.Value
	times  int64
}

func (n *naiveLock) apply(method string, args []history.Value) (history.Value, bool) {
	if method == "release" {
		has := len(n.owners) == 1 && n.owners[0].Equal(args[0])
		if has {
			n.owners = nil
		}
		return history.BoolValue(has), true
	}
	if len(n.owners) > 0 {
		return history.NullValue, method == "tryAcquire"
	}
	n.owners = append(n.owners, args[0])
	n.times++
	return history.IntValue(n.times - 1), true
}

func (n *naiveLock) text() string { return fmt.Sprint(n.owners, n.times) }

// naiveBank has one coin for each unit of money, in its account.
type naiveBank struct{ coins []string }

func (n *naiveBank) apply(method string, args []history.Value) (history.Value, bool) {
	balances := map[string]int64{"a": 0, "b": 0, "c": 0}
	for _, c := range n.coins {
		balances[c]++
	}
	if method == "read" {
		m, _ := history.MapValue(history.StringValue("c"), history.IntValue(balances["c"]), history.StringValue("a"), history.IntValue(balances["a"]),
			history.StringValue("b"), history.IntValue(balances["b"]))
		return m, true
	}
	if balances[args[0].Text()] < args[2].Int() {
		return history.BoolValue(false), true
	}
	for range args[2].Int() {
		n.coins[slices.Index(n.coins, args[0].Text())] = args[1].Text()
	}
	return history.BoolValue(true), true
}

func (n *naiveBank) text() string {
	slices.Sort(n.coins)
	return fmt.Sprint(n.coins)
}

var naives = []struct {
	model string
	fresh func() naive
}{
	{"versioned-kv", func() naive { return naiveKV{} }},
	{"log", func() naive { return &naiveLog{} }},
	{"lock", func() naive { return &naiveLock{} }},
	{`bank:{"a":3,"b":1,"c":0}`, func() naive { return &naiveBank{[]string{"a", "a", "a", "b"}} }},
}

// TestNaive compares the results of the models of storage systems with those of their second
// descriptions, and their keys in both directions: two keys are equal exactly if the second
// descriptions hold the same.
func TestNaive(t *testing.T) {
	t.Parallel()
	sequences := 20_000
	if testing.Short() {
		sequences /= 10
	}
	r := newRandom(t)
	for _, test := range naives {
		t.Run(test.model, func(t *testing.T) {
			i := slices.IndexFunc(models, func(m model) bool { return m.text == test.model })
			s, methods := models[i].open(t)
			keys, texts := map[string]string{}, map[string]string{}
			equal := 0
			for range sequences {
				state, other := s.New().(replay.State), test.fresh()
				program := ""
				for range r.IntN(12) {
					j := r.IntN(len(methods.List))
					inv := models[i].call(r, methods, j)
					if inv.Method = methods.List[j].Names[0]; test.model == "versioned-kv" && r.IntN(2) == 0 {
						inv = nextPut(r, state)
					}
					got, ok := state.Clone().Apply(inv)
					if ok {
						state.Apply(inv)
					}
					program += fmt.Sprintf("%v = %v, %v; ", inv, got, ok)
					if want, can := other.apply(inv.Method, inv.Args); ok != can || ok && !got.Equal(want) {
						t.Fatalf("%swant %v, %v", program, want, can)
					}
				}
				k, text := key(state), other.text()
				if before, ok := texts[k]; ok && before != text {
					t.Fatalf("%sone key of %s and %s", program, before, text)
				} else if ok {
					equal++
				}
				if before, ok := keys[text]; ok && before != k {
					t.Fatalf("%stwo keys %q and %q", program, before, k)
				}
				keys[text], texts[k] = k, text
			}
			if t.Logf("%d states, %d pairs with equal keys", len(texts), equal); equal < sequences/20 || len(texts) < 15 {
				t.Error("too few to say much")
			}
		})
	}
}

// nextPut returns a put with the version that a key has, so that versions become large.
func nextPut(r *rand.Rand, state replay.State) replay.Invocation {
	k, version := history.IntValue(int64(r.IntN(2))), history.IntValue(0)
	if now, _ := state.Clone().Apply(replay.Invocation{Method: "get", Args: []history.Value{k}}); now.Kind() == history.List {
		version = now.List()[1]
	}
	return replay.Invocation{Method: "put", Args: []history.Value{k, history.IntValue(int64(r.IntN(3))), version}}
}

// TestLongLog reads every entry of a long log, and of an earlier state of it that went on in
// another way.
func TestLongLog(t *testing.T) {
	const length, earlier = 5000, 1024
	one := &growingLog{}
	var other *growingLog
	for i := range int64(length) {
		if i == earlier {
			other = one.Clone()
		}
		one.append(history.IntValue(i))
		if other != nil {
			other.append(history.IntValue(-i))
		}
	}
	for i := range int64(length) {
		want := i
		if i >= earlier {
			want = -i
		}
		if a, b := one.at(i), other.at(i); a.index != i || a.value.Int() != i || b.index != i || b.value.Int() != want {
			t.Fatalf("entry %d is %v, and %v in the other log", i, a.value, b.value)
		}
	}
	if key(table.Object(logTable, one)) == key(table.Object(logTable, other)) {
		t.Error("one key of two logs")
	}
}

// TestLockTokens compares recorded tokens, with gaps, repetitions and unknown ones, with a
// search for tokens that grow.
func TestLockTokens(t *testing.T) {
	t.Parallel()
	r := newRandom(t)
	s, err := Parse("lock")
	if err != nil {
		t.Fatal(err)
	}
	count := map[bool]int{}
	for range 20_000 {
		walk := replay.NewWalk(s)
		owner, ok, want := int64(-1), true, true
		tokens := []int64{} // of acquisitions; -1 for an unknown one
		program := ""
		for range 1 + r.IntN(10) {
			who := int64(r.IntN(2))
			op := &history.Operation{Method: "tryAcquire", Args: []history.Value{history.IntValue(who)}, Result: history.NullValue, Return: 1}
			switch {
			case r.IntN(2) == 0:
				op.Method, op.Result = "release", history.BoolValue(owner == who)
				if owner == who {
					owner = -1
				}
			case owner < 0:
				owner = who
				token := int64(len(tokens)) + int64(r.IntN(3))
				if op.Result = history.IntValue(token); r.IntN(4) == 0 {
					op.Result, token = history.UnknownValue, -1
				}
				tokens = append(tokens, token)
			}
			program += op.String() + "; "
			if _, ok = walk.Step(op); !ok {
				break
			}
		}
		last := int64(-1)
		for _, token := range tokens {
			if token < 0 {
				token = last + 1
			}
			want = want && token > last
			last = token
		}
		if ok != want {
			t.Fatalf("%sthe model accepts it: %v", program, ok)
		}
		count[ok]++
	}
	if t.Log(count); count[true] < 1000 || count[false] < 1000 {
		t.Error("too few to say much")
	}
}

// TestStorageVersions has what versions of these models say.
func TestStorageVersions(t *testing.T) {
	for _, test := range []struct {
		model, call string
		kind        replay.VersionKind
		version     int64
		part        int
		value       string
	}{
		{"versioned-kv", "get 7 = =[5,3]", replay.SeenVersion, 3, 1, "5"},
		{"versioned-kv", "get 7 = =[null,1]", replay.SeenVersion, 1, 1, "null"},
		{"versioned-kv", "get 7 = null", replay.NoVersion, -1, 0, ""},
		{"versioned-kv", "get 7 = =[5,-1]", replay.SeenVersion, -1, 1, "5"},
		{"versioned-kv", `put 7 "" 0 = "ok"`, replay.NewVersion, 1, 1, `""`},
		{"versioned-kv", `put 7 6 4 = "ok"`, replay.NewVersion, 5, 1, "6"},
		{"versioned-kv", `put 7 6 9223372036854775807 = "ok"`, replay.NewVersion, -1, 1, "6"},
		{"versioned-kv", `put 7 6 4 = "version"`, replay.NoVersion, -1, 0, ""},
		{"versioned-kv", `put 7 6 4 = "no-key"`, replay.NoVersion, -1, 0, ""},
		{"versioned-kv", `put 7 6 4 = blocks`, replay.NoVersion, -1, 0, ""},
		{"log", "append 5 = 0", replay.NewVersion, 0, 0, "5"},
		{"log", "append 5 = blocks", replay.NoVersion, -1, 0, ""},
		{"log", "append 5 = -1", replay.NewVersion, -1, 0, "5"},
		{"log", "length = 0", replay.NoVersion, -1, 0, ""},
		{"log", "tail = 3", replay.SeenVersion, 2, 0, ""},
		{"log", "read 3 = 5", replay.NoVersion, -1, 0, ""},
		{"log", "read 3 = null", replay.NoVersion, -1, 0, ""},
		{"lock", "acquire 1 = 8", replay.NewVersion, 8, 0, ""},
		{"lock", "tryLock 1 = 8", replay.NewVersion, 8, 0, ""},
		{"lock", "tryLock 1 = null", replay.NoVersion, -1, 0, ""},
		{"lock", "release 1 = true", replay.NoVersion, -1, 0, ""},
	} {
		s, err := Parse(test.model)
		if err != nil {
			t.Fatal(err)
		}
		op, err := parseCall(test.call)
		if err != nil {
			t.Fatal(err)
		}
		op.Version = history.VersionOf(99) // recorded beside the result
		use := s.(replay.Versioned).VersionUse(op)
		number, isKnown := use.Version.Number()
		if use.Kind != test.kind || isKnown != (test.version >= 0) || isKnown && number != test.version || use.Part != test.part || use.Value.String() != test.value {
			t.Errorf("%s: %s: %+v", test.model, test.call, use)
		}
	}
}
