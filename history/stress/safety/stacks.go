package safety

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// stuckStacks returns the stacks of the goroutines that make calls.
func stuckStacks() (list []string) {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	for stack := range strings.SplitSeq(string(text), "\n\n") {
		if strings.Contains(stack, inStep) {
			_, state, _ := strings.Cut(stack, " [")
			list = append(list, cut("["+state))
		}
	}
	return list
}

// cut removes from a stack what is of this package and of the runtime.
func cut(stack string) string {
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	var kept []string
	if len(lines) > 0 && (strings.HasPrefix(lines[0], "[") || strings.HasPrefix(lines[0], "goroutine ")) {
		kept, lines = append(kept, strings.Replace(lines[0], ", locked to thread", "", 1)), lines[1:]
	}
	for i := 0; i+1 < len(lines) && len(kept) < 40; i += 2 {
		name := lines[i]
		if strings.HasPrefix(name, "reflect.Value.") || strings.HasPrefix(name, inStep) {
			break
		}
		if slices.ContainsFunc(unsaid, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		kept = append(kept, name, "    "+place)
	}
	return strings.Join(kept, "\n")
}

// unsaid are prefixes of function names that are left out of stacks.
var unsaid = []string{"runtime/debug.Stack", "panic(", "runtime.g", "internal/runtime/maps.fatal", "internal/sync.", "sync.runtime_", ownPath + ".(*runs)"}

var ownPath = reflect.TypeFor[Test]().PkgPath()

// inStep is in the stacks of goroutines that make calls.
var inStep = ownPath + ".(*bound).step"

// panicText writes the value of a panic as the runtime does, without calling a
// method that might fail itself.
func panicText(r any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T", r)
		}
	}()
	return fmt.Sprint(r)
}
