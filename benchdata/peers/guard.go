package peers

import (
	"context"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// Bounded asks porcupine about operations until ctx is done or, which
// porcupine itself cannot do, until the heap of the process (garbage not yet
// collected included) has more than so many bytes. Beyond that no step
// succeeds, so that the search backs out, and the result is Unknown.
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
