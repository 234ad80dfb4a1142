package explore

import "github.com/leadline/leadline/history/explore/schedule"

// Enumerate runs a body outside of the scheduler, once for each sequence of choices in
// lexicographic order, until it returns false. choose returns a choice from 0 to n-1, for n up to
// 32,767; it returns -1 if n is another one than in an earlier run with the same choices.
func Enumerate(body func(choose func(n int) int) (more bool)) {
	all := schedule.NewDFS(schedule.DFSOptions{})
	for more := true; more; {
		all.Begin()
		more = body(all.Choose) && all.Next(&schedule.Result{})
	}
}
