package spec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestMultiRegisterMistakes: malformed transactions are bad input.
func TestMultiRegisterMistakes(t *testing.T) {
	for call, want := range map[string]string{
		`txn [1] = =[1]`: `element 1 of a transaction: want [f, key, value], got 1`,
		`txn [["read","x",null],["swap","x",1]] = =[]`:  `element 2 of a transaction: want read, write or append, got "swap"`,
		`txn [["read","x",null]] = =[["read","x"]]`:     `element 1 of a transaction: want [f, key, value], got ["read", "x"]`,
		`txn [["read","x",null]] = true`:                `txn returns list, recorded bool`,
		`txn 3 = =[]`:                                   `argument 1 of txn: want list, got int`,
		`txn [["read","x",null]] = =[["read","x",[1]]]`: "",
		`txn [["write","x",2]] = blocks`:                "",
	} {
		s, err := Parse("multi-register")
		if err != nil {
			t.Fatal(err)
		}
		op, err := parseCall(call)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(op); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: got %v, want %q", call, err, want)
		}
	}
}

// TestMultiRegisterTransactions compares random transactions with a map.
func TestMultiRegisterTransactions(t *testing.T) {
	r := newRandom(t)
	for range 300 {
		initial := int64(r.IntN(2))
		s, err := Parse(fmt.Sprintf("multi-register:%d", initial))
		if err != nil {
			t.Fatal(err)
		}
		state := s.New().(replay.State)
		want := map[string]int64{"x": initial, "y": initial, "z": initial}
		for range 20 {
			transaction, result := randomTransaction(r, want)
			got, ok := state.Apply(replay.Invocation{Method: "txn", Args: []history.Value{transaction}})
			if !ok || !got.Equal(result) {
				t.Fatalf("%v returns %v, want %v", transaction, got, result)
			}
		}
		// The key depends on the values of registers, not on how they were set.
		fresh := s.New().(replay.State)
		for k, v := range want {
			fresh.Apply(replay.Invocation{Method: "write", Args: []history.Value{history.StringValue(k), history.IntValue(v)}})
		}
		if key(fresh) != key(state) {
			t.Fatal("two keys of the same state")
		}
	}
}

// randomTransaction returns a transaction and performs it on registers.
func randomTransaction(r *rand.Rand, registers map[string]int64) (transaction, result history.Value) {
	var steps, results []history.Value
	for range r.IntN(4) {
		k := string("xyz"[r.IntN(3)])
		f, v, found := "read", history.NullValue, history.IntValue(registers[k])
		if r.IntN(2) == 0 {
			registers[k] = r.Int64N(3)
			f, v, found = "write", history.IntValue(registers[k]), history.IntValue(registers[k])
		}
		steps = append(steps, history.ListValue(history.StringValue(f), history.StringValue(k), v))
		results = append(results, history.ListValue(history.StringValue(f), history.StringValue(k), found))
	}
	return history.ListValue(steps...), history.ListValue(results...)
}

// A transaction without a transition changes nothing, not even by its possible
// steps.
func TestMultiRegisterUndo(t *testing.T) {
	for _, program := range []string{
		`multi-register; write "x" 1 = -; txn [["write","y",2],["append","x",3]] = blocks; read "y" = null; read "x" = 1`,
		`multi-register; txn [["append","x",1],["append","x",2],["read","x",null]] = =[["append","x",1],["append","x",2],["read","x",[1,2]]]; read "x" = =[1,2]`,
	} {
		if err := replayProgram(program); err != nil {
			t.Errorf("%s\n%v", program, strings.TrimSpace(err.Error()))
		}
	}
}

// TestMultiRegisterInitialKeys: the map of initial values in the header of a JSON file
// has strings for keys, and operations may use ints.
func TestMultiRegisterInitialKeys(t *testing.T) {
	s, err := Parse(`multi-register:{"0": 1, "01": 2, "x": 3, 7: 4, "7": 5}`)
	if err != nil {
		t.Fatal(err)
	}
	object := s.New()
	i, text := history.IntValue, history.StringValue
	for _, c := range []struct{ key, want history.Value }{
		{i(0), i(1)}, {text("0"), i(1)}, {i(1), history.NullValue}, {text("01"), i(2)}, {text("x"), i(3)}, {i(7), i(4)}, {text("7"), i(5)}, {i(8), history.NullValue},
	} {
		got, _ := object.Apply(replay.Invocation{Method: "read", Args: []history.Value{c.key}})
		if !got.Equal(c.want) {
			t.Errorf("%v has %v at first, want %v", c.key, got, c.want)
		}
	}
	fresh := key(object.(replay.State))
	for _, v := range []int64{9, 1} { // writing the initial value again leads back to the first state
		object.Apply(replay.Invocation{Method: "write", Args: []history.Value{i(0), i(v)}})
	}
	if key(object.(replay.State)) != fresh {
		t.Error("a register with its initial value is in the key")
	}
}

// TestMultiRegisterRandomUndo performs random transactions that may fail at any step.
func TestMultiRegisterRandomUndo(t *testing.T) {
	r := newRandom(t)
	text := history.StringValue
	failed := 0
	for _, model := range []string{"multi-register", "multi-register:0", "multi-register:[1]", `multi-register:{"x": [1], "y": 2}`} {
		s, err := Parse(model)
		if err != nil {
			t.Fatal(err)
		}
		state := s.New().(replay.State)
		for range 500 {
			var steps []history.Value
			for range r.IntN(6) {
				v := []history.Value{history.NullValue, history.IntValue(0), history.ListValue(), history.ListValue(history.IntValue(1))}[r.IntN(4)]
				steps = append(steps, history.ListValue(text([]string{"write", "append", "read"}[r.IntN(3)]), text("xyz"[r.IntN(3):][:1]), v))
			}
			before := key(state)
			_, ok := state.Apply(replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(steps...)}})
			if ok {
				continue
			}
			if failed++; key(state) != before {
				t.Fatalf("%s: %v has no transition, but it changes the state", model, steps)
			}
		}
	}
	if failed < 200 {
		t.Errorf("only %d transactions failed", failed)
	}
}
