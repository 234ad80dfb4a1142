package peers_test

import (
	"math/rand/v2"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A signature is a line of spec.Entry.Methods.
type signature struct {
	names  []string
	args   []string // their kinds
	result string
}

// parse reads "remove|delete(key: null|int) -> bool".
func parse(text string) signature {
	var s signature
	names, rest, _ := strings.Cut(text, "(")
	s.names = strings.Split(names, "|")
	args, result, _ := strings.Cut(rest, ")")
	for arg := range strings.SplitSeq(args, ", ") {
		if arg == "" {
			continue
		}
		_, kind, typed := strings.Cut(arg, ": ")
		if !typed {
			kind = "any"
		}
		s.args = append(s.args, kind)
	}
	s.result = strings.TrimPrefix(result, " -> ")
	return s
}

func signatures(name string) []signature {
	var list []signature
	for _, e := range spec.All() {
		if e.Name == name {
			for _, text := range e.Methods {
				list = append(list, parse(text))
			}
		}
	}
	return list
}

// awkward are elements and results that resemble special results ("empty",
// "failed") or one another.
var awkward = []history.Value{
	history.BoolValue(false), history.BoolValue(true), history.NullValue, history.IntValue(0), history.IntValue(-1),
	history.IntValue(1), history.StringValue(""), history.StringValue("a"), history.ListValue(),
	history.ListValue(history.NullValue), history.ListValue(history.IntValue(1), history.IntValue(2)),
}

// elements returns the values used for any value in one history. They are few,
// so that operations interact.
func elements(r *rand.Rand) []history.Value {
	if r.IntN(3) == 0 {
		return []history.Value{history.IntValue(0), history.IntValue(1), history.IntValue(2), history.IntValue(3)}
	}
	var some []history.Value
	for _, i := range r.Perm(len(awkward))[:2+r.IntN(2)] {
		some = append(some, awkward[i])
	}
	return some
}

// value returns a random value of one of the kinds; "any" is one of the
// elements.
func value(r *rand.Rand, kinds string, elements []history.Value) history.Value {
	alternatives := strings.Split(kinds, "|")
	kind := alternatives[r.IntN(len(alternatives))]
	if kind == "null" && r.IntN(4) > 0 {
		kind = alternatives[len(alternatives)-1]
	}
	small := func() history.Value { return history.IntValue(int64(r.IntN(5) - 1)) }
	switch kind {
	case "any":
		return elements[r.IntN(len(elements))]
	case "null":
		return history.NullValue
	case "bool":
		return history.BoolValue(r.IntN(2) == 0)
	case "string":
		return history.StringValue("a"[r.IntN(2):])
	case "list":
		list := make([]history.Value, r.IntN(4))
		for i := range list {
			list[i] = small()
		}
		return history.ListValue(list...)
	case "map":
		var pairs []history.Value
		for key := range int64(3) {
			if r.IntN(2) == 0 {
				pairs = append(pairs, history.IntValue(key), small())
			}
		}
		m, _ := history.MapValue(pairs...)
		return m
	}
	return small()
}

// transaction returns an argument for txn of a multi-register.
func transaction(r *rand.Rand, elements []history.Value) history.Value {
	list := make([]history.Value, 1+r.IntN(3))
	for i := range list {
		key, f, v := history.IntValue(int64(r.IntN(2))), "read", history.NullValue
		switch r.IntN(8) {
		case 0, 1, 2:
			f, v = "write", elements[r.IntN(len(elements))]
		case 3:
			f, v = "append", elements[r.IntN(len(elements))]
		}
		list[i] = history.ListValue(history.StringValue(f), key, v)
	}
	return history.ListValue(list...)
}

// etcdList returns the compares of a transaction of etcd, or a list of its steps.
func etcdList(r *rand.Rand, elements []history.Value, compares bool) history.Value {
	list := make([]history.Value, r.IntN(3))
	for i := range list {
		key, element, text := history.StringValue("a"[r.IntN(2):]), elements[r.IntN(len(elements))], history.StringValue
		choices := [][]history.Value{{text("put"), key, element}, {text("delete"), key}, {text("get"), key}}
		if compares {
			choices = [][]history.Value{{text("value"), key, element}, {text("version"), key, history.IntValue(int64(r.IntN(3)))}}
		}
		list[i] = history.ListValue(choices[r.IntN(len(choices))]...)
	}
	return history.ListValue(list...)
}

// invocation returns a random call with the signature that the specification
// accepts, or false if it found none.
func (s signature) invocation(r *rand.Rand, sp replay.Spec, elements []history.Value) (replay.Invocation, bool) {
	for range 20 {
		inv := replay.Invocation{Method: s.names[r.IntN(len(s.names))]}
		for i, kinds := range s.args {
			v := value(r, kinds, elements)
			switch {
			case sp.Name() == "etcd" && kinds == "list":
				v = etcdList(r, elements, i == 0)
			case s.names[0] == "txn":
				v = transaction(r, elements)
			}
			inv.Args = append(inv.Args, v)
		}
		if sp.Check(&history.Operation{Method: inv.Method, Args: inv.Args, Result: history.UnknownValue}) == nil {
			return inv, true
		}
	}
	return replay.Invocation{}, false
}
