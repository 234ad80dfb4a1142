package codec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

// TestClashFinder compares clashFinder with the definition.
func TestClashFinder(t *testing.T) {
	r := random(t)
	found := 0
	for range 2000 {
		n := 1 + r.IntN(6)
		types, keys := make([]history.EventType, n), make([]int64, n)
		var c clashFinder
		want := false
		for i := range n {
			types[i], keys[i] = history.EventType(r.IntN(4)), int64(r.IntN(4))
			c.add(types[i], keys[i], i+1)
			for k := range i {
				want = want || (types[k] == history.Invoke) != (types[i] == history.Invoke) && keys[k] > keys[i]
			}
		}
		if c.found != want {
			t.Fatalf("found %v, want %v: %v %v", c.found, want, types, keys)
		}
		if want {
			found++
			x, y := c.clash.response-1, c.clash.invocation-1
			if types[x] == history.Invoke || types[y] != history.Invoke || (x < y) == (keys[x] < keys[y]) {
				t.Fatalf("%v is not a clash of %v %v", c.clash, types, keys)
			}
		}
	}
	if found < 100 || found > 1900 {
		t.Errorf("%d clashes say little", found)
	}
}

// TestOrderKey compares an orderKey with a list, past several pieces.
func TestOrderKey(t *testing.T) {
	r := random(t)
	for range 200 {
		var k orderKey
		var values []history.Value
		next, fractions := int64(r.IntN(10)), r.IntN(2) == 0
		for range r.IntN(4 * eventPiece) {
			v := history.IntValue(next)
			switch r.IntN(eventPiece) {
			case 0:
				next = int64(r.IntN(1000))
			case 1:
				v = history.NullValue
			case 2, 3:
				if fractions {
					v = history.FloatValue(float64(next) + 0.5)
				}
			}
			next++
			k.add(v)
			values = append(values, v)
		}
		if !k.some {
			continue
		}
		absent := false
		for i, v := range values {
			want := v.Int()
			switch {
			case v.Kind() == history.Null:
				want, absent = noKey, true
			case k.kind == history.Float:
				want = floatKey(float64(v.Int()) + v.Float())
			}
			if got := k.at(i); got != want {
				t.Fatalf("key %d, of %v, is %d, want %d", i, v, got, want)
			}
		}
		if k.absent != absent || k.n != len(values) {
			t.Fatalf("%d keys, some absent %v: %v", k.n, k.absent, values)
		}
	}
}

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
