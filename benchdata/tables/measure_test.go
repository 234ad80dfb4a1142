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
	"github.com/leadline/leadline/replay/decide"
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
	if m := measure(t, Measurer{}, ctx, sequential); m.CP != 0 || m.Answer != replay.Linearizable || m.Depth != 1 || m.DepthFree != 1 {
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

// TestMeasureFree: of nine pending writes, only the last one takes effect. The
// others have to be delayed, unless they may be left out.
func TestMeasureFree(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	read := func(result int) {
		fmt.Fprintf(&b, `{"process":9,"type":"invoke","method":"read"}`+"\n"+`{"process":9,"type":"ok","result":%d}`+"\n", result)
	}
	for p := range 9 {
		fmt.Fprintf(&b, `{"process":%d,"type":"invoke","method":"write","args":[%d]}`+"\n", p, p+1)
		read(p / 8 * 9)
	}
	for range 9 {
		read(9)
	}
	m := measure(t, Measurer{}, context.Background(), b.String())
	if m.Answer != replay.Linearizable || m.Pending != 9 || m.Ops != 27 || m.Depth != 2 || m.DepthFree != 1 {
		t.Errorf("%+v", m)
	}
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
	only := measure(t, Measurer{Profile: true}, ctx, overlapping(2))
	if only.Depth != short.Depth || only.Exact != 0 || only.Schedules != [CountDepths]int64{} {
		t.Errorf("depths only: %+v", only)
	}
	// Process 0 is the base chain. Each second round takes one delay.
	if m := measure(t, Measurer{Profile: true}, ctx, long); m.Depth != 251 || m.DepthFree != 251 || m.Chain != 0 {
		t.Errorf("profile: %+v", m)
	}
	if m := measure(t, Measurer{Timeout: time.Nanosecond}, ctx, long); m.Answer != replay.Undecided {
		t.Errorf("without time: %+v", m)
	}
}

// TestSetProfile: a profile that stopped says something new only if it refutes at
// least as large depths as are known to be too small.
func TestSetProfile(t *testing.T) {
	stopped := decide.DepthProfile{Reached: []int{10, 25, 50}}
	for _, c := range []struct {
		name          string
		before, after Measurement
		profile       decide.DepthProfile
		canLeaveOut   bool
	}{
		{"known", Measurement{}, Measurement{Depth: 9, DepthFree: 9, Chain: 2}, decide.DepthProfile{Depth: 9, Chain: 2}, false},
		{"known without what is lost", Measurement{Refuted: 7, RefutedFree: 7}, Measurement{Refuted: 8, DepthFree: 9}, decide.DepthProfile{Depth: 9}, true},
		{"stopped", Measurement{Refuted: 2, RefutedFree: 2}, Measurement{Refuted: 3, RefutedFree: 3, Explained: 50, Delays: 60}, stopped, false},
		{"stopped, depth known", Measurement{Depth: 5}, Measurement{Depth: 5, RefutedFree: 3, Explained: 50, Delays: 60}, stopped, true},
		{"stopped too early", Measurement{Refuted: 4, RefutedFree: 4}, Measurement{Refuted: 4, RefutedFree: 4}, stopped, false},
		{"stopped at once", Measurement{}, Measurement{}, decide.DepthProfile{}, false},
	} {
		m := c.before
		m.setProfile(&c.profile, c.canLeaveOut)
		if m != c.after {
			t.Errorf("%s: %+v\nwant %+v", c.name, m, c.after)
		}
	}
}
