package codec

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/leadline/leadline/history"
)

const limoName = "limo"

var limoObjects = []lineObject{
	{"atomic-stack", "stack", nil, []lineMethod{
		{[]string{"push", "add"}, "push", true}, {[]string{"pop", "remove"}, "pop", false},
	}},
	{"atomic-queue", "queue", nil, []lineMethod{
		{[]string{"enq", "add", "enqueue"}, "enqueue", true},
		{[]string{"deq", "remove", "dequeue"}, "dequeue", false},
	}},
}

var limoMark = []byte("@object")

// limoHeader returns the word after "# @object", or nil.
func limoHeader(text []byte) []byte {
	word, rest := cutWord(text)
	if string(word) == "#" {
		word, rest = cutWord(rest)
		if bytes.Equal(word, limoMark) {
			word, _ = cutWord(rest)
			return append([]byte{}, word...)
		}
	}
	return nil
}

func sniffLimo(head []byte) Guess {
	return sniffHeader(head, func(line []byte) bool { return limoHeader(line) != nil })
}

// decodeLimo reads LiMo's histories of stacks and queues. Numbers in brackets are
// usually those of operations, sometimes those of threads. They are read as processes.
func decodeLimo(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeText(r, file, limoName, lim, func(t *textLines) textFormat { return &limo{textLines: t} })
}

type limo struct {
	*textLines
	object  *lineObject
	pool    pool
	open    map[limoID]limoCall
	crashes int
	lost    map[limoID]int // numbers in use at a crash, with the number of the last such crash
}

// A limoID is what is in brackets: a number, or a string if it is not an integer
// in its usual notation.
type limoID struct {
	number int64
	text   string
}

// A limoCall is a call that has not returned.
type limoCall struct {
	method *lineMethod
	value  history.Value // None, or the result of a removal that its call has
	line   int
}

func (d *limo) line(text []byte, number int) (fault string) {
	first, rest := cutWord(text)
	if string(first) == "#" {
		if word := limoHeader(text); word != nil {
			return d.header(string(word), number)
		}
	}
	switch {
	case first[0] == '#':
		return ""
	case d.object == nil && d.out.last != nil:
		return "" // of a history whose object is unknown, which has been said
	case d.object == nil:
		return "no object before this line; a history begins with # @object atomic-stack or atomic-queue"
	case string(first) == "crash" && len(rest) == 0:
		d.crash()
		return ""
	case first[0] != '[' || first[len(first)-1] != ']' || len(first) == 2:
		return "a line is [id] call METHOD VALUE, [id] return VALUE or crash"
	}
	d.taken += eventBytes + 2*int64(len(text)) // identifiers and values may be strings
	var id limoID
	var isNumber bool
	if id.number, isNumber = plainInt(first[1 : len(first)-1]); !isNumber {
		id.text = string(first[1 : len(first)-1])
	}
	if n := d.out.last.b.Events(); n%sampled == 0 && n > 0 {
		d.out.last.b.Expect((n + d.expectMore(n)) / 2)
	}
	verb, rest := cutWord(rest)
	switch string(verb) {
	case "call":
		return d.call(id, rest, number)
	case "return":
		return d.response(id, rest, number)
	}
	return "a line is [id] call METHOD VALUE, [id] return VALUE or crash"
}

func (d *limo) header(word string, number int) (fault string) {
	d.object, d.open, d.lost, d.crashes = nil, map[limoID]limoCall{}, map[limoID]int{}, 0
	b := d.begin(history.Header{}, number)
	for i := range limoObjects {
		o := &limoObjects[i]
		if word == o.name || "atomic-"+word == o.name {
			d.object = o
			b.SetModel(o.model, nil)
			return ""
		}
	}
	return fmt.Sprintf("the object is atomic-stack or atomic-queue, not %q", clip([]byte(word)))
}

// process returns the process with a number. A number that was in use at a crash
// belongs to a new process afterwards.
func (d *limo) process(id limoID) history.Value {
	if d.crashes > 0 && d.lost[id] > 0 {
		name := id.text
		if name == "" {
			name = strconv.FormatInt(id.number, 10)
		}
		return history.StringValue(name + "@" + strconv.Itoa(d.lost[id]))
	}
	if id.text == "" {
		return history.IntValue(id.number)
	}
	return history.StringValue(id.text)
}

