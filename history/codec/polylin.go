package codec

import "github.com/leadline/leadline/history"

const polylinName = "polylin"

// polylinLines has intervals with stamps, where a response at t precedes an invocation at t. -1
// is the result of a method that finds nothing.
var polylinLines = lineFormat{
	name:        polylinName,
	description: "PolyLin's: method, value, start and end in a line, below # stack, queue, pqueue, set or deque",
	order:       history.StampOrder,
	tie:         history.HalfOpen,
	nothing:     "-1",
	usage:       "method value start end, for a set: method value result start end",
	cut:         cutPolylin,
	objects: []lineObject{
		{[]string{"stack"}, dialect{model: "stack", words: stackWords}},
		{[]string{"queue"}, dialect{model: "queue", words: []word{
			{f: "enq", shape: blind, method: "enqueue"},
			{f: "deq", shape: answer, method: "dequeue"},
			{f: "peek", shape: answer, method: "peek"},
		}}},
		{[]string{"pqueue"}, dialect{model: "priority-queue", args: []history.Value{history.StringValue("max")}, words: heapWords}},
		{[]string{"set"}, dialect{model: "set", words: []word{
			{f: "insert", shape: both, method: "add"},
			{f: "remove", shape: both, method: "remove"},
			{f: "contains", shape: both, method: "contains"},
		}}},
		{[]string{"deque"}, dialect{model: "deque", words: dequeWords}},
	},
}

func cutPolylin(l *line, text []byte) bool {
	var words [4][]byte
	count := 0
	l.kind = operationLine
	l.method, text = cutWord(text)
	for ; len(text) > 0; count++ {
		if count == len(words) {
			return false
		}
		words[count], text = cutWord(text)
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
