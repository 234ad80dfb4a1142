package decide_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

func Example() {
	const recorded = `{"leadline":1,"history":"h1","model":"register","args":[0]}
{"process":"A","op":0,"type":"invoke","method":"write","args":[1]}
{"process":"B","op":1,"type":"invoke","method":"write","args":[2]}
{"process":"C","op":2,"type":"invoke","method":"read"}
{"process":"A","op":0,"type":"ok"}
{"process":"B","op":1,"type":"ok"}
{"process":"A","op":3,"type":"invoke","method":"read"}
{"process":"C","op":2,"type":"ok","result":1}
{"process":"A","op":3,"type":"ok","result":2}
`
	for h, err := range codec.Decode(strings.NewReader(recorded), "recorded", codec.Options{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		register, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			fmt.Println(err)
			continue
		}
		v, err := decide.Check(context.Background(), h, register, replay.Options{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(v.Answer, "at depth", v.Depth, "with index", v.Index)
		for _, i := range v.Witness {
			fmt.Println(h.Ops[i].ID(), &h.Ops[i])
		}
	}
	// Output:
	// linearizable at depth 2 with index <2, (1)>
	// 0 write(1)
	// 2 read(): 1
	// 1 write(2)
	// 3 read(): 2
}

// The three answers and errors. Two processes hold a lock at once here.
func ExampleCheck() {
	h, err := history.New(history.Header{}, []history.Event{
		{Type: history.Invoke, Process: history.IntValue(0), Method: "lock"},
		{Type: history.Invoke, Process: history.IntValue(1), Method: "lock"},
		{Type: history.OK, Process: history.IntValue(0)},
		{Type: history.OK, Process: history.IntValue(1)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mutex, err := spec.Parse("mutex")
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := decide.Check(context.Background(), h, mutex, replay.Options{Budget: replay.Budget{Time: time.Minute}})
	switch {
	case err != nil: // the history does not fit the specification, say
		fmt.Println(err)
	case v.Answer == replay.Undecided: // never a success
		fmt.Println("unknown:", v.Cause)
	default:
		fmt.Println(v.Answer)
	}
	// Output: not-linearizable
}
