package schedule_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

func hash(s string, seed uintptr) uintptr {
	return schedule.StrHash(unsafe.Pointer(&s), seed)
}

// A fixed hash: other processes have to hash alike.
func TestStrHash(t *testing.T) {
	const want = uint64(0xcadb0e2da5410239)
	if got := hash("leadline", 7); unsafe.Sizeof(got) == 8 && uint64(got) != want {
		t.Errorf("the hash of leadline is %#x, want %#x", got, want)
	}
	// Strings of all lengths around words, seeds, and zeros at the end differ.
	seen := map[uintptr]string{}
	for n := range 40 {
		for _, s := range []string{strings.Repeat("\x00", n), strings.Repeat("\x00", n) + "\x01", strings.Repeat("a", n) + "b"} {
			for seed := range uintptr(3) {
				h := hash(s, seed)
				if other, ok := seen[h]; ok {
					t.Errorf("%q with seed %d has the hash of %q", s, seed, other)
				}
				seen[h] = s
			}
		}
	}
	if words := [2]uint64{1, 2}; schedule.MemHash(unsafe.Pointer(&words), 1, 16) != hash(string(unsafe.Slice((*byte)(unsafe.Pointer(&words)), 16)), 1) {
		t.Error("MemHash and StrHash differ")
	}
}

// A loop that draws until a number fits ends, even if a sequential run is given only
// numbers that do not fit.
func TestRedrawEnds(t *testing.T) {
	const misfit = 5
	draws := 0
	p := &schedule.Program{Threads: []func(){func() {
		for draws = 1; schedule.Rand64() == misfit; draws++ {
		}
	}}}
	schedule.Redraw([]uint64{misfit})
	defer schedule.Redraw(nil)
	if r := schedule.Run(p, schedule.NewReplay(nil), schedule.Limits{}); r.Cut || draws < 2 {
		t.Errorf("cut: %v, after %d draws", r.Cut, draws)
	}
}

func TestNanotime(t *testing.T) {
	a := schedule.Nanotime()
	b := schedule.Nanotime()
	if a <= 0 || b < a {
		t.Errorf("Nanotime returned %d, then %d", a, b)
	}
	schedule.Unsupported("runtime.procPin") // outside of a scheduled execution, it does nothing
}

// The range over a slice has the elements as they are in each iteration.
func TestRangeSlice(t *testing.T) {
	s := []int{1, 2, 3}
	var got []int
	for it, i, v := schedule.RangeSlice(s); it.Next(&i, &v); {
		if i < 2 {
			s[i+1] *= 10
		}
		got = append(got, i, v)
	}
	if want := []int{0, 1, 1, 20, 2, 30}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for it, _, v := schedule.RangeSlice([]string{}); it.Next(nil, &v); {
		t.Error(v)
	}
}
