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

// A collection describes Map, Set or Queue: its operations, and the bundled
// specification that has its states.
type collection struct {
	name       string
	spec       string
	operations []operation
	insert     string // the operation that inserts a value unconditionally
	// list returns the contents of a collection: keys and values in alternation,
	// elements, or values. It may change the state. keys are all keys that may be in
	// the state, in order.
	list func(s state, keys []value) []value
}

// An operation is one row of the table of a collection.
type operation struct {
	name string
	// params says what each argument is: k is a key or an element of a set, v a
	// value to insert, o a value to compare with. The arguments of allKeys are all keys that
	// may be in the collection; the environment does not run it.
	params string
	effect func(s state, args []value) value
	// absent and present are the texts of a result that is null, and of one that
	// is not. A %s stands for the result. If absent is empty, %s is the text of
	// all results.
	absent, present string
	// writes reports whether the operation wrote, for a checker of conflicts.
	writes func(result value) bool
}

func always(value) bool      { return true }
func never(value) bool       { return false }
func ifMissing(v value) bool { return v.Kind() == history.Null }
func ifFound(v value) bool   { return v.Kind() != history.Null }
func ifTrue(v value) bool    { return v.Bool() }

const allKeys = "*"

// mapCollection has the operations of sync.Map. Those that return a value and whether
// there was one return the value, or null if there was none. LoadOrStore returns null
// if it stored.
var mapCollection = &collection{
	name:   "map",
	spec:   "kv",
	insert: "Store",
	list: func(s state, keys []value) []value {
		var list []value
		for _, k := range keys {
			if v := s.do("get", k); v.Kind() != history.Null {
				list = append(list, k, v)
			}
		}
		return list
	},
	operations: []operation{
		{"Load", "k", method("get"), "missing", "%s", never},
		{"Store", "kv", method("put"), "", "", always},
		{"LoadOrStore", "kv", func(s state, args []value) value {
			old := s.do("get", args[0])
			if old.Kind() == history.Null {
				s.do("put", args...)
			}
			return old
		}, "stored", "loaded %s", ifMissing},
		{"LoadAndDelete", "k", method("remove"), "missing", "%s", ifFound},
		{"Delete", "k", method("delete"), "", "", always},
		{"Swap", "kv", func(s state, args []value) value {
			old := s.do("get", args[0])
			s.do("put", args...)
			return old
		}, "missing", "%s", always},
		{"CompareAndSwap", "kov", method("cas"), "", "%s", ifTrue},
		{"CompareAndDelete", "ko", func(s state, args []value) value {
			same := s.do("get", args[0]).Equal(args[1])
			if same {
				s.do("delete", args[0])
			}
			return history.BoolValue(same)
		}, "", "%s", ifTrue},
		{"Range", allKeys, func(s state, args []value) value { // where a Range begins; Loads follow
			var all []value
			for _, k := range args {
				all = append(all, s.do("get", k))
			}
			return history.ListValue(all...)
		}, "", "", never},
		{"Clear", allKeys, func(s state, args []value) value {
			for _, k := range args {
				s.do("delete", k)
			}
			return history.NoValue
		}, "", "", always},
	},
}

var setCollection = &collection{
	name:   "set",
	spec:   "set",
	insert: "Add",
	list:   func(s state, _ []value) []value { return s.do("elements").List() },
	operations: []operation{
		{"Add", "k", method("add"), "", "%s", ifTrue},
		{"Remove", "k", method("remove"), "", "%s", ifTrue},
		{"Contains", "k", method("contains"), "", "%s", never},
		{"Size", "", method("size"), "", "%s", never},
	},
}

var queueCollection = &collection{
	name:   "queue",
	spec:   "queue",
	insert: "Enqueue",
	list: func(s state, _ []value) []value {
		var list []value
		for {
			v := s.do("dequeue")
			if v.Kind() == history.Null {
				return list
			}
			list = append(list, v)
		}
	},
	operations: []operation{
		{"Enqueue", "v", method("enqueue"), "", "", always},
		{"Dequeue", "", method("dequeue"), "empty", "%s", ifFound},
		{"Peek", "", method("peek"), "empty", "%s", never},
		{"Size", "", method("size"), "", "%s", never},
	},
}

// A state is a state of the specification.
type state struct{ replay.State }

// method returns the effect of an operation that the specification has, too.
func method(name string) func(state, []value) value {
	return func(s state, args []value) value { return s.do(name, args...) }
}

// do calls a method of the specification.
func (s state) do(method string, args ...value) value {
	result, ok := s.Apply(replay.Invocation{Method: method, Args: args})
	if !ok {
		panic("composed: " + method + " waits") // those of the tables never do
	}
	return result
}

func (s state) clone() state { return state{s.Clone()} }

// fresh returns a function that returns the state of an empty collection.
func (c *collection) fresh() func() state {
	s, err := spec.Lookup(c.spec, nil)
	if err != nil {
		panic("composed: " + err.Error())
	}
	return func() state { return state{s.New().(replay.State)} }
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
func (c *collection) apply(s state, inv replay.Invocation) value {
	return c.operation(inv.Method).effect(s, inv.Args)
}

// commute reports whether two operations commute in a state: both orders give the same
// results and the same state.
func (c *collection) commute(s state, a, b replay.Invocation) bool {
	ab, ba := s.clone(), s.clone()
	firstA, secondB := c.apply(ab, a), c.apply(ab, b)
	firstB, secondA := c.apply(ba, b), c.apply(ba, a)
	return firstA.Equal(secondA) && firstB.Equal(secondB) && string(ab.AppendKey(nil)) == string(ba.AppendKey(nil))
}

// args returns the arguments of an operation whose kinds, as in operation.params, are among
// the given ones.
func (c *collection) args(inv replay.Invocation, kinds string) (list []value) {
	params := c.operation(inv.Method).params
	if params == allKeys {
		params = strings.Repeat("k", len(inv.Args))
	}
	for i, kind := range params {
		if strings.ContainsRune(kinds, kind) {
			list = append(list, inv.Args[i])
		}
	}
	return list
}

// alphabet returns the operations with all combinations of the given keys, values to
// insert, and values to compare with (olds). It also compares with the value that a key
// has in the state.
func (c *collection) alphabet(s state, keys, values, olds []value, without []string) []replay.Invocation {
	var all []replay.Invocation
	for i := range c.operations {
		o := &c.operations[i]
		if o.params == allKeys || slices.Contains(without, o.name) {
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
					if v := s.do("get", inv.Args[0]); v.Kind() != history.Null {
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

func same(a, b replay.Invocation) bool {
	return a.Method == b.Method && slices.EqualFunc(a.Args, b.Args, value.Equal)
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
	if c.operation(inv.Method).params == allKeys {
		inv.Args = nil
	}
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

// contents returns the text of contents, as list returns them.
func (c *collection) contents(list []value) string {
	var b strings.Builder
	for i, v := range list {
		switch {
		case i == 0:
		case c == mapCollection && i%2 == 1:
			b.WriteString(": ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(valueText(v))
	}
	return "{" + b.String() + "}"
}
