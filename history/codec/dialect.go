package codec

import (
	"slices"

	"github.com/leadline/leadline/history"
)

// Jepsen and its kin say what an operation does by a word :f and one :value,
// which is the argument in the invocation and the answer in the completion. A
// dialect turns those into the methods, arguments and results of one
// specification, and back.
type dialect struct {
	model string
	args  []history.Value
	words []word
}

// A word is one :f of a dialect.
type word struct {
	f       string
	aliases []string // other spellings of f
	shape   shape
	method  string
	// synonyms are other names of the method in the specification, which a
	// history to be written may have.
	synonyms []string
}

// A shape says where the argument and the result of a method are.
type shape uint8

const (
	blind    shape = iota // :value is the argument; no result
	silent                // as blind, but the method has a result, which nobody recorded
	plain                 // neither argument nor result
	answer                // no argument; :value of the completion is the result
	listing               // as answer, but the order of the list does not matter
	compare               // :value is [old new]; what completed was true
	transact              // :value is a list of [f key value]; that of the completion has the values read
)

// The dialects, in the order in which they are tried: that of a history is
// the first which has all its words.
var (
	registerDialect = dialect{model: "cas-register", words: []word{
		{f: "read", shape: answer, method: "read", synonyms: []string{"get", "load"}},
		{f: "write", shape: blind, method: "write", synonyms: []string{"set", "put", "store"}},
		{f: "cas", shape: compare, method: "cas", synonyms: []string{"compareAndSet", "compare_and_set"}},
	}}
	keyValueWords = []word{
		{f: "get", aliases: []string{"read"}, shape: answer, method: "get", synonyms: []string{"read"}},
		{f: "put", aliases: []string{"write"}, shape: blind, method: "put", synonyms: []string{"write", "set"}},
		{f: "append", shape: blind, method: "append"},
		{f: "delete", shape: plain, method: "delete"},
		{f: "cas", shape: compare, method: "cas", synonyms: []string{"compareAndSet"}},
	}
	// keyValueDialect is that of operations with a :key of their own.
	keyValueDialect = dialect{model: "kv", args: []history.Value{history.StringValue("")}, words: keyValueWords}
	// independentDialect is that of Jepsen's independent registers, where
	// :value is [key value].
	independentDialect = dialect{model: "kv", words: []word{
		{f: "read", shape: answer, method: "get", synonyms: []string{"read"}},
		{f: "write", shape: blind, method: "put", synonyms: []string{"write", "set"}},
		{f: "cas", shape: compare, method: "cas", synonyms: []string{"compareAndSet"}},
	}}
	setDialect = dialect{model: "set", words: []word{
		{f: "add", shape: silent, method: "add", synonyms: []string{"insert"}},
		{f: "remove", shape: silent, method: "remove", synonyms: []string{"delete"}},
		{f: "read", shape: listing, method: "elements", synonyms: []string{"read"}},
	}}
	counterDialect = dialect{model: "counter", words: []word{
		{f: "add", shape: blind, method: "add"},
		{f: "read", shape: answer, method: "read", synonyms: []string{"get", "value"}},
	}}
	otherDialects = []dialect{
		{model: "multi-register", words: []word{{f: "txn", shape: transact, method: "txn"}}},
		{model: "queue", words: []word{
			{f: "enqueue", aliases: []string{"enq"}, shape: blind, method: "enqueue", synonyms: []string{"enq"}},
			{f: "dequeue", aliases: []string{"deq"}, shape: answer, method: "dequeue", synonyms: []string{"deq", "poll"}},
		}},
		{model: "stack", words: []word{
			{f: "push", shape: blind, method: "push"},
			{f: "pop", shape: answer, method: "pop"},
			{f: "peek", shape: answer, method: "peek", synonyms: []string{"top"}},
		}},
		{model: "mutex", words: []word{
			{f: "acquire", aliases: []string{"lock"}, shape: plain, method: "lock", synonyms: []string{"acquire"}},
			{f: "release", aliases: []string{"unlock"}, shape: plain, method: "unlock", synonyms: []string{"release"}},
		}},
		{model: "priority-queue", words: []word{
			{f: "insert", shape: blind, method: "insert", synonyms: []string{"add", "push", "enqueue", "enq"}},
			{f: "poll", shape: answer, method: "poll", synonyms: []string{"pop", "dequeue", "deq"}},
			{f: "peek", shape: answer, method: "peek", synonyms: []string{"top"}},
		}},
		{model: "deque", words: []word{
			{f: "push-front", aliases: []string{"push_front"}, shape: blind, method: "pushFront", synonyms: []string{"push_front", "addFirst"}},
			{f: "push-back", aliases: []string{"push_back"}, shape: blind, method: "pushBack", synonyms: []string{"push_back", "addLast"}},
			{f: "pop-front", aliases: []string{"pop_front"}, shape: answer, method: "popFront", synonyms: []string{"pop_front", "pollFirst"}},
			{f: "pop-back", aliases: []string{"pop_back"}, shape: answer, method: "popBack", synonyms: []string{"pop_back", "pollLast"}},
			{f: "peek-front", aliases: []string{"peek_front"}, shape: answer, method: "peekFront", synonyms: []string{"peek_front", "peekFirst"}},
			{f: "peek-back", aliases: []string{"peek_back"}, shape: answer, method: "peekBack", synonyms: []string{"peek_back", "peekLast"}},
		}},
	}
)

