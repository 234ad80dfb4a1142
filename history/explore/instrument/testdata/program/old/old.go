// Package old is of a module of Go 1.16: the variables of a loop are the same in
// all iterations.
package old

import (
	"sort"
	"sync"
)

// Captured returns what functions see of the variables of loops, after these.
func Captured() []int {
	var results []func() int
	for _, v := range map[int]int{1: 2} {
		results = append(results, func() int { return v })
	}
	m := map[string]int{"a": 7, "b": 7}
	n := 0
	for k, v := range m {
		n++
		results = append(results, func() int { return len(k)*100 + v*10 + n })
	}
	ch := make(chan int, 3)
	for i := 0; i < 3; i++ {
		ch <- i
		results = append(results, func() int { return i })
	}
	close(ch)
	for v := range ch {
		results = append(results, func() int { return v })
	}
	var out []int
	for _, f := range results {
		out = append(out, f())
	}
	return out
}

type byLength []string

func (b byLength) Len() int           { return len(b) }
func (b byLength) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLength) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Sorted sorts in several goroutines.
func Sorted(lists ...[]string) [][]string {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var out [][]string
	for i := range lists {
		wg.Add(1)
		go func(list []string) {
			defer wg.Done()
			sort.Sort(byLength(list))
			mu.Lock()
			defer mu.Unlock()
			out = append(out, list)
		}(lists[i])
	}
	wg.Wait()
	sort.Slice(out, func(i, j int) bool { return len(out[i]) < len(out[j]) })
	return out
}
