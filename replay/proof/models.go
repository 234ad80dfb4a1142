package proof

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A state is the state of an object as a list of values. Nothing changes it.
type state = []value

// A model is a sequential object, and what the rules need to know of its operations.
type model struct {
	start state
	// methods has a row per method: NAME=NAMES/KINDS. NAME is used in step and facts; without
	// it, the first of NAMES is. NAMES are those in histories. Each letter of KINDS is an argument: v is
	// any value, e any value but null, i an integer, s a string, p an integer or a string, t a transaction.
	methods []string
	// step returns the next state and the result, which is "" for a method without one. It returns
	// false if the operation has to wait.
	step  func(s state, o *operation) (next state, result value, ok bool)
	facts func(o *operation) facts
	// project returns o without all keys and values but some, or nil if nothing is left of it.
	project func(o operation, has func(value) bool) *operation
}

// facts are what is known of an operation with its result; the package documentation says what for.
type facts struct {
	about []value // keys or values
	reads bool    // it changes nothing
	apart bool    // the presence of other keys or values does not matter to it
}

var models = map[string]func(arg value) *model{
	"register":       newRegister,
	"cas-register":   newRegister,
	"kv":             newKV,
	"set":            func(arg value) *model { return newSet(arg, "elements read/") },
	"multiset":       func(arg value) *model { return newSet(arg, "count/v") },
	"queue":          newQueue,
	"stack":          newStack,
	"deque":          newDeque,
	"priority-queue": newPriorityQueue,
	"counter":        newCounter,
	"mutex":          newMutex,
	"multi-register": newLists,
}

