package proof_test

import (
	"fmt"

	"github.com/leadline/leadline/replay/proof"
)

const lost = `{"leadline":1,"model":"queue"}
{"process":"A","type":"invoke","method":"enqueue","args":[1]}
{"process":"A","type":"ok"}
{"process":"A","type":"invoke","method":"enqueue","args":[2]}
{"process":"B","type":"invoke","method":"dequeue"}
{"process":"B","type":"ok","result":null}
`

func Example() {
	certificate, err := proof.Make([]byte(lost), proof.Hint{Core: []int{0, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", certificate)
	claim, err := proof.Verify(certificate, []byte(lost))
	fmt.Println(claim, err)
	// Output:
	// {"certificate":1,"sha256":"ab3367dd27ef98ba259558470d2e1893229b91fb2e2707659b68bc39dcf4c6c1","model":"queue","until":5,"of":5,"only":[1]}
	// {"operation":0,"call":1,"return":2,"method":"enqueue","args":[1]}
	// {"operation":2,"call":4,"return":5,"method":"dequeue","result":null}
	// {"done":0,"state":[]}
	// {"done":1,"state":[1]}
	// history "" is not linearizable as a queue: 2 of its 3 operations have no linearization (2 configurations), and the others may be left out <nil>
}
