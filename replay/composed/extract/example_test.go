package extract_test

import (
	"context"
	"fmt"

	"github.com/leadline/leadline/replay/composed/extract"
)

func ExampleFind() {
	found, err := extract.Find(context.Background(), "", []string{"./testdata/cache"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found.Functions {
		fmt.Printf("%v: %s: %s (%s)\n", f.Position, f.Name, f.Collection, f.Type)
		for _, o := range f.Operations {
			fmt.Printf("    %v: %s\n", o.Position, o.Method)
		}
	}
	// Output:
	// testdata/cache/cache.go:10:17: (*Cache).Length: c.lengths (sync.Map)
	//     testdata/cache/cache.go:11:24: Load
	//     testdata/cache/cache.go:15:12: LoadOrStore
}