// find returns the word that is spelled f, or nil.
func (d *dialect) find(f string) *word {
	for i := range d.words {
		if w := &d.words[i]; w.f == f || slices.Contains(w.aliases, f) {
			return w
		}
	}
	return nil
}

// forMethod returns the word for a method, or nil.
func (d *dialect) forMethod(method string) *word {
	for i := range d.words {
		if w := &d.words[i]; w.method == method || slices.Contains(w.synonyms, method) {
			return w
		}
	}
	return nil
}

// covers reports whether the dialect has all the words of events.
func (d *dialect) covers(events []wordEvent) bool {
	for i := range events {
		if events[i].typ == history.Invoke && d.find(events[i].f) == nil {
			return false
		}
	}
	return true
}

// dialectOf returns the dialect of a history without keys, or nil where its
// words are those of none.
func dialectOf(events []wordEvent) *dialect {
	if independent(events) {
		return &independentDialect
	}
	if registerDialect.covers(events) {
		return &registerDialect
	}
	if setDialect.covers(events) && !(counterDialect.covers(events) && readsNumbers(events)) {
		return &setDialect
	}
	if counterDialect.covers(events) {
		return &counterDialect
	}
	for i := range otherDialects {
		if otherDialects[i].covers(events) {
			return &otherDialects[i]
		}
	}
	return nil
}

// readsNumbers tells counters from sets: both have add and read.
func readsNumbers(events []wordEvent) bool {
	return slices.ContainsFunc(events, func(ev wordEvent) bool {
		return ev.typ == history.OK && ev.f == "read" && ev.value.Kind() == history.Int
	})
}

// independent reports whether all values are pairs [key value] of independent
// registers. Only reads and cas tell them from registers that hold pairs: a
// read's invocation is [key nil], and a cas has [key [old new]].
func independent(events []wordEvent) bool {
	sure := false
	for i := range events {
		ev := &events[i]
		if ev.typ != history.Invoke {
			continue
		}
		pair := ev.value.List()
		if ev.value.Kind() != history.List || len(pair) != 2 {
			return false
		}
		switch ev.f {
		case "read":
			if pair[1].Kind() != history.Null {
				return false
			}
			sure = true
		case "cas":
			if pair[1].Kind() != history.List || len(pair[1].List()) != 2 {
				return false
			}
			sure = true
		case "write":
		default:
			return false
		}
	}
	return sure
}
