package report_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/spec"
)

const stale = `{"leadline":1,"history":"stale","model":"register","args":[0]}
{"process":"writer","op":0,"type":"invoke","method":"write","args":[1]}
{"process":"reader","op":1,"type":"invoke","method":"read"}
{"process":"reader","op":1,"type":"ok","result":1}
{"process":"reader","op":2,"type":"invoke","method":"read"}
{"process":"reader","op":2,"type":"ok","result":0}
{"process":"writer","op":0,"type":"ok"}
`

// A reader sees a write, and then no longer.
func Example() {
	var h *history.History
	for one, err := range codec.Decode(strings.NewReader(stale), "stale.jsonl", codec.Options{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		h = one
	}
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := decide.Check(context.Background(), h, s, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v)
	if err := report.Timeline(os.Stdout, h, &v, report.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// not linearizable
	//     process  id
	//     reader    1      |---|                   read(): 1
	//     reader    2              |---|           read(): 0
	//     writer    0  |-------------------|       write(1)
}
