package composed

import (
	"testing"
)

// count is the length of a map, as programs compute it with Range.
func count(m Map) any {
	n := 0
	m.Range(func(any, any) bool { n++; return true })
	return n
}

// TestRange: methods with Range and Clear, atomic or not.
func TestRange(t *testing.T) {
	// A violation of count needs three operations: those that it does not need are left out without -full.
	count3 := Options{Without: []string{"Load", "LoadOrStore", "Swap", "CompareAndSwap", "CompareAndDelete"}}
	if *full {
		count3.Without = nil
	}
	oneKey := count3
	oneKey.Keys = []any{"a"} // Range adds another
	strings2 := Options{Keys: []any{"a", "b"}}
	for name, c := range map[string]struct {
		method func(Map) any
		o      Options
		atomic bool
	}{
		"count":            {count, count3, false},
		"count, one key":   {count, oneKey, false},
		"count, only more": {count, Options{Ops: 2, Keys: []any{"a"}, Without: Removals}, true},
		"clear":            {func(m Map) any { m.Clear(); return nil }, Options{}, true},
		"clear and store":  {func(m Map) any { m.Clear(); m.Store(1, 2); return nil }, Options{}, false},
		"delete each":      {func(m Map) any { m.Range(func(k, _ any) bool { m.Delete(k); return true }); return nil }, Options{}, false},
		"any": {func(m Map) any {
			found := false
			m.Range(func(any, any) bool { found = true; return false })
			return found
		}, Options{Ops: 2}, true}, // false is right at first, when the map is empty
		"strings":          {func(m Map) any { s := ""; m.Range(func(k, _ any) bool { s += k.(string); return true }); return s }, strings2, false},
		"clear what is in": {func(m Map) any { m.Store(1, 1); m.Clear(); return nil }, Options{}, false},
	} {
		r := explored(t, c.method, c.o)
		if (r.Violation == nil) != c.atomic {
			t.Errorf("%s: %v\n%v", name, r, r.Violation)
		}
		t.Logf("%s: %v\n%v", name, r, r.Violation)
	}
}
