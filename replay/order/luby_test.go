package order

import (
	"slices"
	"testing"
)

func TestLuby(t *testing.T) {
	var got []int
	for i := range 31 {
		got = append(got, luby(i+1))
	}
	half := []int{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8}
	if want := slices.Concat(half, half, []int{16}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
