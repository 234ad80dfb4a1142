package lines

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// PolyLin has intervals with stamps, where a response at t precedes an invocation at t.
var PolyLin = polylin.format()

// polylin has -1 as the result of a method that finds nothing.
var polylin = table{
	name:        "polylin",
	description: "PolyLin's: method, value, start and end in a line, below # stack, queue, pqueue, set or deque",
	header:      history.Header{Order: history.StampOrder, Tie: history.HalfOpen, NoProcesses: true},
	nothing:     "-1",
	usage:       "method value start end, for a set: method value result start end",
	cut:         cutPolylin,
	objects: []object{
		{names: []string{"stack"}, model: "stack", methods: []method{
			{[]string{"push"}, "push", argument},
			{[]string{"pop"}, "pop", answer},
			{[]string{"peek"}, "peek", answer},
		}},
		{names: []string{"queue"}, model: "queue", methods: []method{
			{[]string{"enq"}, "enqueue", argument},
			{[]string{"deq"}, "dequeue", answer},
			{[]string{"peek"}, "peek", answer},
		}},
		{names: []string{"pqueue"}, model: "priority-queue", args: []history.Value{history.StringValue("max")}, methods: []method{
			{[]string{"insert"}, "insert", argument},
			{[]string{"poll"}, "poll", answer},
			{[]string{"peek"}, "peek", answer},
		}},
		{names: []string{"set"}, model: "set", methods: []method{
			{[]string{"insert"}, "add", both},
			{[]string{"remove"}, "remove", both},
			{[]string{"contains"}, "contains", both},
		}},
		{names: []string{"deque"}, model: "deque", methods: []method{
			{[]string{"push-front", "push_front"}, "pushFront", argument},
			{[]string{"push-back", "push_back"}, "pushBack", argument},
			{[]string{"pop-front", "pop_front"}, "popFront", answer},
			{[]string{"pop-back", "pop_back"}, "popBack", answer},
			{[]string{"peek-front", "peek_front"}, "peekFront", answer},
			{[]string{"peek-back", "peek_back"}, "peekBack", answer},
		}},
	},
}

func cutPolylin(l *line, text []byte) bool {
	var words [4][]byte
	count := 0
	l.kind = operationLine
	l.method, text = scan.CutWord(text)
	for ; len(text) > 0; count++ {
		if count == len(words) {
			return false
		}
		words[count], text = scan.CutWord(text)
	}
	if count < 3 {
		return false
	}
	if count == 4 {
		l.result = words[1]
	}
	l.value, l.start, l.end = words[0], words[count-2], words[count-1]
	return true
}
