package report

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", 0, "`seed` of the random tests; 0 takes one from the clock")

// TestLanes: without processes, operations are in as many lanes as are open at once, and those of
// a lane do not overlap.
func TestLanes(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var lines []string
		var open []int
		most := 0
		for n := 0; n < 20; {
			if len(open) > 0 && r.IntN(2) == 0 {
				k := r.IntN(len(open))
				lines = append(lines, fmt.Sprintf("%d = 0", open[k]))
				open[k] = open[len(open)-1]
				open = open[:len(open)-1]
				continue
			}
			lines, open, n = append(lines, fmt.Sprintf("p%d %d size()", n, n)), append(open, n), n+1
			most = max(most, len(open))
		}
		h, _ := read(t, "queue", lines...)
		h.NoProcesses = true
		drawn := text(t, func(b *strings.Builder) error { return Timeline(b, h, nil, Options{}) })
		if !strings.Contains(drawn, " lane ") || strings.Contains(drawn, "process") {
			t.Fatalf("no lanes:\n%s", drawn)
		}
		until, lanes := map[string]int32{}, 0
		for _, line := range strings.Split(drawn, "\n")[1:21] {
			fields := strings.Fields(line)
			id, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			op := &h.Ops[id]
			if end, ok := until[fields[0]]; ok && end > op.Call {
				t.Errorf("operations overlap in lane %s:\n%s", fields[0], drawn)
			} else if !ok {
				lanes++
			}
			until[fields[0]] = op.Return
		}
		if lanes != most {
			t.Errorf("%d lanes for %d open operations:\n%s", lanes, most, drawn)
		}
		if relaxed := h.ProgramOrder(); strings.Contains(text(t, func(b *strings.Builder) error { return Timeline(b, relaxed, nil, Options{}) }), " lane ") {
			t.Error("lanes without real time")
		}
	}
}
