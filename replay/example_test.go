package replay_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/spec"
)

// A specification of your own: a ticket machine that is sold out after three
// tickets. The state is the number of tickets sold.
func ExampleModel() {
	tickets := &replay.Model[int64]{
		Label: "tickets",
		Next: func(sold int64, inv replay.Invocation) []replay.Step[int64] {
			switch {
			case inv.Method == "left":
				return []replay.Step[int64]{{Result: history.IntValue(3 - sold), Next: sold}}
			case sold < 3:
				return []replay.Step[int64]{{Result: history.IntValue(sold), Next: sold + 1}}
			}
			return []replay.Step[int64]{{Result: history.NullValue, Next: sold}}
		},
		Key: func(dst []byte, sold int64) []byte { return fmt.Append(dst, sold) },
		Valid: func(op *history.Operation) error {
			if op.Method != "buy" && op.Method != "left" || len(op.Args) > 0 {
				return fmt.Errorf("there is no %v", op)
			}
			return nil
		},
	}
	h := recorded(`{"leadline":1}
{"process":"A","type":"invoke","method":"buy"}
{"process":"B","type":"invoke","method":"buy"}
{"process":"A","type":"ok","result":1}
{"process":"A","type":"invoke","method":"left"}
{"process":"B","type":"ok","result":0}
{"process":"A","type":"ok","result":1}
`)
	v, err := decide.Check(context.Background(), h, tickets, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(&v)
	for _, i := range v.Witness {
		fmt.Println(&h.Ops[i])
	}
	// Output:
	// linearizable at depth 1
	// buy(): 0
	// buy(): 1
	// left(): 1
}

// Why a history is not linearizable. Package report writes it as text.
func ExampleExplanation() {
	h := recorded(`{"leadline":1,"model":"queue"}
{"process":"A","type":"invoke","method":"enqueue","args":[1]}
{"process":"A","type":"ok"}
{"process":"B","type":"invoke","method":"dequeue"}
{"process":"A","type":"invoke","method":"dequeue"}
{"process":"B","type":"ok","result":1}
{"process":"A","type":"ok","result":1}
`)
	queue, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := decide.Check(context.Background(), h, queue, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v.Explanation = explain.Why(context.Background(), h, queue, v, replay.Options{})
	fmt.Println(&v)
	e := v.Explanation
	fmt.Println("no order explains", &h.Ops[e.Unexplained])
	for _, group := range e.Free {
		for _, f := range group {
			fmt.Println("allowed for operation", f.Op, "are", f.Allowed)
		}
	}
	if err := report.Timeline(os.Stdout, h, &v, report.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// not linearizable
	// no order explains dequeue(): 1
	// allowed for operation 1 are [null]
	// allowed for operation 2 are [null]
	//     process  id
	//     A         0  |---|                       enqueue(1)
	// !*  A         2              |-------|       dequeue(): 1
	// *   B         1          |-------|           dequeue(): 1
	//  ! no order explains its response
	//  * with another result, the history would be linearizable
}

func recorded(text string) *history.History {
	for h, err := range codec.Decode(strings.NewReader(text), "recorded", codec.Options{}) {
		if err != nil {
			panic(err)
		}
		return h
	}
	return nil
}
