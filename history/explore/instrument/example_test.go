package instrument_test

import (
	"context"
	"fmt"
	"os"

	"github.com/leadline/leadline/history/explore/instrument"
)

func Example() {
	cache, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(cache)
	r, err := instrument.Build(context.Background(), instrument.Target{
		Packages: []string{"./testdata/lost"}, // a package of this module
		Cache:    cache,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Notes {
		fmt.Println(p.Path, p.Counts)
	}
	fmt.Println(len(r.Overlay), "file is replaced")
	// Output:
	// github.com/leadline/leadline/history/explore/instrument/testdata/lost map[import sync/atomic:1]
	// 1 file is replaced
}
