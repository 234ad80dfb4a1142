package maphash_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/shim/maphash"
)

// Hashes are the same in each process.
func ExampleString() {
	fmt.Printf("%#x\n", maphash.String(maphash.MakeSeed(), "leadline"))
	// Output: 0xd183c5c4919a18d1
}
