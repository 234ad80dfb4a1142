package batch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/batch"
)

const stale = `{"leadline":1,"history":"overlapping","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"write","args":[1]}
{"process":"B","type":"invoke","method":"read"}
{"process":"A","type":"ok"}
{"process":"B","type":"ok","result":0}
{"leadline":1,"history":"stale","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"write","args":[1]}
{"process":"A","type":"ok"}
{"process":"B","type":"invoke","method":"read"}
{"process":"B","type":"ok","result":0}
`

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(stale), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	c := batch.Checker{Explain: true}
	for file, err := range codec.Files([]string{dir}, codec.Options{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		check := func(e batch.Entry) *batch.Result { return c.Check(context.Background(), e) }
		batch.InOrder(batch.Entries(file), 2, batch.Entry.Ops, check, func(r *batch.Result, _ bool) bool {
			o := r.Outcome()
			fmt.Println(r.Place()[len(dir)+1:]+":", o.Status)
			if o.Reason != "" {
				fmt.Println("  " + o.Reason)
			}
			line := r.AppendLine(nil) // what check --output json prints
			return len(line) > 0
		})
	}
	// Output:
	// a.jsonl#overlapping: linearizable
	// a.jsonl#stale: not-linearizable
	//   no order explains the response of 1 read(): 0
}
