package safety_test

import (
	"container/list"
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/leadline/leadline/history/stress/safety"
)

// A program that tests a type calls Serve first, since its workers are the same
// program.
func Example() {
	library := &safety.Library{
		Path: "container/list", Package: "list",
		Targets: []safety.Target{{Name: "list.List", Type: reflect.TypeFor[*list.List](), Zero: true}},
	}
	if status, isWorker := safety.Serve(library); isWorker {
		os.Exit(status)
	}
	report, err := safety.Search(context.Background(), library, "list.List", safety.Parameters{Seed: 1, Rounds: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if f := report.Finding; f != nil {
		fmt.Printf("%s is not safe: %s: %s\n%s", report.Target, f.Kind, f.Text, f.Source)
	}
}
