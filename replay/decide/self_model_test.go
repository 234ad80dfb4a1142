package decide_test

import (
	"math/rand/v2"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An answer is a result in the models: a number >= 0, or one of these.
type answer int8

const (
	unseen answer = -1 - iota // returned, but the result is unknown
	void
	null
	yes
	no
)

func (a answer) value() history.Value {
	switch a {
	case unseen:
		return history.UnknownValue
	case void:
		return history.NoValue
	case null:
		return history.NullValue
	case yes, no:
		return history.BoolValue(a == yes)
	}
	return history.IntValue(int64(a))
}

// A call is a method with its arguments and recorded result.
type call struct {
	method string
	a, b   int8 // arguments; 0 where there is none
	answer answer

	op int8 // the method in the model
	// twin is the number in its list of the call with values 1 and 2 exchanged.
	twin int
}

// with returns the call with another result.
func (c call) with(a answer) call {
	c.answer = a
	return c
}

// outcomes are the possible transitions of a model: two at most.
type outcomes struct {
	n      int
	answer [2]answer
	next   [2]uint64
}

func one(a answer, next uint64) outcomes {
	return outcomes{1, [2]answer{a}, [2]uint64{next}}
}

func truth(b bool) answer {
	if b {
		return yes
	}
	return no
}

// A kind is a type of object under test.
type kind struct {
	name    string
	spec    replay.Spec
	args    []history.Value // of the specification
	initial uint64
	step    func(s uint64, c *call) outcomes
	// returned are the calls with results, pending those without.
	returned, pending []call
	// symmetric is true if exchanging values 1 and 2 makes no difference to the
	// model.
	symmetric bool
	elements  valueKind
}

// valueKind selects what values 1 and 2 of a model can be in a history.
type valueKind uint8

const (
	numbers  valueKind = iota // themselves
	distinct                  // any two of awkwardValues
	sorted                    // ints or strings, in ascending order
	initial                   // like distinct; the object holds null at first
	byKey                     // like distinct; the first argument is a key
)

// awkwardValues are values that an engine could confuse with special results
// ("empty", "failed") or with one another.
var awkwardValues = []history.Value{
	history.BoolValue(false), history.BoolValue(true), history.NullValue, history.IntValue(0), history.IntValue(-1),
	history.IntValue(1), history.IntValue(2), history.StringValue(""), history.StringValue("a"),
	history.ListValue(), history.ListValue(history.NullValue), history.ListValue(history.IntValue(1), history.IntValue(2)),
}

// pair returns two different awkwardValues values.
func pair(r *rand.Rand) (x, y history.Value) {
	i, j := r.IntN(len(awkwardValues)), r.IntN(len(awkwardValues)-1)
	if j >= i {
		j++
	}
	return awkwardValues[i], awkwardValues[j]
}

// sortedPair returns two ints or strings in ascending order.
func sortedPair(r *rand.Rand) (x, y history.Value) {
	for {
		x, y = pair(r)
		if isScalar(x) && isScalar(y) {
			if x.Compare(y) > 0 {
				x, y = y, x
			}
			return x, y
		}
	}
}

func isScalar(v history.Value) bool { return v.Kind() == history.Int || v.Kind() == history.String }

// Numbers of the methods in the models.
const (
	get int8 = iota
	put
	swap
	take
	has
	size
	putFront
	takeBack
)

func stepRegister(s uint64, c *call) outcomes {
	switch c.op {
	case put:
		return one(void, uint64(c.a))
	case swap:
		if s == uint64(c.a) {
			return one(yes, uint64(c.b))
		}
		return one(no, s)
	}
	return one(orNull(s), s)
}

// orNull returns the answer of an object that holds s, or null if s is 0.
func orNull(s uint64) answer {
	if s == 0 {
		return null
	}
	return answer(s)
}

// A sequence of values is a number in base 4, with the first value as its last
// digit. No digit is 0, so the number of digits is determined.

func length(s uint64) int {
	n := 0
	for ; s != 0; s >>= 2 {
		n++
	}
	return n
}

func appended(s uint64, v int8) uint64 { return s | uint64(v)<<(2*length(s)) }

func stepQueue(s uint64, c *call) outcomes {
	if c.op == put {
		return one(void, appended(s, c.a))
	}
	return one(orNull(s&3), s>>2)
}

func stepStack(s uint64, c *call) outcomes {
	if c.op == put {
		return one(void, s<<2|uint64(c.a))
	}
	return one(orNull(s&3), s>>2)
}

// The front of stepDeque is where stepQueue dequeues.
func stepDeque(s uint64, c *call) outcomes {
	switch {
	case c.op == put:
		return one(void, appended(s, c.a))
	case c.op == putFront:
		return one(void, s<<2|uint64(c.a))
	case c.op == takeBack && s != 0:
		last := 2 * (length(s) - 1)
		return one(answer(s>>last), s&^(3<<last))
	}
	return one(orNull(s&3), s>>2)
}

// accepting returns step with methods that return true where they returned nothing.
func accepting(step func(uint64, *call) outcomes) func(uint64, *call) outcomes {
	return func(s uint64, c *call) outcomes {
		o := step(s, c)
		if o.answer[0] == void {
			o.answer[0] = yes
		}
		return o
	}
}

// stepBounded is a queue of capacity two: put may fail, take waits.
func stepBounded(s uint64, c *call) outcomes {
	switch {
	case c.op == put && length(s) == 2:
		return one(no, s)
	case c.op == put:
		return one(yes, appended(s, c.a))
	case c.op == take && s == 0:
		return outcomes{}
	case c.op == size:
		return one(answer(length(s)), s)
	}
	return one(answer(s&3), s>>2)
}

// stepFlaky is a queue that may reject a put although it has room, and may
// return "empty" although it is not empty.
func stepFlaky(s uint64, c *call) outcomes {
	if c.op == put {
		return outcomes{2, [2]answer{yes, no}, [2]uint64{appended(s, c.a), s}}
	}
	if s == 0 {
		return one(null, s)
	}
	return outcomes{2, [2]answer{null, answer(s & 3)}, [2]uint64{s, s >> 2}}
}

func stepSet(s uint64, c *call) outcomes {
	bit := uint64(1) << c.a
	switch c.op {
	case put:
		return one(truth(s&bit == 0), s|bit)
	case take:
		return one(truth(s&bit != 0), s&^bit)
	}
	return one(truth(s&bit != 0), s)
}

// stepMultiset has the number of ones in the low half word and of twos in the
// high.
func stepMultiset(s uint64, c *call) outcomes {
	unit := uint64(1) << (16 * (c.a - 1))
	count := s / unit & 0xffff
	switch {
	case c.op == put:
		return one(void, s+unit)
	case c.op == take && count > 0:
		return one(yes, s-unit)
	case c.op == take:
		return one(no, s)
	case c.op == size:
		return one(answer(count), s)
	}
	return one(truth(count > 0), s)
}

func stepCounter(s uint64, c *call) outcomes {
	switch c.op {
	case put:
		return one(void, s+1)
	case swap:
		return one(answer(s), s+1)
	}
	return one(answer(s), s)
}

func stepMutex(s uint64, c *call) outcomes {
	switch {
	case c.op == swap:
		return one(truth(s == 0), 1)
	case c.op == put && s == 0:
		return one(void, 1)
	case c.op == take && s == 1:
		return one(void, 0)
	}
	return outcomes{}
}

// stepKV has two digits in base 4, the values of keys 1 and 2.
func stepKV(s uint64, c *call) outcomes {
	if c.op == size {
		n := answer(0)
		if s&3 != 0 {
			n++
		}
		if s>>2 != 0 {
			n++
		}
		return one(n, s)
	}
	at := 2 * (c.a - 1)
	held := s >> at & 3
	empty := s &^ (3 << at)
	switch c.op {
	case put:
		return one(void, empty|uint64(c.b)<<at)
	case take:
		return one(orNull(held), empty)
	}
	return one(orNull(held), s)
}

// stepPriority counts ones in the low half and twos in the high half.
func stepPriority(s uint64, c *call) outcomes {
	weight := [3]uint64{0, 1, 1 << 16}
	switch {
	case c.op == put:
		return one(void, s+weight[c.a])
	case s == 0:
		return one(null, 0)
	case s&0xffff != 0:
		return one(1, s-weight[1])
	}
	return one(2, s-weight[2])
}
