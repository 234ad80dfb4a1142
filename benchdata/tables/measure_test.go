package tables

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// measure measures the only history of a file in leadline's own format.
func measure(t *testing.T, r Measurer, ctx context.Context, file string) Measurement {
	t.Helper()
	for h, err := range codec.Decode(strings.NewReader(file), "test", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		return measureHistory(t, r, ctx, h)
	}
	t.Fatal("no history")
	return Measurement{}
}

func measureHistory(t *testing.T, r Measurer, ctx context.Context, h *history.History) Measurement {
	t.Helper()
	model, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Measure(ctx, h, model)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const head = `{"leadline":1,"history":"h","model":"register","args":[0]}
`

// lost has a pending write that a later read does not return.
const lost = head + `{"process":0,"type":"invoke","method":"write","args":[1]}
{"process":1,"type":"invoke","method":"write","args":[2]}
{"process":1,"type":"ok"}
{"process":2,"type":"invoke","method":"read"}
{"process":2,"type":"ok","result":2}
`

func TestMeasure(t *testing.T) {
	ctx := context.Background()
	m := measure(t, Measurer{}, ctx, lost)
	if m.Answer != replay.Linearizable || m.Depth != 1 || m.Pending != 1 || m.Ops != 3 || m.Processes != 3 || m.C != 2 {
		t.Errorf("pending: %+v", m)
	}
	if m.Schedules[0] != 0 || m.Exact != 0 {
		t.Errorf("pending: what is only of use without pending operations is computed: %+v", m)
	}
	sequential := head + `{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":0}
`
	if m := measure(t, Measurer{}, ctx, sequential); m.CP != 0 || m.Answer != replay.Linearizable || m.Depth != 1 {
		t.Errorf("sequential: %+v", m)
	}
	if m := measure(t, Measurer{}, ctx, strings.Replace(sequential, `"result":0`, `"result":7`, 1)); m.Answer != replay.NotLinearizable || m.Depth != 0 || m.Refuted != 0 {
		t.Errorf("not linearizable: %+v", m)
	}
}

// overlapping writes rounds of three writes at once and a read of the first
// one or, in each second round, of the last one.
func overlapping(rounds int) string {
	var b strings.Builder
	b.WriteString(head)
	for round := range rounds {
		for p := range 3 {
			fmt.Fprintf(&b, `{"process":%d,"type":"invoke","method":"write","args":[%d]}`+"\n", p, p)
		}
		for p := range 3 {
			fmt.Fprintf(&b, `{"process":%d,"type":"ok"}`+"\n", p)
		}
		b.WriteString(`{"process":0,"type":"invoke","method":"read"}` + "\n" + fmt.Sprintf(`{"process":0,"type":"ok","result":%d}`+"\n", round%2*2))
	}
	return b.String()
}

// TestMeasureBounds: depths and numbers of schedules that are too large to
// compute are left out, at the last length with all of them and beyond.
func TestMeasureBounds(t *testing.T) {
	ctx := context.Background()
	short := measure(t, Measurer{}, ctx, overlapping(2))
	if short.Answer != replay.Linearizable || short.Depth == 0 || short.Schedules[CountDepths-1] == 0 || short.Exact < short.Depth {
		t.Errorf("short: %+v", short)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if m := measure(t, Measurer{}, cancelled, overlapping(2)); m.Answer != replay.Undecided || m.Depth != 0 {
		t.Errorf("cancelled: %+v", m)
	}
	long := overlapping(500)
	if m := measure(t, Measurer{}, ctx, long); m.Answer != replay.Linearizable || m.Ops != 2000 || m.C != 3 || m.Schedules != [CountDepths]int64{} || m.Depth != 0 || m.Refuted != DefaultMaxDepth {
		t.Errorf("long: %+v", m)
	}
	if m := measure(t, Measurer{Timeout: time.Nanosecond}, ctx, long); m.Answer != replay.Undecided {
		t.Errorf("without time: %+v", m)
	}
}
