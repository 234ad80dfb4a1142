package main

import (
	"iter"
	"sync"
)

// inOrder runs do on every item, up to jobs at a time, and hands the results
// to emit in the order of the items, each as soon as it and all before it are
// there. Items are drawn a few ahead of the work, not more. When emit
// returns false, inOrder stops drawing items and returns.
func inOrder[T, R any](items iter.Seq[T], jobs int, do func(T) R, emit func(R) bool) {
	type task struct {
		item   T
		result chan R
	}
	tasks := make(chan task)
	results := make(chan chan R, jobs)
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for t := range tasks {
				t.result <- do(t.item)
			}
		})
	}
	workers.Go(func() {
		defer close(results)
		defer close(tasks)
		for item := range items {
			t := task{item, make(chan R, 1)}
			select {
			case results <- t.result:
			case <-stop:
				return
			}
			tasks <- t
		}
	})
	for result := range results {
		if !emit(<-result) {
			close(stop)
			break
		}
	}
	for range results { // let go of what was begun
	}
	workers.Wait()
}
