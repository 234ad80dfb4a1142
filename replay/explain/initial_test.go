package explain_test

import (
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestInitial: where a first read finds a value that the initial one does not explain, the
// explanation names another one, if the history is linearizable with that.
func TestInitial(t *testing.T) {
	const head = `{"leadline":1,"model":`
	for _, c := range []struct{ text, want string }{
		{`"cas-register"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":0}
{"process":1,"type":"invoke","method":"cas","args":[0,1]}
{"process":1,"type":"ok","result":true}
`, "cas-register:0"},
		{`"cas-register"}
{"process":1,"type":"invoke","method":"cas","args":["it's",1]}
{"process":1,"type":"ok","result":true}
`, `cas-register:"it's"`},
		{`"register","args":[5]}
{"process":0,"type":"invoke","method":"read"}
{"process":1,"type":"invoke","method":"write","args":[2]}
{"process":1,"type":"ok"}
{"process":0,"type":"ok","result":[1,{"a":null}]}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":2}
`, `register:[1, {"a": null}]`},
		{`"register"}
{"process":1,"type":"invoke","method":"write","args":[2]}
{"process":1,"type":"ok"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`, ""}, // after a write
		{`"register"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":0}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`, ""}, // no value explains both
		{`"kv"}
{"process":0,"type":"invoke","method":"get","args":["x"]}
{"process":0,"type":"ok","result":0}
{"process":0,"type":"invoke","method":"put","args":["y",3]}
{"process":0,"type":"ok"}
{"process":0,"type":"invoke","method":"get","args":["z"]}
{"process":0,"type":"ok","result":0}
`, "kv:0"},
		{`"kv"}
{"process":0,"type":"invoke","method":"get","args":["x"]}
{"process":0,"type":"ok","result":0}
{"process":0,"type":"invoke","method":"get","args":["y"]}
{"process":0,"type":"ok","result":null}
`, ""}, // all keys have one value at first
		{`"multi-register"}
{"process":0,"type":"invoke","method":"txn","args":[[["read","x",null],["write","x",1]]]}
{"process":0,"type":"ok","result":[["read","x",7],["write","x",1]]}
`, "multi-register:7"},
		{`"cas-register"}
{"process":1,"type":"invoke","method":"cas","args":[0,1]}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":1}
`, "cas-register:0"}, // the cas is pending
	} {
		h, s := decode(t, head+c.text)
		v := explained(t, h, s)
		if v.Answer != replay.NotLinearizable || v.Explanation.Initial != c.want {
			t.Errorf("%v, initially %q, want %q:\n%s", v, v.Explanation.Initial, c.want, show(h))
		}
	}
}

// TestInitialAtRandom compares the initial values of random histories with brute force: those
// of a register that begins with 0 are checked as if it began with null.
func TestInitialAtRandom(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	named, broken := 0, 0
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
				other, err := spec.Parse(v.Explanation.Initial)
				if err != nil || !isLinearizable(h, other) {
					t.Fatalf("%s, %v, does not explain\n%s", v.Explanation.Initial, err, show(h))
				}
			}
		}
	}
	if named < 60 || broken < 20 {
		t.Errorf("%d named, %d not: too few to say much", named, broken)
	}
}
