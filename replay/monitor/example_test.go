package monitor_test

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/spec"
)

// Process A enqueues 1, then B enqueues 2; A dequeues 2, then B dequeues 1.
// Other operations are open all the time and have nothing to do with it.
func Example() {
	h, err := history.New(history.Header{}, events(`
		C enqueue 3
		A enqueue 1; A
		B enqueue 2; B
		D dequeue
		A dequeue; A = 2
		B dequeue; B = 1
		C; D = 3`))
	if err != nil {
		fmt.Println(err)
		return
	}
	queue, err := spec.Lookup("queue", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var v replay.Verdict
	if v.Finding = monitor.Run(ops.New(h, queue, 0), nil); v.Reason != "" {
		fmt.Println("declined:", v.Reason)
		return
	}
	fmt.Println(v.Answer)
	for _, i := range v.Conflict {
		fmt.Println(&h.Ops[i])
	}
	// Output:
	// not-linearizable
	// enqueue(1)
	// enqueue(2)
	// dequeue(): 2
	// dequeue(): 1
}

// events reads a process with a method and an argument for an invocation, and
// a process alone, or with a result, for a response.
func events(text string) []history.Event {
	var list []history.Event
	for event := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		words := strings.Fields(event)
		if len(words) == 0 {
			continue
		}
		e := history.Event{Type: history.OK, Process: history.StringValue(words[0])}
		switch {
		case len(words) == 3 && words[1] == "=":
			e.Result = parseValue(words[2])
		case len(words) > 1:
			e.Type, e.Method = history.Invoke, words[1]
			for _, word := range words[2:] {
				e.Args = append(e.Args, parseValue(word))
			}
		}
		list = append(list, e)
	}
	return list
}
