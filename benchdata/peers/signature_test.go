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

// value returns a random value of one of the kinds; few different ones, so
// that operations meet.
func value(r *rand.Rand, kinds string) history.Value {
	alternatives := strings.Split(kinds, "|")
	kind := alternatives[r.IntN(len(alternatives))]
	if kind == "null" && r.IntN(4) > 0 {
		kind = alternatives[len(alternatives)-1]
	}
	small := func() history.Value { return history.IntValue(int64(r.IntN(4))) }
	switch kind {
	case "null":
		return history.NullValue
	case "bool":
		return history.BoolValue(r.IntN(2) == 0)
	case "string":
		return history.StringValue(string(rune('a' + r.IntN(2))))
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

// transaction returns what txn of a multi-register takes.
func transaction(r *rand.Rand) history.Value {
	list := make([]history.Value, 1+r.IntN(3))
	for i := range list {
		key := history.IntValue(int64(r.IntN(2)))
		if r.IntN(2) == 0 {
			list[i] = history.ListValue(history.StringValue("r"), key, history.NullValue)
		} else {
			list[i] = history.ListValue(history.StringValue("w"), key, history.IntValue(int64(r.IntN(3))))
		}
	}
	return history.ListValue(list...)
}

// invocation returns a random call with the signature that the specification
// takes, and false if none was found.
func (s signature) invocation(r *rand.Rand, sp replay.Spec) (replay.Invocation, bool) {
	for range 20 {
		inv := replay.Invocation{Method: s.names[r.IntN(len(s.names))]}
		for _, kinds := range s.args {
			v := value(r, kinds)
			if s.names[0] == "txn" {
				v = transaction(r)
			}
			inv.Args = append(inv.Args, v)
		}
		if sp.Check(&history.Operation{Method: inv.Method, Args: inv.Args, Result: history.UnknownValue}) == nil {
			return inv, true
		}
	}
	return replay.Invocation{}, false
}
