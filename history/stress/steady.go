package stress

import (
	"math/rand/v2"
	"slices"
	"time"
)

// An outcome that came once in n executions is not a sequential one if it does not come in
// steadyRuns times n sequential runs. There are at least steadyLeast of them, unless they take
// longer than steadyTime: then the outcome may be either.
const (
	steadyRuns  = 20
	steadyLeast = 20000
)

var steadyTime = 20 * time.Second

// isSteady makes least sequential runs of a program or more. It reports whether each order
// always has the same outcome, and whether the time was enough for so many.
func (x *threads) isSteady(p *Program, least int64, within time.Duration) (same, enough bool) {
	var first []SequentialRun
	runs, start, limit := int64(0), time.Now(), min(steadyTime, within)
	for pass := 0; pass < 2 || runs < least; pass++ {
		i := 0
		same = true
		err := sequentially(x.class, p, func(order []int, o Outcome) bool {
			if pass == 0 {
				first = append(first, SequentialRun{Order: slices.Clone(order), Outcome: slices.Clone(o)})
			}
			same = i < len(first) && o.Equal(first[i].Outcome)
			i++
			return same
		})
		runs += int64(i)
		switch {
		case err != nil:
			return true, false // a call did not return
		case !same || i != len(first):
			return false, true
		case pass > 0 && runs < least && time.Since(start) > limit:
			return true, false
		}
	}
	return !x.isDisturbed(p, first) && x.isSlowlySteady(p, first), true
}

const (
	// disturbances is how often other objects get random calls before the orders of a program are
	// run again, disturbedOrders of them at most.
	disturbances    = 64
	disturbedOrders = 32
	disturbingCalls = 6 // at most
)

// isDisturbed reports whether calls of other objects change the results of the orders. Objects that
// share state, such as a global map, have such results.
func (x *threads) isDisturbed(p *Program, runs []SequentialRun) bool {
	random := rand.New(rand.NewPCG(1, 2))
	usable := *x.class
	for range disturbances {
		calls := randomCalls(random, &usable, disturbingCalls, nil)
		if got, _ := x.class.sequential(calls, readOnlyLimit); len(got) < len(calls) {
			waits := calls[len(got)].method
			usable.Methods = slices.DeleteFunc(slices.Clone(usable.Methods), func(m *Method) bool { return m == waits })
			if len(usable.Methods) == 0 {
				return false
			}
		}
		i, same := 0, true
		err := sequentially(x.class, p, func(_ []int, o Outcome) bool {
			same = o.Equal(runs[i].Outcome)
			i++
			return same && i < min(len(runs), disturbedOrders)
		})
		if err != nil || !same {
			return !same
		}
	}
	return false
}

const (
	// slowPause is how long a sequential run stops before each call, as threads do on a busy machine.
	slowPause = 50 * time.Millisecond
	slowRuns  = 64               // at most
	slowLimit = 10 * time.Second // for the calls of one
)

// isSlowlySteady reports whether the orders have the same results if time passes between
// their calls. An object that reads the clock may have others.
func (x *threads) isSlowlySteady(p *Program, runs []SequentialRun) bool {
	calls := p.prepared()
	if slices.ContainsFunc(calls, func(s prepared) bool { return s.method.MayFail() }) {
		return true // a call that failed is not known
	}
	runs = runs[:min(len(runs), slowRuns)]
	same := make(chan bool, len(runs))
	for _, r := range runs {
		go func() {
			object := x.class.New()
			defer x.class.Release(object)
			same <- !slices.ContainsFunc(r.Order, func(i int) bool {
				time.Sleep(slowPause)
				return !calls[i].run(object).Equal(r.Outcome[i])
			})
		}()
	}
	late := time.After(slowLimit)
	for range runs {
		select {
		case s := <-same:
			if !s {
				return false
			}
		case <-late:
			return false
		}
	}
	return true
}
