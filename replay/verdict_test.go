package replay_test

import (
	"testing"

	"github.com/leadline/leadline/replay"
)

func TestVerdictString(t *testing.T) {
	for _, test := range []struct {
		finding replay.Finding
		want    string
	}{
		{replay.Finding{Answer: replay.Linearizable, Depth: 2}, "linearizable at depth 2"},
		{replay.Finding{Answer: replay.Linearizable, Deeper: 5, DepthCause: replay.Depth}, "linearizable, deeper than 5"},
		{replay.Finding{Answer: replay.Linearizable}, "linearizable"},
		{replay.Finding{Answer: replay.NotLinearizable}, "not linearizable"},
		{replay.GaveUp(replay.Memory), "unknown (memory)"},
		{replay.Finding{}, "unknown"},
	} {
		v := replay.Verdict{Finding: test.finding}
		if got := v.String(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.finding, got, test.want)
		}
	}
}
