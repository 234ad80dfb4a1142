package peers

import (
	"context"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// Bounded runs porcupine on operations until ctx is done, or until the heap of
// the process (including uncollected garbage) exceeds the given bytes;
// porcupine itself has no such limit. After that every step fails, so the
// search ends, and the result is Unknown.
func Bounded(ctx context.Context, model porcupine.Model, ops []porcupine.Operation, bytes uint64) porcupine.CheckResult {
	var over atomic.Bool
	done := make(chan struct{})
	defer close(done)
	go func() {
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				over.Store(true)
				return
			case <-tick.C:
			}
			if metrics.Read(heap); heap[0].Value.Uint64() > bytes {
				over.Store(true)
				return
			}
		}
	}()
	step := model.Step
	model.Step = func(state, input, output any) (bool, any) {
		if over.Load() {
			return false, nil
		}
		return step(state, input, output)
	}
	model.StepContext = nil
	ok := porcupine.CheckOperations(model, ops)
	switch {
	case ok:
		return porcupine.Ok
	case over.Load():
		return porcupine.Unknown
	}
	return porcupine.Illegal
}
