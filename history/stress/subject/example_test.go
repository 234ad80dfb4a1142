package subject_test

import (
	"fmt"

	"github.com/leadline/leadline/history/stress/subject"
)

func Example() {
	broken := subject.Lookup("counter-lost-update")
	correct := subject.Lookup(broken.Twin)
	fmt.Println(broken.Doc)
	for _, s := range []*subject.Subject{correct, broken} {
		object := s.Class.New()
		increment := s.Class.Method("increment").Prepare(nil)
		increment(object)
		increment(object)
		fmt.Println(s.Class.Name, s.Class.Method("read").Prepare(nil)(object))
	}
	// Output:
	// a counter that loads, adds and stores
	// counter 2
	// counter-lost-update 2
}
