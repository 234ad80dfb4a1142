package explore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// Shards have 32 parts. Keys and Items start a goroutine for each of them. Count is not
// atomic: it goes through the parts one after another.
type shards struct{ parts [32]cell }

func (s *shards) each() history.Value {
	var done cell
	for i := range s.parts {
		schedule.Go(func() {
			s.parts[i].load()
			done.add(1)
		})
	}
	for done.load() < int64(len(s.parts)) {
		schedule.Step(schedule.Yield, nil)
	}
	return history.IntValue(0)
}

func (s *shards) count() history.Value {
	n := int64(0)
	for i := range s.parts {
		n += s.parts[i].load()
	}
	return history.IntValue(n)
}

func shardsClass(core bool) *stress.Class {
	part := func(of, step int64) func(*shards) history.Value {
		return func(s *shards) history.Value { return history.IntValue(s.parts[of].add(step)) }
	}
	c := &stress.Class{Name: "shards", New: func() any { return &shards{} }, Methods: []*stress.Method{
		nullary("put", part(0, 1)), nullary("take", part(31, -1)), nullary("count", (*shards).count), nullary("keys", (*shards).each), nullary("items", (*shards).each)}}
	for i, m := range c.Methods {
		m.ReadOnly, m.Core = i >= 2, core && i < 2
	}
	return c
}

// TestShare: methods that start many goroutines do not take the time of the others, so the
// fault of a quick one is found. Programs are counted: how long they take depends on the
// machine.
func TestShare(t *testing.T) {
	for _, core := range []bool{true, false} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		quick, all, found := 0, 0, false
		_, err := searchUntil(ctx, shardsClass(core), stress.Options{Executor: explore.New, Effort: stress.Effort{Time: patience, Program: time.Millisecond}, GoOn: true,
			Starting: func(_, program string) {
				if all++; !strings.Contains(program, "keys") && !strings.Contains(program, "items") {
					quick++
				}
				if all == 240 {
					stop()
				}
			}, Found: func(f *stress.Finding) {
				found = found || strings.Contains(f.Program, "count")
				stop()
			}})
		if err != nil || !found && quick < all/3 || !found && core {
			t.Errorf("core methods %v: found %v, %d of %d programs are quick, %v", core, found, quick, all, err)
		}
	}
}

// Tokens are taken, for which Take waits, and given, under control.
type tokens struct{ n cell }

func (t *tokens) Give() { t.n.add(1) }
func (t *tokens) Take() { t.n.await(); t.n.add(-1) }

// TestSoonOver: a search whose time is over when it has drawn programs that wait for
// ever goes on until it can run one.
func TestSoonOver(t *testing.T) {
	c := classOf(t, func() *tokens { return &tokens{} }, stress.ReflectOptions{})
	for seed := range uint64(8) {
		o := stress.Options{Checker: stresstest.Checker(nil), Executor: explore.New, Seed: seed, Effort: stress.Effort{Time: 1, Program: time.Millisecond}}
		if r, err := stress.Search(t.Context(), c, o); err != nil || r.Executions == 0 {
			t.Errorf("seed %d: %+v, %v", seed, r, err)
		}
	}
}