// modelOf returns the model of a specification.
func modelOf(name string, args []value) (*model, error) {
	if made := models[strings.ToLower(name)]; made != nil && len(args) < 2 {
		if m := made(append(slices.Clone(args), "")[0]); m != nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("the model %q, or its arguments, are not among those that certificates have", name)
}

// named returns o with the name of its method here, or an error if the model has no such method.
func (m *model) named(o operation) (operation, error) {
	for _, row := range m.methods {
		names, kinds, _ := strings.Cut(row, "/")
		name, all, isOther := strings.Cut(names, "=")
		if !isOther {
			name, _, _ = strings.Cut(names, " ")
			all = names
		}
		if slices.Contains(strings.Fields(all), o.Method) && len(kinds) == len(o.Args) {
			for i, v := range o.Args {
				if !v.is(kinds[i]) {
					return o, fmt.Errorf("operation %d: certificates have no argument %s of %s", o.Number, v, o.Method)
				}
			}
			if all, ok := steps(o.Result); ok && kinds == "t" {
				o.Result = transaction(all)
			}
			o.name = name
			return o, nil
		}
	}
	return o, fmt.Errorf("operation %d: certificates have no method %s with %d arguments of this model", o.Number, o.Method, len(o.Args))
}

// is reports whether a value can be an argument of a kind; see model.methods.
func (v value) is(kind byte) bool {
	_, isInt := v.int()
	_, isText := v.text()
	_, isTransaction := steps(v)
	return map[byte]bool{'v': true, 'e': v != null, 'i': isInt, 's': isText, 'p': isInt || isText, 't': isTransaction}[kind]
}

// newRegister is a register, whose state is its value. Its initial value is null by default.
func newRegister(initial value) *model {
	if initial == "" {
		initial = null
	}
	return &model{start: state{initial}, methods: []string{"read get load/", "write set put store/v", "cas compareAndSet compare_and_set/vv"},
		step: func(s state, o *operation) (state, value, bool) {
			switch {
			case o.name == "read":
				return s, s[0], true
			case o.name == "write":
				return o.Args, "", true
			case s[0] != o.Args[0]:
				return s, no, true
			}
			return o.Args[1:], yes, true
		},
		facts: func(o *operation) facts {
			switch {
			case o.name == "read" && o.isKnown():
				return facts{about: []value{o.Result}, reads: true, apart: true}
			case o.name == "read" || o.name == "cas" && o.Result == no:
				return facts{reads: true, apart: o.name == "read"}
			}
			return facts{about: o.Args, apart: true}
		}}
}

// newKV is a map. Its state has keys, each followed by its value, in the order of their texts.
func newKV(missing value) *model {
	if missing == "" {
		missing = null
	}
	return &model{
		methods: append([]string{"get read/v", "put write set/vv", "append/vs", "remove/v", "delete/v", "contains containsKey has/v", "cas compareAndSet/vvv"}, sizes...),
		step: func(s state, o *operation) (state, value, bool) {
			if len(o.Args) == 0 {
				return sizeStep(s, len(s)/2, o)
			}
			v, isThere, set := entry(s, o.Args[0])
			if !isThere {
				v = missing
			}
			switch o.name {
			case "put":
				return set(o.Args[1]), "", true
			case "append":
				old, isText := v.text()
				text, _ := o.Args[1].text()
				new, _ := valueOf(old + text)
				return set(new), "", isText || !isThere
			case "remove":
				return set(""), v, true
			case "delete":
				return set(""), "", true
			case "contains":
				return s, truth(isThere), true
			case "cas":
				if v == o.Args[1] {
					return set(o.Args[2]), yes, true
				}
				return s, no, true
			}
			return s, v, true // get
		},
		facts: func(o *operation) facts {
			if len(o.Args) == 0 {
				return sizeFacts(o)
			}
			return facts{about: o.Args[:1], apart: true, reads: o.name == "get" || o.name == "contains" || o.name == "cas" && o.Result == no}
		}}
}

// entry returns the value of a key, and a function that sets it; "" removes it.
func entry(s state, key value) (v value, isThere bool, set func(value) state) {
	at := 0
	for ; at < len(s) && s[at] < key; at += 2 {
	}
	end := at
	if isThere = at < len(s) && s[at] == key; isThere {
		v, end = s[at+1], at+2
	}
	return v, isThere, func(v value) state {
		if v == "" {
			return slices.Concat(s[:at], s[end:])
		}
		return slices.Concat(s[:at], state{key, v}, s[end:])
	}
}

var sizes = []string{"size len length/", "isEmpty is_empty empty/", "clear/"}

// sizeStep performs one of sizes on a collection of n elements.
func sizeStep(s state, n int, o *operation) (next state, result value, ok bool) {
	switch o.name {
	case "size":
		return s, integer(int64(n)), true
	case "isEmpty":
		return s, truth(n == 0), true
	}
	return nil, "", true
}

// sizeFacts are the facts of one of sizes. What is empty remains so without some keys or values.
func sizeFacts(o *operation) facts {
	isClear := o.name == "clear"
	return facts{reads: !isClear, apart: isClear || !o.isKnown() || o.Result == "0" || o.Result == yes}
}

// newSet is a set or, with the method count, a multiset. Its state has the elements in their order.
func newSet(arg value, method string) *model {
	if arg != "" {
		return nil
	}
	isSet := method != "count/v"
	return &model{methods: append([]string{"add insert/p", "remove delete/p", "contains has/p", method}, sizes...),
		step: func(s state, o *operation) (state, value, bool) {
			if o.name == "elements" {
				return s, listOf(s), true
			} else if len(o.Args) == 0 {
				return sizeStep(s, len(s), o)
			}
			at, isThere := slices.BinarySearchFunc(s, o.Args[0], compare)
			switch isAdd := o.name == "add"; {
			case isAdd && !isSet:
				return slices.Insert(slices.Clone(s), at, o.Args[0]), "", true
			case isAdd && !isThere:
				return slices.Insert(slices.Clone(s), at, o.Args[0]), yes, true
			case o.name == "remove" && isThere:
				return slices.Delete(slices.Clone(s), at, at+1), yes, true
			case isAdd, o.name == "remove":
				return s, no, true
			case o.name == "contains":
				return s, truth(isThere), true
			}
			n := int64(0)
			for ; at < len(s) && s[at] == o.Args[0]; at++ {
				n++
			}
			return s, integer(n), true
		},
		facts: func(o *operation) facts {
			if o.name == "elements" {
				list, _ := o.Result.list()
				return facts{about: list, reads: true, apart: true} // since it is projected
			} else if len(o.Args) == 0 {
				return sizeFacts(o)
			}
			return facts{about: o.Args, apart: true, reads: o.name != "add" && o.name != "remove" || o.Result == no}
		},
		project: func(o operation, has func(value) bool) *operation {
			if list, ok := o.Result.list(); ok {
				o.Result = listOf(slices.DeleteFunc(list, func(v value) bool { return !has(v) }))
			}
			return &o
		}}
}

// newQueue is a queue, bounded if arg is its capacity.
func newQueue(arg value) *model {
	capacity, isBounded := arg.int()
	enqueue := "offer=enqueue enq/e"
	if !isBounded {
		capacity, enqueue = math.MaxInt64, "pushBack=enqueue enq/e"
	}
	if arg != "" && capacity < 1 || arg != "" && !isBounded {
		return nil
	}
	return newCollection("", capacity, compare, "offer/e", enqueue, "popFront=dequeue deq poll/", "peekFront=peek front/", "put/e", "take/")
}

func newStack(arg value) *model {
	return newCollection(arg, math.MaxInt64, compare, "pushFront=push/e", "popFront=pop/", "peekFront=peek top/")
}

func newDeque(arg value) *model {
	return newCollection(arg, math.MaxInt64, compare, "pushFront push_front addFirst/e", "pushBack push_back addLast/e", "popFront pop_front pollFirst/",
		"popBack pop_back pollLast/", "peekFront peek_front peekFirst/", "peekBack peek_back peekLast/")
}

// newPriorityQueue has the value that is removed first at the front.
func newPriorityQueue(arg value) *model {
	order := compare
	if arg == `"max"` {
		order = func(a, b value) int { return compare(b, a) }
	}
	if arg == `"max"` || arg == `"min"` {
		arg = ""
	}
	return newCollection(arg, math.MaxInt64, order, "insert add push enqueue enq/p", "popFront=poll pop dequeue deq/", "peekFront=peek top/")
}

// newCollection is a queue, stack, deque or priority queue. Its state has the elements from the
// front to the back. Null cannot be an element.
func newCollection(arg value, capacity int64, order func(a, b value) int, methods ...string) *model {
	if arg != "" {
		return nil
	}
	return &model{methods: append(methods, sizes...),
		step: func(s state, o *operation) (state, value, bool) {
			n := len(s)
			switch hasRoom := int64(n) < capacity; o.name {
			case "offer":
				if !hasRoom {
					return s, no, true
				}
				return append(slices.Clip(s), o.Args...), yes, true
			case "pushBack", "put":
				return append(slices.Clip(s), o.Args...), "", hasRoom
			case "pushFront":
				return append(slices.Clip(o.Args), s...), "", true
			case "insert":
				at, _ := slices.BinarySearchFunc(s, o.Args[0], order)
				return slices.Insert(slices.Clone(s), at, o.Args[0]), "", true
			case "size", "isEmpty", "clear":
				return sizeStep(s, n, o)
			}
			switch {
			case n == 0:
				return s, null, o.name != "take"
			case o.name == "popBack":
				return s[:n-1], s[n-1], true
			case o.name == "peekBack":
				return s, s[n-1], true
			case o.name == "peekFront":
				return s, s[0], true
			}
			return s[1:], s[0], true // popFront and take
		},
		facts: func(o *operation) facts {
			isPeek := strings.HasPrefix(o.name, "peek")
			switch {
			case len(o.Args) == 1 && o.Result == no: // found no room
				return facts{reads: true}
			case len(o.Args) == 1: // if it is open, it finds room or has no effect
				return facts{about: o.Args, apart: capacity == math.MaxInt64 || o.isLoose() || o.isKnown()}
			case o.name == "size" || o.name == "isEmpty" || o.name == "clear":
				return sizeFacts(o)
			case !o.isKnown():
				return facts{reads: isPeek, apart: isPeek || o.isLoose()}
			case o.Result == null:
				return facts{reads: true, apart: true}
			}
			return facts{about: []value{o.Result}, reads: isPeek, apart: true}
		}}
}

// newCounter is an integer of 64 bits.
func newCounter(initial value) *model {
	n, ok := initial.int()
	if initial != "" && !ok {
		return nil
	}
	return &model{start: state{integer(n)},
		methods: []string{"read get value/", "+=increment inc/", "-=decrement dec/", "+=add/i", "set reset/i", "was+=getAndIncrement/", "was-=getAndDecrement/",
			"was+=getAndAdd fetch_add/i", "is+=incrementAndGet/", "is-=decrementAndGet/", "is+=addAndGet/i"},
		step: func(s state, o *operation) (state, value, bool) {
			n, _ := s[0].int()
			by := int64(1)
			if len(o.Args) == 1 {
				by, _ = o.Args[0].int()
			} else if strings.HasSuffix(o.name, "-") {
				by = -1
			}
			next := state{integer(n + by)}
			switch {
			case o.name == "read":
				return s, s[0], true
			case o.name == "set":
				return o.Args, "", true
			case strings.HasPrefix(o.name, "was"):
				return next, s[0], true
			case strings.HasPrefix(o.name, "is"):
				return next, next[0], true
			}
			return next, "", true
		},
		facts: func(o *operation) facts { return facts{reads: o.name == "read"} }}
}

// newMutex is a lock. Its state is whether it is held.
func newMutex(arg value) *model {
	if arg != "" {
		return nil
	}
	return &model{start: state{no}, methods: []string{"lock acquire/", "unlock release/", "tryLock try_lock tryAcquire/", "isLocked is_locked/"},
		step: func(s state, o *operation) (state, value, bool) {
			switch isHeld := s[0] == yes; o.name {
			case "lock":
				return state{yes}, "", !isHeld
			case "unlock":
				return state{no}, "", isHeld
			case "tryLock":
				return state{yes}, truth(!isHeld), true
			}
			return s, s[0], true
		},
		facts: func(o *operation) facts {
			return facts{reads: o.name == "isLocked" || o.name == "tryLock" && o.Result == no}
		}}
}

// steps returns the steps of a transaction, ["read", key, null] or ["append", key, value], or false
// for another value. A read of an empty list has null.
func steps(v value) (all []state, ok bool) {
	list, ok := v.list()
	for _, s := range list {
		step, _ := s.list()
		if len(step) != 3 || step[0] != `"read"` && step[0] != `"append"` {
			return nil, false
		}
		if step[0] == `"read"` && step[2] == "[]" {
			step[2] = null
		}
		all = append(all, step)
	}
	return all, ok
}

func transaction(all []state) value {
	list := make(state, len(all))
	for i, step := range all {
		list[i] = listOf(step)
	}
	return listOf(list)
}

// newLists is lists under keys. Its state has keys, each followed by its list, in the order of their
// texts. An empty list is null or [].
func newLists(empty value) *model {
	if empty != "" && empty != null && empty != "[]" {
		return nil
	}
	return &model{methods: []string{"txn/t"},
		step: func(s state, o *operation) (state, value, bool) {
			all, _ := steps(o.Args[0])
			for _, step := range all {
				now, isThere, set := entry(s, step[1])
				switch {
				case step[0] == `"append"`:
					list, _ := now.list()
					s = set(listOf(append(list, step[2])))
				case isThere:
					step[2] = now
				default:
					step[2] = null
				}
			}
			return s, transaction(all), true
		},
		facts: func(o *operation) facts {
			f := facts{apart: true, reads: true}
			all, _ := steps(o.Args[0])
			for _, step := range all {
				f.about, f.reads = append(f.about, step[1]), f.reads && step[0] == `"read"`
			}
			return f
		},
		project: func(o operation, has func(value) bool) *operation {
			isOther := func(step state) bool { return !has(step[1]) }
			args, _ := steps(o.Args[0])
			if args = slices.DeleteFunc(args, isOther); len(args) == 0 {
				return nil
			}
			o.Args = state{transaction(args)}
			if result, ok := steps(o.Result); ok {
				o.Result = transaction(slices.DeleteFunc(result, isOther))
			}
			return &o
		}}
}
