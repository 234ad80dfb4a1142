package explain_test

import (
	"context"
	"testing"
	"time"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/explain"
)

// TestEnded: a history that is linearizable has no explanation. If the context or the time
// has ended, Why says so for each part.
func TestEnded(t *testing.T) {
	h, s := decode(t, readFile(t, "core-without-it-short.jsonl"))
	v := check(t, h, s, replay.Options{})
	if v.Answer != replay.NotLinearizable || v.Work == 0 {
		t.Fatalf("%v, work %d", v, v.Work)
	}
	if e := explain.Why(context.Background(), h, s, replay.Verdict{Finding: replay.Found(replay.SearchEngine, nil)}, replay.Options{}); e != nil {
		t.Errorf("explanation of a linearizable history: %+v", e)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	limited := replay.Options{Budget: replay.Budget{Time: time.Hour}}
	late := v
	late.Elapsed = 2 * time.Hour
	for cause, e := range map[string]*replay.Explanation{
		"cancelled": explain.Why(cancelled, h, s, v, replay.Options{}),
		"time":      explain.Why(context.Background(), h, s, late, limited),
		"":          explain.Why(context.Background(), h, s, v, limited),
	} {
		missing := map[string]string{}
		for _, m := range e.Missing {
			missing[m.Part] = m.Cause
		}
		for _, part := range []string{"prefix", "states", "blame"} {
			if missing[part] != cause {
				t.Errorf("cause %q: %s is missing for %q", cause, part, missing[part])
			}
		}
	}
}
