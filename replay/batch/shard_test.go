package batch

import (
	"fmt"
	"slices"
	"testing"
)

// TestShard: entry k is in shard k mod n, and the shards together are the input.
func TestShard(t *testing.T) {
	var input []Entry
	for k := range 10 {
		input = append(input, Entry{File: fmt.Sprint(k)})
	}
	for n := 1; n <= 12; n++ {
		whole := make([]string, len(input))
		for part := range n {
			var s Shard
			if err := s.Set(fmt.Sprintf("%d/%d", part+1, n)); err != nil || s.String() != fmt.Sprintf("%d/%d", part+1, n) {
				t.Fatalf("%v, %v", &s, err)
			}
			k := part
			for e := range s.Of(slices.Values(input)) {
				if e.File != fmt.Sprint(k) {
					t.Errorf("shard %v has entry %s, want %d", &s, e.File, k)
				}
				whole[k] = e.File
				k += n
			}
		}
		if slices.Contains(whole, "") {
			t.Errorf("the %d shards have only %q", n, whole)
		}
	}
	for _, text := range []string{"", "1", "0/3", "4/3", "-1/3", "1/0", "a/b", "1/2/3"} {
		if err := new(Shard).Set(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
