package codec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestShuffled: the order of the lines does not change what :time or :index orders.
func TestShuffled(t *testing.T) {
	r := random(t)
	sorted := map[string]int{}
	for range 1000 {
		key := []string{":time", ":index"}[r.IntN(2)]
		lines := timedEvents(r, key)
		want := orderOf(t, lines)
		for range 1 + r.IntN(4) {
			i, k := r.IntN(len(lines)), r.IntN(len(lines))
			lines[i], lines[k] = lines[k], lines[i]
		}
		if got := orderOf(t, lines); got.relation != want.relation {
			t.Fatalf("%s\nis ordered %s, want %s", strings.Join(lines, "\n"), got.relation, want.relation)
		} else {
			sorted[got.by]++
		}
	}
	if sorted[""] < 50 || sorted["time"] < 50 || sorted["index"] < 50 {
		t.Errorf("too few to say much: %v", sorted)
	}
}

// timedEvents returns events of writes of different values by three processes.
func timedEvents(r *rand.Rand, key string) (lines []string) {
	open := map[int]int{}
	for at := range 2 + r.IntN(12) {
		p, typ := r.IntN(3), ":ok"
		value, isOpen := open[p]
		if delete(open, p); !isOpen {
			value, typ = at, ":invoke"
			open[p] = at
		} else if r.IntN(6) == 0 {
			typ = ":info"
		}
		lines = append(lines, fmt.Sprintf("{:process %d, :type %s, :f :write, :value %d, %s %d}", p, typ, value, key, 10*at))
	}
	return lines
}

type ordered struct{ relation, by string }

// orderOf reads events and returns which operation precedes which, and what orders them.
func orderOf(t *testing.T, lines []string) (o ordered) {
	t.Helper()
	for h, err := range Decode(strings.NewReader(strings.Join(lines, "\n")), "in", Options{}) {
		if err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
		}
		var pairs [12 + 2][12 + 2]byte
		for i := range h.Ops {
			for k := range h.Ops {
				x, y := h.Ops[i].Args[0].Int(), h.Ops[k].Args[0].Int()
				if pairs[x][y] = '|'; h.Ops[i].Return < h.Ops[k].Call {
					pairs[x][y] = '<'
				}
			}
		}
		o = ordered{fmt.Sprintf("%s", pairs), h.SortedBy}
	}
	return o
}
