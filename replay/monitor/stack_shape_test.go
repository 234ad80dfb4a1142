package monitor_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// sizes are where levels of trees and sets begin and end.
var sizes = []int{1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 5000}

// A shape is a family of histories of a stack with n values. From the size
// wrong on they are not linearizable; never, if it is 0.
type shape struct {
	name  string
	wrong int
	ops   func(n int) []loose
}

// on is an operation on value v in an interval.
func on(method string, v int, from, to float64) loose {
	value := history.IntValue(int64(v))
	if method == "push" {
		return loose{method, value, history.NoValue, from, to}
	}
	return loose{method, history.NoValue, value, from, to}
}

// each returns the operations on all values below n.
func each(n int, ops func(v int, at float64) []loose) []loose {
	var all []loose
	for v := range n {
		all = append(all, ops(v, float64(v))...)
	}
	return all
}

var shapes = []shape{
	{"nested", 0, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			end := float64(4 * n)
			return []loose{on("push", v, at, at+.1), on("peek", v, at+.2, at+.3),
				on("peek", v, end-at-.3, end-at-.2), on("pop", v, end-at-.1, end-at)}
		})
	}},
	{"nested, one look from below", 1, func(n int) []loose {
		return append(each(n, func(v int, at float64) []loose {
			end := float64(4 * n)
			return []loose{on("push", v, at, at+.1), on("pop", v, end-at-.1, end-at)}
		}), on("peek", n/2-1, float64(n)/2+.2, float64(3*n)))
	}},
	{"pops at any time", 0, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			return []loose{on("push", v, at, at+.1), on("peek", v, at+.2, at+.3), on("pop", v, float64(n), float64(2*n)+at)}
		})
	}},
	{"pops in one order, pushes in any", 0, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			return []loose{on("push", v, -1, at), on("pop", v, float64(2*n)+at, float64(2*n)+at+.5)}
		})
	}},
	{"first in first out", 2, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			return []loose{on("push", v, at, at+.1), on("pop", v, at+1.5, at+1.6)}
		})
	}},
	{"chain of loose values", 0, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			return []loose{on("push", v, -at-1, at), on("pop", v, at+1.5, float64(2*n)+3-at)}
		})
	}},
	{"chain of loose values, looks while others are there", 2, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			return []loose{on("push", v, -at-1, at), on("peek", v, at+1.2, at+1.3), on("pop", v, at+2.5, float64(10*n)-at)}
		})
	}},
	{"comb", 0, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			if v == 0 {
				return []loose{on("push", 0, 0, .1), on("pop", 0, float64(n)+1, float64(n)+2)}
			}
			return []loose{on("push", v, at, at+.1), on("pop", v, at+.3, at+.4), on("peek", 0, at+.6, at+.7), on("peek", 0, at-.1, at+.35)}
		})
	}},
	{"comb with a look too early", 2, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			if v == 0 {
				return []loose{on("push", 0, 0, .1), on("pop", 0, float64(n)+1, float64(n)+2), on("peek", 0, float64(n)-.8, float64(n)-.75)}
			}
			return []loose{on("push", v, at, at+.1), on("pop", v, at+.3, at+.4)}
		})
	}},
	{"tree", 0, func(n int) []loose { return tree(nil, 0, n, 0, float64(4*n)) }},
	{"stay", 0, func(n int) []loose {
		return each(n, func(v int, at float64) []loose {
			return []loose{on("push", v, at, at+.1), on("peek", v, at+.05, at+.3)}
		})
	}},
	{"stay, with a look at the first", 2, func(n int) []loose {
		return append(each(n, func(v int, at float64) []loose { return []loose{on("push", v, at, at+.1)} }),
			on("peek", 0, float64(n)-.1, float64(2*n)))
	}},
}

// tree appends operations on values lo to before hi: one lies under all
// others, which come and go in two halves.
func tree(ops []loose, lo, hi int, from, to float64) []loose {
	if lo == hi {
		return ops
	}
	step := (to - from) / 100
	mid, half := (lo+1+hi)/2, (from+to)/2
	ops = append(ops, on("push", lo, from, from+step), on("peek", lo, half-step, half+step), on("pop", lo, to-step, to))
	ops = tree(ops, lo+1, mid, from+2*step, half-2*step)
	return tree(ops, mid, hi, half+2*step, to-2*step)
}

// backward turns the time: a stack's history is linearizable if and only if
// it is so with pushes in the place of pops.
func backward(ops []loose) []loose {
	var turned []loose
	for _, o := range ops {
		switch o.method {
		case "push":
			o.method = "pop"
		case "pop":
			o.method = "push"
		}
		if o.method != "peek" {
			o.arg, o.result = o.result, o.arg
		}
		turned = append(turned, loose{o.method, o.arg, o.result, -o.to, -o.from})
	}
	return turned
}

func TestShapes(t *testing.T) {
	t.Parallel()
	c := collection(t, "stack")
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			for _, n := range sizes {
				if n > 2000 && !*full {
					break
				}
				ops := s.ops(n)
				checkShape(t, fromIntervals(t, ops, false), c, s.wrong == 0 || n < s.wrong)
				if s.name[:4] != "stay" {
					checkShape(t, fromIntervals(t, backward(ops), false), c, s.wrong == 0 || n < s.wrong)
				}
			}
		})
	}
}

func checkShape(t *testing.T, h *history.History, c replay.Described, linearizable bool) {
	t.Helper()
	if len(h.Ops) < 150 {
		checkNaive(t, h, c)
	}
	var v replay.Verdict
	if v.Finding = monitor.Run(ops.New(h, c, 0), nil); v.Reason != "" {
		t.Fatal(v.Reason)
	}
	if (v.Answer == replay.Linearizable) != linearizable {
		t.Fatalf("%d operations: %v", len(h.Ops), v.Answer)
	}
	if linearizable {
		if err := replay.Verify(h, c, v.Witness, nil); err != nil {
			t.Fatal(err)
		}
	} else if len(v.Conflict) > 12 {
		t.Errorf("the conflict of %d operations has %d", len(h.Ops), len(v.Conflict))
	}
}
