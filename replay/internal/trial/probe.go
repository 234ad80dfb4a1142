package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// probePrograms is the number of random programs: without them, TestProbe misses faults.
const probePrograms = 2

// Probe looks for faults of a specification that lead to wrong verdicts, at the beginning of
// a check. It runs programs of the first different invocations that Check accepts, tries each
// of these in each state, and tests what Check tests, except for
//   - facts, and results that Check rejects;
//   - keys that separate more states than need be.
//
// The error is about the specification. A nil error proves little. Probe does not test
// trusted specifications. If the specification panics, Probe ends without an error, because
// a check may not reach such a state. It also ends when ctx is done.
func Probe(ctx context.Context, spec replay.Spec, ops []history.Operation) (err error) {
	if err := replay.Validate(spec); err != nil {
		return err
	}
	if _, ok := spec.(replay.Trusted); ok {
		return nil
	}
	defer func() { _ = recover() }()
	x := newTester(ctx, spec, Calls{})
	x.isProbe = true
	var texts []string
	for i := 0; i < len(ops) && len(texts) < programSteps; i++ {
		inv := replay.Invocation{Method: ops[i].Method, Args: slices.Clone(ops[i].Args)}
		if text := inv.String(); !slices.Contains(texts, text) && spec.Check(&ops[i]) == nil {
			x.Invocations, texts = append(x.Invocations, inv), append(texts, text)
		}
	}
	err = x.run(x.Invocations)
	if _, ok := spec.New().(replay.State); ok && texts != nil {
		for range probePrograms {
			if err == nil {
				err = x.run(x.draw())
			}
		}
	}
	if err != nil {
		return fmt.Errorf("the specification %s is wrong: %w", spec.Name(), err)
	}
	return nil
}
