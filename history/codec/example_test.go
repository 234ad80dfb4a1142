package codec_test

import (
	"errors"
	"fmt"
	"os"
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
	violat, _ := codec.Lookup("violat")
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
			if err := violat.Encode(os.Stdout, h); err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output:
	// history h1 has 2 operations
	// {"schema":{"class":"java.util.concurrent.ArrayBlockingQueue","arguments":[1],"sequences":[{"index":"A","invocations":[{"id":0,"method":{"name":"offer","parameters":[{"type":"java.lang.Object"}],"void":false},"arguments":[1]}]},{"index":"B","invocations":[{"id":1,"method":{"name":"poll","parameters":[],"void":false},"arguments":[]}]}],"order":[]},"events":[{"kind":"call","sid":"A","invocation":{"id":0,"method":{"name":"offer","parameters":[{"type":"java.lang.Object"}],"void":false},"arguments":[1]}},{"kind":"call","sid":"B","invocation":{"id":1,"method":{"name":"poll","parameters":[],"void":false},"arguments":[]}},{"kind":"return","sid":"A","invocation":{"id":0,"method":{"name":"offer","parameters":[{"type":"java.lang.Object"}],"void":false},"arguments":[1]},"value":"true"},{"kind":"return","sid":"B","invocation":{"id":1,"method":{"name":"poll","parameters":[],"void":false},"arguments":[]},"value":"1"}]}
	// history h2 is ill-formed: stream:8: response of process "A", which has no open operation
}
