package composed

import (
	"strings"
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
	strings2 := Options{Keys: []any{"a", "b"}}
	for name, c := range map[string]struct {
		method func(Map) any
		o      Options
		atomic bool
	}{
		"count":            {count, Options{}, false},
		"count, one key":   {count, Options{Keys: []any{"a"}}, false}, // moreKeys adds another
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
		if (r.Violation == nil) != c.atomic || r.Panics != "" {
			t.Errorf("%s: %v, panics %q\n%v", name, r, r.Panics, r.Violation)
		}
		if r.Violation != nil {
			t.Logf("%s: %v", name, r.Violation)
		}
	}
	r := explored(t, func(m Map) any { m.Range(func(k, _ any) bool { m.Delete(k); return true }); return nil }, Options{})
	if text := r.Violation.String(); !strings.Contains(text, "Repair: Clear()\n") || strings.Contains(text, "Clear(1") {
		t.Errorf("the repair of a Range with Delete is\n%s", text)
	}
}
