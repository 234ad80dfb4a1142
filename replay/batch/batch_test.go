package batch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// TestInternalErrors: a panic during a check and a witness that fails its second
// replay are faults of leadline; bad input is not.
func TestInternalErrors(t *testing.T) {
	panicked := &decide.PanicError{History: "h", Spec: "queue", Value: "out of range", Stack: []byte("goroutine 1")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{&history.Errors{ID: "h"}, ""},
		{errors.New("bad input"), ""},
		{fmt.Errorf("checking: %w", panicked), "internal error: file:3: out of range"},
		{fmt.Errorf("%w: history h", decide.ErrWitness), "file:3: internal error: a witness failed its second replay: history h"},
	} {
		stack, got := internalError("file:3", c.err)
		if (stack != nil) != errors.As(c.err, new(*decide.PanicError)) || (got == nil) != (c.want == "") || got != nil && got.Error() != c.want {
			t.Errorf("%v: %v, want %q", c.err, got, c.want)
		}
	}
}

// read returns the histories of a text as entries of a file.
func read(t *testing.T, file, text string) []Entry {
	t.Helper()
	var entries []Entry
	for h, err := range codec.Decode(strings.NewReader(text), file, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, Entry{File: file, Number: len(entries), History: h})
	}
	return entries
}

const plain = `{"leadline":1,"history":"a","model":"register","args":[0]}
{"process":0,"op":1,"type":"invoke","method":"write","args":[1]}
{"process":1,"op":2,"type":"invoke","method":"read"}
{"process":0,"op":1,"type":"ok"}
{"process":1,"op":2,"type":"ok","result":1}
{"process":1,"op":3,"type":"invoke","method":"read"}
`

// TestKey: the key of an entry depends on its place and on the content of its history, and
// not on its lines.
func TestKey(t *testing.T) {
	keyOfText := func(text string) key { return read(t, "file", text)[0].Key() }
	base := keyOfText(plain)
	if k := keyOfText("# moved\n" + plain); k != base {
		t.Errorf("the key of the same history on other lines is %x, want %x", k, base)
	}
	seen := map[key]string{base: "the history"}
	differs := func(what string, k key) {
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[k] = what
	}
	for _, change := range [][2]string{
		{`"register","args":[0]`, `"register","args":[1]`}, {`"register"`, `"cas-register"`}, {`"result":1`, `"result":0`},
		{`"result":1`, `"result":1.0`}, {`"result":1`, `"result":"1"`}, {`"method":"write"`, `"method":"writes"`},
		{`"args":[1]}`, `"args":[1,1]}`}, {`"args":[1]}`, `"args":[[1]]}`}, {`"op":2`, `"op":"2"`}, {`"process":0`, `"process":2`},
		{`"op":3,"type"`, `"op":4,"type"`},
	} {
		text := strings.ReplaceAll(plain, change[0], change[1])
		if text == plain {
			t.Fatalf("%q is not in the history", change[0])
		}
		differs(change[1], keyOfText(text))
	}
	differs("another order of events", keyOfText(swapLines(plain, 3, 4)))
	differs("a mark", keyOfText(plain+`{"mark":"happened","op":3}`+"\n"))
	differs("an edge", keyOfText(plain+`{"edge":[1,2]}`+"\n"))
	differs("a ghost", keyOfText(plain+`{"mark":"did-not-happen","op":3}`+"\n"+`{"edge":[1,3]}`+"\n"))
	e := read(t, "file", plain)[0]
	e.History = e.History.ProgramOrder()
	differs("program order", e.Key())
	differs("another name", keyOfText(strings.Replace(plain, `"a"`, `"b"`, 1)))
	differs("another file", read(t, "other", plain)[0].Key())
	e = read(t, "file", plain)[0]
	e.Number++
	differs("another place in the file", e.Key())
}

// swapLines exchanges two lines, counted from 0.
func swapLines(text string, i, j int) string {
	lines := strings.SplitAfter(text, "\n")
	lines[i], lines[j] = lines[j], lines[i]
	return strings.Join(lines, "")
}

func TestCheckModel(t *testing.T) {
	for model, ok := range map[string]bool{
		"": true, "queue": true, "queue:3": true, "ArrayBlockingQueue": true, "ArrayBlockingQueue:20": true,
		"heap": false, "queue:x": false, "queue:": false,
	} {
		if err := CheckModel(model); (err == nil) != ok {
			t.Errorf("%q: %v", model, err)
		}
	}
}

// TestFaultyExplanation: an explanation that does not fit the history costs its own parts
// of the line, not the verdict.
func TestFaultyExplanation(t *testing.T) {
	e := read(t, "file", plain)[0]
	r := &Result{Entry: e, Model: "register", Verdict: replay.Verdict{
		Finding:     replay.Finding{Answer: replay.NotLinearizable},
		Explanation: &replay.Explanation{Prefix: 2, Unexplained: replay.NoOperation, Core: []int32{99}},
	}}
	line := string(r.AppendLine(nil))
	for _, want := range []string{`"verdict":"not-linearizable"`, `"prefix":null`, `"core":null`, `"core":"internal error: runtime error: index out of range`} {
		if !strings.Contains(line, want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
}
