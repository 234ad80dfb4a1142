package lines

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// arrowLines is a format that only this test knows: CLIENT > METHOD VALUE begins an operation,
// CLIENT < VALUE ends it, and a restart interrupts all of them.
var arrowLines = table{
	name:        "arrow",
	description: "events as arrows",
	mark:        "object:",
	nothing:     "-",
	isWord:      func(text []byte) bool { return !bytes.ContainsAny(text, " \t") },
	usage:       "CLIENT > METHOD VALUE, CLIENT < VALUE or restart",
	objects: []object{
		{names: []string{"stack"}, model: "stack", methods: []method{{[]string{"push"}, "push", argument}, {[]string{"pop"}, "pop", answer}}},
		{names: []string{"set"}, model: "set", methods: []method{{[]string{"add"}, "add", both}}},
	},
	cut: func(l *line, text []byte) bool {
		first, rest := scan.CutWord(text)
		if string(first) == "restart" && len(rest) == 0 {
			l.kind = crashLine
			return true
		}
		arrow, rest := scan.CutWord(rest)
		l.kind, l.process, l.value = eventLine, first, rest
		switch string(arrow) {
		case ">":
			l.method, l.value = scan.CutWord(rest)
		case "<":
			l.typ = history.OK
		default:
			return false
		}
		return true
	},
}

// TestLineFormat: a row is a whole format.
func TestLineFormat(t *testing.T) {
	f := arrowLines.format()
	for _, test := range []struct{ text, want string }{
		{"#object: stack\r\na > push 1\r\n\r\n  # nothing\r\nb > pop\na <\nb < 1", `history "" line 1 of arrow, stack, processes ["a" "b"]
unterminated
0 process 0 line 2 call 0 return 2: push(1) (none)
1 process 1 line 5 call 1 return 3: pop(): 1 (int)
`},
		{"# object: stack\n7 > push x\nrestart\n7 > pop\n7 < -\n", `history "" line 1 of arrow, stack, processes [7 "7#2"]
0 process 0 line 2 call 0: push("x"): pending
1 process 1 line 4 call 2 return 3: pop(): null (null)
`},
		{"# object: set\n1 > add 4\n1 < true\n", `history "" line 1 of arrow, set, processes [1]
0 process 0 line 2 call 0 return 1: add(4): true (bool)
`},
		{"1 > push 1\n# object: stack\n1 > push\n1 > push -\n1 > top 2\n1 = 2\n1 > push 99999999999999999999\n2 < 4\n1 > push 1\n1 < 2\n# object: bag\n1 > push 1\n",
			`error: in:1: no object before this line; a history begins with # object: stack or set
invalid history "1"
in:3: push needs a value to put in
in:4: push needs a value to put in, and - stands for nothing
in:5: stack has no method "top"
in:6: a line is: CLIENT > METHOD VALUE, CLIENT < VALUE or restart
in:7: integer 99999999999999999999 does not fit 64 bits
in:8: response of process 2, which has no open operation
in:10: push returns 2, but has no result
invalid history "2"
in:11: the object is stack or set, not "bag"
`},
	} {
		if got := dump(f.Decode(strings.NewReader(test.text), "in", decode.Limits{})); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
	for text, want := range map[string]decode.Guess{"# a\n# object: stack\n1 > pop\n": decode.Yes, "# object: x": decode.Likely, "1 > pop\n": decode.No, "# a\n": decode.Maybe} {
		if got := f.Sniff([]byte(text)); got != want {
			t.Errorf("%q: Sniff %d, want %d", text, got, want)
		}
	}
}

// dump describes what a decoder yields.
func dump(seq iter.Seq2[*history.History, error]) string {
	var b strings.Builder
	for h, err := range seq {
		var errs *history.Errors
		switch {
		case errors.As(err, &errs):
			fmt.Fprintf(&b, "invalid history %q\n%v\n", errs.ID, err)
			continue
		case err != nil:
			fmt.Fprintf(&b, "error: %v\n", err)
			continue
		}
		fmt.Fprintf(&b, "history %q line %d of %s, %s, processes %v\n", h.ID, h.Line, h.Format, h.Model, h.Processes)
		if h.Unterminated {
			fmt.Fprintln(&b, "unterminated")
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			fmt.Fprintf(&b, "%v process %d line %d call %d", op.ID(), op.Process, op.Line, op.Call)
			if !op.Pending() {
				fmt.Fprintf(&b, " return %d: %v (%v)\n", op.Return, op, op.Result.Kind())
				continue
			}
			fmt.Fprintf(&b, ": %v\n", op)
		}
	}
	return b.String()
}
