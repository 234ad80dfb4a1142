package jepsen

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A dialect translates between the operations of Jepsen and similar tools and the
// methods, arguments and results of one specification. Such an operation has a word
// :f and one :value, which is the argument in the invocation and the result in the
// completion.
type dialect struct {
	model string
	args  []history.Value
	words []word
	keyed bool // operations have a :key of their own
	pairs bool // :value is [key value]
	// when reports whether a history with these words has this dialect; nil
	// means that it always has.
	when func(events *wordEvents) bool
}

// A word is one :f of a dialect.
type word struct {
	f       string
	aliases []string // other spellings of f
	shape   shape
	method  string
}

// A shape says where the argument and the result of a method are.
type shape uint8

const (
	blind    shape = iota // :value is the argument; no result
	silent                // as blind, but the method has a result, which was not recorded
	plain                 // neither argument nor result
	answer                // no argument; :value of the completion is the result
	listing               // as answer, but the order of the list does not matter
	compare               // :value is [old new]; what completed was true
	transact              // :value is a list of [f key value]; that of the completion has the values read
)

// asks reports whether the method has no argument.
func (s shape) asks() bool { return s == plain || s == answer || s == listing }

var keyValueWords = []word{
	{f: "get", aliases: []string{"read"}, shape: answer, method: "get"},
	{f: "put", aliases: []string{"write"}, shape: blind, method: "put"},
	{f: "append", shape: blind, method: "append"},
	{f: "delete", shape: plain, method: "delete"},
	{f: "cas", shape: compare, method: "cas"},
}

var independentWords = []word{
	{f: "read", shape: answer, method: "get"},
	{f: "write", shape: blind, method: "put"},
	{f: "cas", shape: compare, method: "cas"},
}

var stackWords = []word{
	{f: "push", shape: blind, method: "push"},
	{f: "pop", shape: answer, method: "pop"},
	{f: "peek", shape: answer, method: "peek"},
}

var heapWords = []word{
	{f: "insert", shape: blind, method: "insert"},
	{f: "poll", shape: answer, method: "poll"},
	{f: "peek", shape: answer, method: "peek"},
}

var dequeWords = []word{
	{f: "push-front", aliases: []string{"push_front"}, shape: blind, method: "pushFront"},
	{f: "push-back", aliases: []string{"push_back"}, shape: blind, method: "pushBack"},
	{f: "pop-front", aliases: []string{"pop_front"}, shape: answer, method: "popFront"},
	{f: "pop-back", aliases: []string{"pop_back"}, shape: answer, method: "popBack"},
	{f: "peek-front", aliases: []string{"peek_front"}, shape: answer, method: "peekFront"},
	{f: "peek-back", aliases: []string{"peek_back"}, shape: answer, method: "peekBack"},
}

// dialects are tried in this order.
var dialects = []dialect{
	// Micro-operations, whatever the transactions are called.
	{model: "multi-register", when: transactions, words: []word{
		{f: "txn", aliases: []string{"read", "write", "append", "r", "w"}, shape: transact, method: "txn"}}},
	// The value of a missing key is nil, or else "".
	{model: "kv", keyed: true, words: keyValueWords, when: readsNull},
	{model: "kv", keyed: true, words: keyValueWords, args: []history.Value{history.StringValue("")}},
	// Jepsen's independent registers.
	{model: "kv", pairs: true, when: independent, words: independentWords},
	{model: "cas-register", words: []word{
		{f: "read", shape: answer, method: "read"},
		{f: "write", shape: blind, method: "write"},
		{f: "cas", shape: compare, method: "cas"},
	}},
	// Sets and counters both have add and read.
	{model: "counter", when: readsNumbers, words: []word{
		{f: "add", shape: blind, method: "add"},
		{f: "read", shape: answer, method: "read"},
	}},
	{model: "set", words: []word{
		{f: "add", shape: silent, method: "add"},
		{f: "remove", shape: silent, method: "remove"},
		{f: "read", shape: listing, method: "elements"},
	}},
	{model: "multi-register", words: []word{{f: "txn", shape: transact, method: "txn"}}},
	{model: "queue", words: []word{
		{f: "enqueue", aliases: []string{"enq"}, shape: blind, method: "enqueue"},
		{f: "dequeue", aliases: []string{"deq"}, shape: answer, method: "dequeue"},
	}},
	{model: "stack", words: stackWords},
	{model: "mutex", words: []word{
		{f: "acquire", aliases: []string{"lock"}, shape: plain, method: "lock"},
		{f: "release", aliases: []string{"unlock"}, shape: plain, method: "unlock"},
	}},
	{model: "priority-queue", words: heapWords},
	{model: "deque", words: dequeWords},
}

// find returns the word that is spelled f, or nil.
func (d *dialect) find(f string) *word { return findWord(d.words, f) }

func findWord(words []word, f string) *word {
	for i := range words {
		if w := &words[i]; isWord(f, w.f) || isWord(f, w.aliases...) {
			return w
		}
	}
	return nil
}

// isWord reports whether f is one of words, ignoring case.
func isWord(f string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, f) })
}

// covers reports whether the dialect has all the words of events.
func (d *dialect) covers(events *wordEvents) bool {
	for name, n := range events.invoked {
		if n > 0 && d.find(events.names[name]) == nil {
			return false
		}
	}
	return true
}

// transactions reports whether the values of all invocations are lists of micro-operations.
func transactions(events *wordEvents) bool {
	for i := range events.n {
		ev := events.packed(i)
		if ev.typ != history.Invoke {
			continue
		}
		v, ok := transaction(ev.whole(), false)
		if !ok || len(v.List()) == 0 || slices.ContainsFunc(v.List(), func(micro history.Value) bool {
			return !isWord(micro.List()[0].Text(), "read", "write", "append")
		}) {
			return false
		}
	}
	return events.invocations > 0
}

// readsNull reports whether a get returns nil, or a cas expects it.
func readsNull(events *wordEvents) bool {
	if events.returns(history.Null, "get", "read") {
		return true
	}
	for i := range events.n {
		p := events.packed(i)
		if old, _, ok := p.pair(); ok && old.Kind() == history.Null && isWord(events.names[p.f], "cas") {
			return true
		}
	}
	return false
}

// readsNumbers reports whether a history with add and read is one of a counter and not
// of a set.
func readsNumbers(events *wordEvents) bool { return events.returns(history.Int, "read") }

// independent reports whether all values are pairs [key value] of independent
// registers. Only reads and cas distinguish them from registers that hold pairs: a
// read is invoked with [key nil], and a cas with [key [old new]]. On a register that
// holds pairs, a cas from one pair to another would have a key that is a pair.
func independent(events *wordEvents) bool {
	words := make([]*word, len(events.names))
	for i, name := range events.names {
		words[i] = findWord(independentWords, name)
	}
	sure := false
	for i := range events.n {
		ev := events.packed(i)
		if ev.typ != history.Invoke {
			continue
		}
		key, second, ok := ev.pair()
		if !ok || words[ev.f] == nil {
			return false
		}
		switch words[ev.f].shape {
		case answer:
			if second.Kind() != history.Null {
				return false
			}
			sure = true
		case compare:
			if second.Kind() != history.List || len(second.List()) != 2 || key.Kind() == history.List || key.Kind() == history.Null {
				return false
			}
			sure = true
		}
	}
	return sure
}
