package composed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

type value = history.Value

// A collection describes Map, Set or Queue: its operations and its specification.
type collection struct {
	name       string
	fresh      func() replay.State
	operations []operation
	read       string // the operation that returns the value of a key, if there are keys with values
	// list returns the contents of a collection: keys and values in alternation,
	// elements, or values. It may change the state.
	list func(replay.State) []value
	// insert is the operation that inserts an entry that list returns.
	insert string
}

// An operation is one row of the table of a collection.
type operation struct {
	name   string // in the Go interface
	method string // of the specification
	// params says what each argument is: k is a key or an element of a set, v a
	// value to insert, o a value to compare with.
	params string
	// absent and present are the texts of a result that is null, and of one that
	// is not. A %s stands for the result. If absent is empty, %s is the text of
	// all results.
	absent, present string
}

var mapCollection = &collection{
	name:  "map",
	fresh: func() replay.State { return &mapState{} },
	read:  "Load",
	list: func(s replay.State) []value {
		var list []value
		for i, k := range s.(*mapState).keys {
			list = append(list, k, s.(*mapState).values[i])
		}
		return list
	},
	insert: "Store",
	operations: []operation{
		{"Load", "Load", "k", "missing", "%s"},
		{"Store", "Store", "kv", "", ""},
		{"LoadOrStore", "LoadOrStore", "kv", "stored", "loaded %s"},
		{"LoadAndDelete", "LoadAndDelete", "k", "missing", "%s"},
		{"Delete", "Delete", "k", "", ""},
		{"Swap", "Swap", "kv", "missing", "%s"},
		{"CompareAndSwap", "CompareAndSwap", "kov", "", "%s"},
		{"CompareAndDelete", "CompareAndDelete", "ko", "", "%s"},
	},
}

var setCollection = &collection{
	name:  "set",
	fresh: bundled("set"),
	list: func(s replay.State) []value {
		elements, _ := s.Apply(replay.Invocation{Method: "elements"})
		return elements.List()
	},
	insert: "Add",
	operations: []operation{
		{"Add", "add", "k", "", "%s"},
		{"Remove", "remove", "k", "", "%s"},
		{"Contains", "contains", "k", "", "%s"},
		{"Size", "size", "", "", "%s"},
	},
}

var queueCollection = &collection{
	name:  "queue",
	fresh: bundled("queue"),
	list: func(s replay.State) []value {
		var list []value
		for {
			v, _ := s.Apply(replay.Invocation{Method: "dequeue"})
			if v.Kind() == history.Null {
				return list
			}
			list = append(list, v)
		}
	},
	insert: "Enqueue",
	operations: []operation{
		{"Enqueue", "enqueue", "v", "", ""},
		{"Dequeue", "dequeue", "", "empty", "%s"},
		{"Peek", "peek", "", "empty", "%s"},
		{"Size", "size", "", "", "%s"},
	},
}

// bundled returns the constructor of the states of a bundled specification.
func bundled(name string) func() replay.State {
	s, err := spec.Lookup(name, nil)
	if err != nil {
		panic("composed: " + err.Error())
	}
	return func() replay.State { return s.New().(replay.State) }
}

// operation returns the row of an operation.
func (c *collection) operation(name string) *operation {
	i := slices.IndexFunc(c.operations, func(o operation) bool { return o.name == name })
	if i < 0 {
		panic("composed: a " + c.name + " has no operation " + name)
	}
	return &c.operations[i]
}

// apply runs an operation on a state, which it changes.
func (c *collection) apply(s replay.State, inv replay.Invocation) value {
	inv.Method = c.operation(inv.Method).method
	result, ok := s.Apply(inv)
	if !ok {
		panic("composed: " + inv.Method + " waits") // the operations above never do
	}
	return result
}

// filled returns the state of a collection with the given contents, as list returns them.
func (c *collection) filled(list []value) replay.State {
	s := c.fresh()
	for args := range slices.Chunk(list, len(c.operation(c.insert).params)) {
		c.apply(s, replay.Invocation{Method: c.insert, Args: args})
	}
	return s
}

