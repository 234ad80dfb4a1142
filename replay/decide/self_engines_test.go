package decide_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/window"
)

// A trial is one history with what the engines need.
type trial struct {
	p            *problem
	h            *history.History
	spec         replay.Spec
	linearizable bool // according to brute force
	// instances have the chains of each mode. They are nil for a mode that adds
	// nothing to those before it.
	instances [replay.MinimumChains + 1]*replay.Instance
	families  [replay.MinimumChains + 1]replay.Finding // see runFamilies
}

func newTrial(p *problem, linearizable bool) (*trial, error) {
	t := &trial{p: p, h: p.history(""), spec: p.kind.spec, linearizable: linearizable}
	if err := replay.Check(t.h, t.spec); err != nil {
		return nil, err
	}
	var err error
	for mode := range t.instances {
		if t.instances[mode], err = replay.NewInstance(t.h, true, replay.ChainMode(mode), nil); err != nil {
			return nil, err
		}
	}
	process := t.instances[replay.ProcessChains].Chains
	if slices.Equal(process, t.instances[replay.MinimumChains].Chains) && t.h.Pending() == 0 {
		t.instances[replay.MinimumChains] = nil
	}
	if slices.Equal(process, t.instances[replay.AutoChains].Chains) && !t.returnsAreSingle() {
		t.instances[replay.AutoChains] = nil
	}
	return t, nil
}

// A separateEngine is a way to decide. It leaves the verdict Undecided where it does
// not apply.
type separateEngine struct {
	name   string
	decide func(t *trial, v *replay.Verdict) error
}

// separateEngines are all ways to decide, each separately.
var separateEngines = []separateEngine{
	{"families by process", families(replay.ProcessChains)},
	{"families by minimum partition", families(replay.MinimumChains)},
	{"families", families(replay.AutoChains)},
	{"depths by process", depths(replay.ProcessChains)},
	{"depths by minimum partition", depths(replay.MinimumChains)},
	{"depths", depths(replay.AutoChains)},
	{"search for a depth", func(t *trial, v *replay.Verdict) error {
		if x := decide.DepthsOf(t.h, t.spec, maxBytes, replay.AutoChains); x != nil {
			v.Finding = x.Run(t.p.n+1, nil)
			x.Release()
		}
		return nil
	}},
	{"search", without(search.Pruning{}, func(*trial) bool { return true })},
	{"search without pruning", without(
		search.Pruning{NoReadsAtOnce: true, NoTwins: true, NoUseless: true, NoErased: true, NoParts: true},
		func(t *trial) bool {
			return t.hasReads() || t.hasTwins() || t.hasOpen() || t.hasParts()
		})},
	{"search without reads at once", without(search.Pruning{NoReadsAtOnce: true}, (*trial).hasReads)},
	{"search without twins", without(search.Pruning{NoTwins: true}, (*trial).hasTwins)},
	{"search with useless operations", without(search.Pruning{NoUseless: true}, (*trial).hasOpen)},
	{"search without parts", without(search.Pruning{NoParts: true}, (*trial).hasParts)},
	{"window", func(t *trial, v *replay.Verdict) error {
		v.Finding = window.Run(ops.New(t.h, t.spec, maxBytes), nil)
		return nil
	}},
	{"pairs", func(t *trial, v *replay.Verdict) error {
		v.Finding = order.Run(ops.New(t.h, t.spec, maxBytes), nil)
		return nil
	}},
	{"monitor", chosenEngine(replay.MonitorEngine)},
	{"portfolio", func(t *trial, v *replay.Verdict) (err error) {
		*v, err = decide.Check(context.Background(), t.h, t.spec, replay.Options{MaxDepth: 2})
		return err
	}},
}

func chosenEngine(e replay.Engine) func(*trial, *replay.Verdict) error {
	return func(t *trial, v *replay.Verdict) (err error) {
		*v, err = decide.Check(context.Background(), t.h, t.spec, replay.Options{Engine: e})
		return err
	}
}

const maxBytes = 1 << 30

// without is the search without some rules. It runs on histories where the
// rules matter: on others it would be the same search.
func without(rules search.Pruning, applies func(*trial) bool) func(*trial, *replay.Verdict) error {
	return func(t *trial, v *replay.Verdict) error {
		if applies(t) {
			v.Finding = search.RunPruned(ops.New(t.h, t.spec, maxBytes), rules, nil)
		}
		return nil
	}
}

func (t *trial) hasOpen() bool { return t.h.Pending() > 0 }

func (t *trial) hasReads() bool {
	for i := range t.h.Ops {
		if replay.FactsOf(t.spec, &t.h.Ops[i]).ReadOnly {
			return true
		}
	}
	return false
}

func (t *trial) hasTwins() bool {
	for i := range t.p.n {
		for j := range i {
			x, y := t.p.call[i], t.p.call[j]
			if x.op == y.op && x.a == y.a && x.b == y.b && t.p.result[i].Equal(t.p.result[j]) {
				return true
			}
		}
	}
	return false
}

func (t *trial) hasParts() bool {
	if !replay.TraitsOf(t.spec).Partitioned {
		return false
	}
	partOf := func(op *history.Operation) (history.Value, bool) { return replay.FactsOf(t.spec, op).PartOf(op) }
	first, _ := partOf(&t.h.Ops[0])
	for i := range t.h.Ops {
		if part, ok := partOf(&t.h.Ops[i]); ok && !part.Equal(first) {
			return true
		}
	}
	return false
}

// compare runs every engine and returns how many decided. If any of them was
// wrong, it also returns all their verdicts, otherwise nil.
func (t *trial) compare() (decided int, verdicts []engineVerdict) {
	wrong := false
	for _, e := range separateEngines {
		verdict := t.ask(e)
		if verdict == "" {
			continue
		}
		decided++
		fine := verdict == answerOf(t.linearizable).String()
		verdicts = append(verdicts, engineVerdict{e.name, verdict, !fine})
		wrong = wrong || !fine
	}
	if !wrong {
		return decided, nil
	}
	return decided, verdicts
}

func answerOf(linearizable bool) replay.Answer {
	if linearizable {
		return replay.Linearizable
	}
	return replay.NotLinearizable
}

// ask returns the verdict of an engine, "" if it has none. Errors, panics and
// false witnesses are verdicts too.
func (t *trial) ask(e separateEngine) (verdict string) {
	defer func() {
		if p := recover(); p != nil {
			verdict = fmt.Sprintf("panic: %v", p)
		}
	}()
	var v replay.Verdict
	if err := e.decide(t, &v); err != nil {
		return "error: " + err.Error()
	}
	switch v.Answer {
	case replay.Undecided:
		return ""
	case replay.Linearizable:
		if !t.p.explains(v.Witness) {
			return fmt.Sprintf("linearizable, with a false witness %v", v.Witness)
		}
		if err := replay.Verify(t.h, t.spec, v.Witness, nil); err != nil {
			return fmt.Sprintf("linearizable, with a witness that Verify rejects: %v", err)
		}
	}
	return v.Answer.String()
}
