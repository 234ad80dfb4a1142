package stresstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const exploredTest = `package shop

import (
	"sync"
	"testing"

	"github.com/leadline/leadline/replay/stresstest"
)

func TestLocks(t *testing.T) {
	t.Run("both orders", func(t *testing.T) {
		stresstest.Explore(t, func(t *testing.T) {
			var a, b sync.Mutex
			go func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }()
			b.Lock()
			a.Lock()
			a.Unlock()
			b.Unlock()
		}, stresstest.ExploreOptions{})
	})
	for range 2 {
		stresstest.Explore(t, func(t *testing.T) { var a sync.Mutex; go a.Lock() }, stresstest.ExploreOptions{Leaks: stresstest.NoLeaks})
	}
	stresstest.Explore(t, func(t *testing.T) { <-t.Context().Done() }, stresstest.ExploreOptions{})
}
`

// TestExplore: calls in a test of a user, each in its own process.
func TestExplore(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds test programs: without -short")
	}
	dir := userModule(t)
	if err := os.WriteFile(filepath.Join(dir, "shop_test.go"), []byte(exploredTest), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-mod=mod", "-v", ".")
	cmd.Dir, cmd.Env = dir, withoutDWARF()
	out, err := cmd.CombinedOutput()
	text := string(out)
	if _, failed := err.(*exec.ExitError); !failed {
		t.Errorf("it does not fail: %v", err)
	}
	for _, want := range []string{"explore: deadlock: ", "held by thread", "explore-TestLocks_both_orders-1.txt", "which are all schedules", "--- FAIL: TestLocks/both_orders",
		"deadlock: the test waits for chan receive at "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(text, "which are all schedules"); n != 2 {
		t.Errorf("%d calls were explored without a fault, not 2", n)
	}
	if t.Failed() {
		t.Logf("go test wrote:\n%s", text)
	}
}