// contents returns the text of contents, as list returns them.
func (c *collection) contents(list []value) string {
	var b strings.Builder
	for i, v := range list {
		switch {
		case i == 0:
		case len(c.operation(c.insert).params) == 2 && i%2 == 1:
			b.WriteString(": ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(valueText(v))
	}
	return "{" + b.String() + "}"
}

// commute reports whether two operations commute in a state.
func (c *collection) commute(s replay.State, a, b replay.Invocation) bool {
	a.Method, b.Method = c.operation(a.Method).method, c.operation(b.Method).method
	return Commute(s, a, b)
}

// Commute reports whether two invocations commute in a state: both orders give
// the same results and states with the same key. An invocation without a
// transition (see replay.Object) has the lack of one as its result. The state must not
// be a replay.Nondeterministic. Commute takes the time of four invocations and two
// copies.
func Commute(s replay.State, a, b replay.Invocation) bool {
	ab, ba := s.Clone(), s.Clone()
	firstA, okA := ab.Apply(a)
	secondB, okB := ab.Apply(b)
	firstB, okFirstB := ba.Apply(b)
	secondA, okSecondA := ba.Apply(a)
	return okA == okSecondA && okB == okFirstB && firstA.Equal(secondA) && firstB.Equal(secondB) &&
		string(ab.AppendKey(nil)) == string(ba.AppendKey(nil))
}

// keys returns the arguments of an operation that are keys; values returns the
// values that it inserts or compares with.
func (c *collection) keys(inv replay.Invocation) []value {
	return c.args(inv, "k")
}

func (c *collection) values(inv replay.Invocation) []value { return c.args(inv, "vo") }

func (c *collection) args(inv replay.Invocation, kinds string) (list []value) {
	for i, kind := range c.operation(inv.Method).params {
		if strings.ContainsRune(kinds, kind) {
			list = append(list, inv.Args[i])
		}
	}
	return list
}

// alphabet returns the operations with all combinations of the given keys, values to
// insert, and values to compare with (olds). It also compares with the value that a key
// has in the state.
func (c *collection) alphabet(s replay.State, keys, values, olds []value, without []string) []replay.Invocation {
	var all []replay.Invocation
	for i := range c.operations {
		o := &c.operations[i]
		if slices.Contains(without, o.name) {
			continue
		}
		calls := []replay.Invocation{{Method: o.name}}
		for _, kind := range o.params {
			var longer []replay.Invocation
			for _, inv := range calls {
				pool := keys
				switch kind {
				case 'v':
					pool = values
				case 'o':
					pool = olds
					if v := c.apply(s.Clone(), replay.Invocation{Method: c.read, Args: inv.Args[:1]}); v.Kind() != history.Null {
						pool = add(slices.Clone(olds), v)
					}
				}
				for _, v := range pool {
					longer = append(longer, replay.Invocation{Method: o.name, Args: append(slices.Clone(inv.Args), v)})
				}
			}
			calls = longer
		}
		all = append(all, calls...)
	}
	return all
}

// add appends each v that is not in the list yet.
func add(list []value, vs ...value) []value {
	for _, v := range vs {
		if !slices.ContainsFunc(list, v.Equal) {
			list = append(list, v)
		}
	}
	return list
}

// callText returns an invocation as in Go.
func callText(inv replay.Invocation) string {
	args := make([]string, len(inv.Args))
	for i, a := range inv.Args {
		args[i] = valueText(a)
	}
	return inv.Method + "(" + strings.Join(args, ", ") + ")"
}

// text returns an invocation with its result.
func (c *collection) text(inv replay.Invocation, result value) string {
	if t := c.resultText(inv, result); t != "" {
		return callText(inv) + ": " + t
	}
	return callText(inv)
}

func (c *collection) resultText(inv replay.Invocation, result value) string {
	o := c.operation(inv.Method)
	switch {
	case result.Kind() == history.Null:
		return o.absent
	case o.present == "":
		return ""
	}
	return fmt.Sprintf(o.present, valueText(result))
}

// A mapState is the state of a Map: the specification of sync.Map's operations.
// Operations that return a value and whether there was one return the value, or
// null if there was none. LoadOrStore returns null if it stored.
type mapState struct {
	keys, values []value // sorted by key
}

func (s *mapState) find(key value) (int, bool) {
	return slices.BinarySearchFunc(s.keys, key, value.Compare)
}

// Apply implements replay.Object.
func (s *mapState) Apply(inv replay.Invocation) (value, bool) {
	key := inv.Args[0]
	i, found := s.find(key)
	old := history.NullValue
	if found {
		old = s.values[i]
	}
	store := func(v value) {
		if found {
			s.values[i] = v
			return
		}
		s.keys, s.values = slices.Insert(s.keys, i, key), slices.Insert(s.values, i, v)
	}
	remove := func() {
		if found {
			s.keys, s.values = slices.Delete(s.keys, i, i+1), slices.Delete(s.values, i, i+1)
		}
	}
	switch inv.Method {
	case "Load":
		return old, true
	case "Store":
		store(inv.Args[1])
		return history.NoValue, true
	case "LoadOrStore":
		if !found {
			store(inv.Args[1])
		}
		return old, true
	case "LoadAndDelete":
		remove()
		return old, true
	case "Delete":
		remove()
		return history.NoValue, true
	case "Swap":
		store(inv.Args[1])
		return old, true
	case "CompareAndSwap":
		same := found && old.Equal(inv.Args[1])
		if same {
			store(inv.Args[2])
		}
		return history.BoolValue(same), true
	case "CompareAndDelete":
		same := found && old.Equal(inv.Args[1])
		if same {
			remove()
		}
		return history.BoolValue(same), true
	}
	panic("composed: a map has no operation " + inv.Method)
}

// Clone implements replay.State.
func (s *mapState) Clone() replay.State {
	return &mapState{slices.Clone(s.keys), slices.Clone(s.values)}
}

// AppendKey implements replay.State.
func (s *mapState) AppendKey(dst []byte) []byte {
	for i := range s.keys {
		dst = s.values[i].AppendKey(s.keys[i].AppendKey(dst))
	}
	return dst
}

// without returns a copy without the keys whose values are missing.
func (s *mapState) without(missing func(value) bool) *mapState {
	t := &mapState{}
	for i, v := range s.values {
		if !missing(v) {
			t.keys, t.values = append(t.keys, s.keys[i]), append(t.values, v)
		}
	}
	return t
}
