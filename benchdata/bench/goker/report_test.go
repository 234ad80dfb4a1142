package goker

import (
	"regexp"
	"slices"
	"strconv"
)

// A report is what is read of a line that leadline explore -o json prints.
type report struct {
	Package    string  `json:"package"`
	Status     string  `json:"status"`
	Refused    string  `json:"refused"`
	Executions int64   `json:"executions"`
	Complete   int     `json:"complete"`
	Cut        int64   `json:"cut"`
	Seconds    float64 `json:"seconds"`
	Fault      *struct {
		Kind        string   `json:"kind"`
		Text        string   `json:"text"`
		Threads     []string `json:"threads"`
		Stack       string   `json:"stack"`
		Execution   int64    `json:"execution"`
		Preemptions int      `json:"preemptions"`
		Steps       int      `json:"steps"`
	} `json:"fault"`
}

var (
	// waitsAt is where a goroutine waits, in the text of a deadlock or leak.
	waitsAt = regexp.MustCompile(` at \S+_test\.go:(\d+)(?:;|$|\n)`)
	// frame is a frame of a test file in a stack.
	frame = regexp.MustCompile(`_test\.go:(\d+)`)
)

// fill writes a report to the kernel.
func (r *report) fill(k *kernel) {
	k.Status, k.Executions, k.Complete, k.Cut, k.Seconds = r.Status, r.Executions, r.Complete, r.Cut, r.Seconds
	k.Refused = r.Refused
	f := r.Fault
	if f == nil {
		return
	}
	k.Fault, k.Text, k.Execution, k.Preemptions, k.Steps = f.Kind, f.Text, f.Execution, f.Preemptions, f.Steps
	for _, found := range waitsAt.FindAllStringSubmatch(f.Text, -1) {
		k.add(found[1])
	}
	if f.Stack != "" {
		if found := frame.FindStringSubmatch(f.Stack); found != nil { // the innermost frame of the kernel
			k.add(found[1])
		}
	}
	slices.Sort(k.Places)
}

func (k *kernel) add(line string) {
	n, err := strconv.Atoi(line)
	if err == nil && !slices.Contains(k.Places, n) {
		k.Places = append(k.Places, n)
	}
}

// compare sets how many of the documented lines the fault has. Only the same line counts.
func (k *kernel) compare(documented []int) {
	if k.Fault == "" || documented == nil {
		return
	}
	n := 0
	for _, line := range documented {
		n += count(slices.Contains(k.Places, line))
	}
	switch n {
	case 0:
		k.Documented = "none"
	case len(documented):
		k.Documented = "all"
	default:
		k.Documented = "some"
	}
}
