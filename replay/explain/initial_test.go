package explain_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestInitial: where a first read finds a value that the initial one does not explain, the
// explanation names another one, if the history is linearizable with that, or fails later.
func TestInitial(t *testing.T) {
	const head = `{"leadline":1,"model":`
	for _, c := range []struct {
		text, want string
		next       int32 // operation that nothing would explain then, if it is not 0
	}{
		{`"cas-register"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":0}
{"process":1,"type":"invoke","method":"cas","args":[0,1]}
{"process":1,"type":"ok","result":true}
`, "cas-register:0", 0},
		{`"cas-register"}
{"process":1,"type":"invoke","method":"cas","args":["it's",1]}
{"process":1,"type":"ok","result":true}
`, `cas-register:"it's"`, 0},
		{`"register","args":[5]}
{"process":0,"type":"invoke","method":"read"}
{"process":1,"type":"invoke","method":"write","args":[2]}
{"process":1,"type":"ok"}
{"process":0,"type":"ok","result":[1,{"a":null}]}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":2}
`, `register:[1, {"a": null}]`, 0},
		{`"register"}
{"process":1,"type":"invoke","method":"write","args":[2]}
{"process":1,"type":"ok"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`, "", 0}, // after a write
		{`"register"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":0}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`, "register:0", 1}, // no value explains both
		{`"kv"}
{"process":0,"type":"invoke","method":"get","args":["x"]}
{"process":0,"type":"ok","result":0}
{"process":0,"type":"invoke","method":"put","args":["y",3]}
{"process":0,"type":"ok"}
{"process":0,"type":"invoke","method":"get","args":["z"]}
{"process":0,"type":"ok","result":0}
`, "kv:0", 0},
		{`"kv"}
{"process":0,"type":"invoke","method":"get","args":["x"]}
{"process":0,"type":"ok","result":0}
{"process":0,"type":"invoke","method":"get","args":["y"]}
{"process":0,"type":"ok","result":null}
`, "kv:0", 1}, // all keys have one value at first
		{`"cas-register"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":3}
{"process":0,"type":"invoke","method":"cas","args":[3,4]}
{"process":0,"type":"ok","result":true}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":3}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":4}
`, "cas-register:3", 2}, // the initial value hid a lost update
		{`"multi-register"}
{"process":0,"type":"invoke","method":"txn","args":[[["read","x",null],["write","x",1]]]}
{"process":0,"type":"ok","result":[["read","x",7],["write","x",1]]}
`, "multi-register:7", 0},
		{`"cas-register"}
{"process":1,"type":"invoke","method":"cas","args":[0,1]}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`, "cas-register:0", 0}, // the cas is pending
	} {
		h, s := decode(t, head+c.text)
		v := explained(t, h, s)
		e := v.Explanation
		if next := max(e.InitialNext, 0); v.Answer != replay.NotLinearizable || e.Initial != c.want || next != c.next {
			t.Errorf("%v, initially %q, then %d, want %q and %d:\n%s", v, e.Initial, next, c.want, c.next, show(h))
		}
	}
}

// TestInitialAtRandom compares the initial values of random histories with brute force: those
// of a register that begins with 0 are checked as if it began with null.
func TestInitialAtRandom(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	named, broken, later := 0, 0, 0
	for _, sub := range subjects(t) {
		zero, ok := map[string]string{"register:0": "register", "cas-register:0": "cas-register", "kv:0": "kv"}[sub.name]
		if !ok {
			continue
		}
		null, err := spec.Parse(zero)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			h := newDrawer(r, sub).history(t, 5)
			if r.IntN(3) == 0 && len(h.Ops) > 0 {
				h = newDrawer(r, sub).spoil(h)
			}
			v := explained(t, h, null)
			switch {
			case v.Answer != replay.NotLinearizable:
			case v.Explanation.Initial == "":
				broken++
				if sub.name == "register:0" && isLinearizable(h, sub.spec) {
					t.Fatalf("no initial value, and 0 would do:\n%s", show(h))
				}
			default:
				named++
				if v.Explanation.InitialNext != replay.NoOperation {
					later++
				}
				other, err := spec.Parse(v.Explanation.Initial)
				if err != nil {
					t.Fatal(err)
				}
				explained, failing := h, (*history.History)(nil)
				if next := v.Explanation.InitialNext; next != replay.NoOperation {
					explained, failing = h.UpTo(h.Ops[next].Return-1), h.UpTo(h.Ops[next].Return)
				}
				if !isLinearizable(explained, other) || failing != nil && isLinearizable(failing, other) {
					t.Fatalf("%s does not explain\n%s", v.Explanation.Initial, show(h))
				}
			}
		}
	}
	if named < 60 || broken < 5 || later < 5 {
		t.Errorf("%d named (%d for a prefix), %d not: too few to say much", named, later, broken)
	}
}
