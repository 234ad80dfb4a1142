package further_test

import (
	"fmt"

	"github.com/leadline/leadline/benchdata/subjects/further"
)

func Example() {
	c := further.NewGcacheLRU()
	_ = c.Set(0, 7)
	_, err := c.GetIFPresent(1)
	fmt.Println(c.Len(), err, c.MissCount())
	// Output: 1 Key not found. 1
}
