package codec

import (
	"io"
	"iter"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
)

const polylinName = "polylin"

// polylinEmpty is the result of a method that finds nothing.
const polylinEmpty = -1

// A lineObject is an object that a format has a name for.
type lineObject struct {
	name    string // in the format
	model   string
	args    []history.Value
	methods []lineMethod
}

// A lineMethod is a method of a lineObject: one that inserts a value, one that removes
// or reads a value, or one of a set.
type lineMethod struct {
	names  []string // in the format
	method string   // of the specification
	puts   bool
}

// index returns the number of the method that the format calls name, or -1.
func (o *lineObject) index(name []byte) int {
	for i := range o.methods {
		for _, n := range o.methods[i].names {
			if n == string(name) {
				return i
			}
		}
	}
	return -1
}

const polylinSet = "set"

var polylinObjects = []lineObject{
	{"stack", "stack", nil, []lineMethod{
		{[]string{"push"}, "push", true}, {[]string{"pop"}, "pop", false},
		{[]string{"peek"}, "peek", false},
	}},
	{"queue", "queue", nil, []lineMethod{
		{[]string{"enq"}, "enqueue", true}, {[]string{"deq"}, "dequeue", false},
		{[]string{"peek"}, "peek", false},
	}},
	{"pqueue", "priority-queue", []history.Value{history.StringValue("max")}, []lineMethod{
		{[]string{"insert"}, "insert", true},
		{[]string{"poll"}, "poll", false},
		{[]string{"peek"}, "peek", false},
	}},
	{polylinSet, "set", nil, []lineMethod{
		{[]string{"insert"}, "add", false}, {[]string{"remove"}, "remove", false},
		{[]string{"contains"}, "contains", false},
	}},
	{"deque", "deque", nil, []lineMethod{
		{[]string{"push_front"}, "pushFront", true},
		{[]string{"push_back"}, "pushBack", true},
		{[]string{"pop_front"}, "popFront", false},
		{[]string{"pop_back"}, "popBack", false},
		{[]string{"peek_front"}, "peekFront", false},
		{[]string{"peek_back"}, "peekBack", false},
	}},
}

// polylinHeader returns the object that the line "# stack" announces, or nil.
func polylinHeader(text []byte) *lineObject {
	word, rest := cutWord(text)
	if len(word) == 1 {
		word, rest = cutWord(rest)
	} else if len(word) > 0 {
		word = word[1:]
	}
	if len(text) == 0 || text[0] != '#' || len(rest) > 0 {
		return nil
	}
	for i := range polylinObjects {
		if polylinObjects[i].name == string(word) {
			return &polylinObjects[i]
		}
	}
	return nil
}

func sniffPolylin(head []byte) Guess {
	return sniffHeader(head, func(line []byte) bool { return polylinHeader(line) != nil })
}

// decodePolylin reads PolyLin's histories: intervals with stamps, where a
// response at t precedes an invocation at t. Each operation is a process.
func decodePolylin(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeText(r, file, polylinName, lim, func(t *textLines) textFormat { return &polylin{textLines: t} })
}

type polylin struct {
	*textLines
	object *lineObject
	pool   pool
	ops    []interval
	// The stamps of ops.
	starts, ends []int64
}

// An interval is an operation without its stamps. Its value is an argument or a result,
// depending on the method. outcome is the result of a method of a set.
type interval struct {
	value   int64
	line    int32
	method  int8 // index into lineObject.methods
	outcome bool
}

func (d *polylin) line(text []byte, number int) (fault string) {
	if text[0] == '#' {
		if object := polylinHeader(text); object != nil {
			b := d.begin(history.Header{Order: history.StampOrder, Tie: history.HalfOpen}, number)
			b.SetModel(object.model, object.args)
			d.object = object
			d.out.last.finish = func() { d.build(b) }
		}
		return ""
	}
	if d.object == nil {
		return "no object before this line; a history begins with # stack, queue, pqueue, set or deque"
	}
	return d.operation(text, number)
}

// operation reads "method value start end", for a set "method value result
// start end".
func (d *polylin) operation(text []byte, number int) (fault string) {
	name, rest := cutWord(text)
	method := d.object.index(name)
	if method < 0 {
		return "a " + d.object.name + " of PolyLin has no method " + clip(name)
	}
	var fields [4]int64
	count := 0
	for ; len(rest) > 0; count++ {
		var word []byte
		word, rest = cutWord(rest)
		n, ok := parseInt(word)
		if !ok {
			return clip(word) + " is not a 64-bit integer"
		}
		if count < len(fields) {
			fields[count] = n
		}
	}
	isSet := d.object.name == polylinSet
	switch {
	case isSet && count != 4:
		return "an operation of a set is: method value result start end"
	case !isSet && count != 3:
		return "an operation is: method value start end"
	case isSet && fields[1] != 0 && fields[1] != 1:
		return "the result of an operation of a set is 0 or 1"
	case d.object.methods[method].puts && fields[0] == polylinEmpty:
		return "-1 stands for nothing and cannot be put in"
	}
	d.ops = append(d.ops, interval{value: fields[0], line: int32(min(number, math.MaxInt32)), method: int8(method), outcome: isSet && fields[1] == 1})
	d.starts, d.ends = append(d.starts, fields[count-2]), append(d.ends, fields[count-1])
	if n := len(d.ops); n == sampled || n == 32*sampled {
		more := d.expectMore(n)
		if n == sampled {
			more = min(more, 31*sampled) // the first lines are often short
		}
		d.ops, d.starts, d.ends = slices.Grow(d.ops, more), slices.Grow(d.starts, more), slices.Grow(d.ends, more)
	}
	d.taken += 2 * eventBytes
	return ""
}

// build numbers the operations by their stamps, since their order in the file has no
// meaning, and gives them to the Builder.
func (d *polylin) build(b *history.Builder) {
	list := make([]int32, len(d.ops))
	for i := range list {
		list[i] = int32(i)
	}
	list, spare := history.SortByStamp(list, make([]int32, len(list)), d.ends)
	list, _ = history.SortByStamp(list, spare, d.starts)
	b.Expect(len(list))
	for i, k := range list {
		op, id := &d.ops[k], history.IntValue(int64(i))
		m := &d.object.methods[op.method]
		value, result := history.IntValue(op.value), history.NoValue
		switch {
		case d.object.name == polylinSet:
			result = history.BoolValue(op.outcome)
		case !m.puts && op.value == polylinEmpty:
			result = history.NullValue
		case !m.puts:
			result = value
		}
		ev := history.Event{Process: id, Op: id, Method: m.method, At: d.starts[k], Line: int(op.line)}
		if m.puts || d.object.name == polylinSet {
			ev.Args = d.pool.list([]history.Value{value})
		}
		b.Add(&ev)
		b.Add(&history.Event{Type: history.OK, Process: id, Op: id, Result: result, At: d.ends[k], Line: int(op.line)})
	}
	d.ops, d.starts, d.ends = nil, nil, nil // the memory is free for the rest of the work
}
