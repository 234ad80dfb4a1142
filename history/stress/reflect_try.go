package stress

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// tryTime is how long a call on a fresh object may take.
const tryTime = 200 * time.Millisecond

// returns reports whether f returns, or panics, in time. Otherwise its
// goroutine is left behind.
func returns(f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		f()
	}()
	select {
	case <-done:
		return true
	case <-time.After(tryTime):
		return false
	}
}

// blockedReason is why a method that blocks is left out.
const blockedReason = "blocks"

// blocks reports whether the method does not return on a fresh object. It
// tries twice, as the machine may be busy with something else.
func blocks(c *Class, m *Method) bool {
	args := make([]history.Value, len(m.Params))
	for i, p := range m.Params {
		args[i] = someValue(p, 0)
	}
	once := func() {
		object := c.New()
		m.Prepare(args)(object)
		c.close(object)
	}
	for range 2 {
		if returns(once) {
			return false
		}
	}
	return true
}

// readOnlyPrefixes are the words with which the names of methods begin that
// may well be read-only.
var readOnlyPrefixes = strings.Fields(`All At Available Back Cap Contains Count Empty Entries Exists Find First Front Get
	Has Head Index Is Items Iter Keys Last Len Length List Load Lookup Max Min Peek Permits Query Range Read
	Remaining Size Slice Snapshot State String Sum Tail To Top Total Value Values Weight`)

// looksReadOnly reports whether a name begins with one of the words.
func looksReadOnly(name string) bool {
	return slices.ContainsFunc(readOnlyPrefixes, func(word string) bool {
		rest, ok := strings.CutPrefix(name, word)
		next, _ := utf8.DecodeRuneInString(rest)
		return ok && !unicode.IsLower(next)
	})
}

const (
	readOnlyTrials  = 200
	readOnlyEnough  = 20 // trials that say something
	readOnlyBlocked = 2  // trials that may block before no more are made
)

// staysReadOnly reports whether random trials bear out that m is read-only:
// of three objects that have the same past, m is called on the first, and
// then they have the same future. If the first answers other than the second,
// m has changed it, unless the third does so too.
func staysReadOnly(c *Class, m *Method) bool {
	random := rand.New(rand.NewPCG(1, 1)) // the same trials each time
	enough, blocked := 0, 0
	for range readOnlyTrials {
		past, future := randomCalls(random, c, 6), randomCalls(random, c, 6)
		look := randomCall(random, m)
		var answers [3]string
		ended := returns(func() {
			for i := range answers {
				object := c.New()
				runCalls(object, past)
				if i == 0 {
					runCalls(object, []Call{look, look})
				}
				answers[i] = runCalls(object, future)
				c.close(object)
			}
		})
		switch {
		case !ended:
			if blocked++; blocked == readOnlyBlocked {
				return enough >= readOnlyEnough
			}
		case answers[1] != answers[2]: // it does not answer the same every time
		case answers[0] != answers[1]:
			return false
		default:
			enough++
		}
	}
	return enough >= readOnlyEnough
}

func randomCalls(random *rand.Rand, c *Class, most int) []Call {
	calls := make([]Call, random.IntN(most+1))
	for i := range calls {
		calls[i] = randomCall(random, c.Methods[random.IntN(len(c.Methods))])
	}
	return calls
}

func randomCall(random *rand.Rand, m *Method) Call {
	args := make([]history.Value, len(m.Params))
	for i, p := range m.Params {
		args[i] = someValue(p, random.IntN(3))
	}
	return m.Prepare(args)
}

// runCalls returns a text of what the calls answer, one after another. A
// panic is an answer as well.
func runCalls(object any, calls []Call) string {
	var b strings.Builder
	for _, call := range calls {
		func() {
			defer func() {
				if p := recover(); p != nil {
					fmt.Fprintf(&b, "panic %v;", p)
				}
			}()
			fmt.Fprintf(&b, "%v;", call(object))
		}()
	}
	return b.String()
}

// someValue returns the n-th of three values for a parameter.
func someValue(p Param, n int) history.Value {
	i, next := history.IntValue(int64(n)), history.IntValue(int64((n+1)%3))
	switch p {
	case Text:
		return textValue(fmt.Sprint(n))
	case Bool:
		return history.BoolValue(n%2 == 1)
	case List:
		return history.ListValue([]history.Value{i, next}[:n]...)
	case Texts:
		return history.ListValue([]history.Value{textValue(fmt.Sprint(n)), textValue(fmt.Sprint((n + 1) % 3))}[:n]...)
	case Map:
		pairs, _ := history.MapValue([]history.Value{i, next, next, i}[:2*n]...)
		return pairs
	}
	return i
}