// crash leaves all open calls pending.
func (d *limo) crash() {
	d.crashes++
	for id := range d.open {
		d.lost[id] = d.crashes
	}
	clear(d.open)
}

func (d *limo) call(id limoID, rest []byte, number int) (fault string) {
	name := rest
	if i := bytes.IndexAny(rest, " \t("); i >= 0 {
		name, rest = rest[:i], rest[i:]
	} else {
		rest = nil
	}
	method := d.object.index(name)
	if method < 0 {
		return fmt.Sprintf("an %s of LiMo has no method %q", d.object.name, clip(name))
	}
	m := &d.object.methods[method]
	value, fault := limoValue(rest)
	switch {
	case fault != "":
		return fault
	case m.puts && (value.Kind() == history.None || value.Kind() == history.Null):
		return fmt.Sprintf("%s needs a value to put in", name)
	}
	ev := history.Event{Type: history.Invoke, Process: d.process(id), Method: m.method, Line: number}
	if m.puts {
		ev.Args = d.pool.list([]history.Value{value})
	}
	if _, open := d.open[id]; !open {
		d.open[id] = limoCall{m, value, number}
	}
	d.out.last.b.Add(&ev) // which refuses a number that is open
	return ""
}

// response reads a return. A removal that returns without a value found nothing, unless
// its call has the value.
func (d *limo) response(id limoID, rest []byte, number int) (fault string) {
	ev := history.Event{Type: history.OK, Process: d.process(id), Line: number}
	call, open := d.open[id]
	delete(d.open, id)
	value, fault := limoValue(rest)
	fixed := open && !call.method.puts && call.value.Kind() != history.None
	switch {
	case fault != "":
		return fault
	case !open: // the Builder reports it
	case call.method.puts && value.Kind() != history.None:
		return fmt.Sprintf("%s returns %v, but has no result", call.method.names[0], value)
	case fixed && value.Kind() != history.None && !value.Equal(call.value):
		return fmt.Sprintf("%s returns %v, but its call (line %d) has %v", call.method.names[0], value, call.line, call.value)
	case fixed:
		ev.Result = call.value
	case !call.method.puts && value.Kind() == history.None:
		ev.Result = history.NullValue
	default:
		ev.Result = value
	}
	d.out.last.b.Add(&ev)
	return ""
}

// limoValue reads a value, in parentheses or not: an integer, a word, one of
// the form ?<1,2>, or empty, which is null. None means no value.
func limoValue(text []byte) (v history.Value, fault string) {
	word := bytes.Trim(text, " \t\r")
	if n, ok := plainInt(word); ok {
		return history.IntValue(n), ""
	}
	for len(word) > 1 && word[0] == '(' && word[len(word)-1] == ')' {
		word = bytes.Trim(word[1:len(word)-1], " \t")
	}
	if bytes.IndexByte(word, ',') >= 0 {
		word = bytes.ReplaceAll(word, []byte(", "), []byte(","))
	}
	switch {
	case len(word) == 0:
		return history.NoValue, ""
	case string(word) == "empty" || string(word) == "Empty":
		return history.NullValue, ""
	case isInteger(string(word)):
		n, ok := plainInt(word)
		if !ok {
			return v, fmt.Sprintf("integer %s does not fit 64 bits", clip(word))
		}
		return history.IntValue(n), ""
	case !isLimoWord(word):
		return v, fmt.Sprintf("%q is not a value: an integer, a word, empty or ?<1,2>", clip(word))
	}
	return history.StringValue(string(word)), ""
}

// isLimoWord reports whether text is a word, perhaps with two indices, as in ?<1,2>.
func isLimoWord(text []byte) bool {
	name, indices, indexed := bytes.Cut(text, []byte("<"))
	for _, c := range name {
		if !isLetter(c) && c != '?' {
			return false
		}
	}
	if !indexed {
		return len(name) > 0
	}
	first, second, pair := bytes.Cut(bytes.TrimSuffix(indices, []byte(">")), []byte(","))
	digits := func(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0 }
	return len(name) > 0 && pair && bytes.HasSuffix(indices, []byte(">")) && digits(first) && digits(second)
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
