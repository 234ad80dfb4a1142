package codec_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

// All histories of a stream, good and bad.
func Example() {
	const stream = `
{"leadline":1, "history":"h1", "model":"ArrayBlockingQueue", "args":[1]}
{"process":"A", "type":"invoke", "method":"offer", "args":[1]}
{"process":"B", "type":"invoke", "method":"poll"}
{"process":"A", "type":"ok", "result":true}
{"process":"B", "type":"ok", "result":1}
{"leadline":1, "history":"h2"}
{"process":"A", "type":"ok"}
`
	for h, err := range codec.Decode(strings.NewReader(stream), "stream", codec.Options{}) {
		var errs *history.Errors
		switch {
		case errors.As(err, &errs):
			fmt.Printf("history %s is ill-formed: %v\n", errs.ID, err)
		case err != nil:
			fmt.Println(err)
			return
		default:
			fmt.Printf("history %s has %d operations\n", h.ID, len(h.Ops))
			if err := codec.Encode(os.Stdout, h); err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output:
	// history h1 has 2 operations
	// {"leadline":1,"history":"h1","model":"ArrayBlockingQueue","args":[1]}
	// {"process":"A","op":0,"type":"invoke","method":"offer","args":[1]}
	// {"process":"B","op":1,"type":"invoke","method":"poll"}
	// {"process":"A","op":0,"type":"ok","result":true}
	// {"process":"B","op":1,"type":"ok","result":1}
	// history h2 is ill-formed: stream:8: response of process "A", which has no open operation
}

// One file that may hold several histories.
func ExampleDecode() {
	file := strings.NewReader(`{:process 0, :type :invoke, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :ok, :f :read, :value 1}
`)
	for h, err := range codec.Decode(file, "history.edn", codec.Options{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for i := range h.Ops {
			fmt.Println("line", h.Ops[i].Line, "process", h.Processes[h.Ops[i].Process], &h.Ops[i])
		}
	}
	// Output:
	// line 1 process 0 write(1)
	// line 2 process 1 read(): 1
}

// All histories of the files that a command line names. A directory means
// the files below it.
func ExampleFiles() {
	dir, err := os.MkdirTemp("", "histories")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"first", "second"} {
		text := fmt.Sprintf("{\"leadline\":1,\"history\":%q}\n", name) + `{"process":0,"type":"invoke","method":"read"}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o666); err != nil {
			fmt.Println(err)
		}
	}
	for file, err := range codec.Files([]string{dir}, codec.Options{}) {
		if err != nil {
			fmt.Println(err) // the next file follows
			continue
		}
		for h, err := range file.Histories() {
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(filepath.Base(file.Name), h.ID, len(h.Ops))
		}
	}
	// Output:
	// first.jsonl first 1
	// second.jsonl second 1
}
