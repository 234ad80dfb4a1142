package composed

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/leadline/leadline/replay/composed"
)

// The kinds of methods, in the order of the table. Figure 12 i is a single operation, and vii
// keeps futures in the map; no subject does.
var kindOrder = []string{"ii", "iii", "iv, vi", "v", "ii with Store", "read and write", "other"}

// kindOf returns the kind of a method, from its operations on an empty map, and from those of a
// second call.
func kindOf(method func(composed.Map) any, atomic bool) string {
	var m sync.Map
	call := func() string {
		r := &recorder{Map: &m}
		func() {
			defer func() { _ = recover() }() // some methods do not expect what they find
			method(r)
		}()
		return strings.Join(r.calls, " ")
	}
	switch first, second := call(), call(); {
	case first == "Load LoadOrStore" && second == "Load" && atomic:
		return "ii"
	case first == "Load LoadOrStore" && second == "Load":
		return "v"
	case first == "LoadOrStore Load" && second == "LoadOrStore Load":
		return "iii"
	case first == "Load LoadOrStore Load" && second == "Load":
		return "iv, vi"
	case first == "Load Store" && second == "Load":
		return "ii with Store"
	case second == "Load Store" || second == "Load Delete":
		return "read and write"
	}
	return "other"
}

// A recorder records the operations of a method. A Load counts once if it follows one of the
// same key.
type recorder struct {
	composed.Map
	calls []string
	last  any
}

func (r *recorder) record(name string, key any) {
	if n := len(r.calls); n > 0 && name == "Load" && r.calls[n-1] == name && r.last == key {
		return
	}
	if len(r.calls) > 0 && r.last != key {
		name += " of another key"
	}
	r.calls, r.last = append(r.calls, name), key
}

func (r *recorder) Load(key any) (any, bool) { r.record("Load", key); return r.Map.Load(key) }
func (r *recorder) Store(key, v any)         { r.record("Store", key); r.Map.Store(key, v) }
func (r *recorder) Delete(key any)           { r.record("Delete", key); r.Map.Delete(key) }

func (r *recorder) LoadOrStore(key, v any) (any, bool) {
	r.record("LoadOrStore", key)
	return r.Map.LoadOrStore(key, v)
}

// kindTable returns the table of Figure 13.
func kindTable(kinds map[string][2]int, all int) string {
	var b strings.Builder
	b.WriteString("| kind | methods | with a violation in an open environment |\n| --- | --- | --- |\n")
	for _, k := range kindOrder {
		fmt.Fprintf(&b, "| %s | %d (%d %%) | %d |\n", k, kinds[k][0], (100*kinds[k][0]+all/2)/all, kinds[k][1])
	}
	return b.String()
}

// TestKinds: the methods of Figure 12 have their kinds.
func TestKinds(t *testing.T) {
	load := func(m composed.Map) any { v, _ := m.Load(1); return v }
	for want, method := range map[string]func(composed.Map) any{
		"ii":  memoLoadOrStore,
		"iii": func(m composed.Map) any { m.LoadOrStore(1, 2); return load(m) },
		"iv, vi": func(m composed.Map) any {
			if load(m) == nil {
				m.LoadOrStore(1, 2)
			}
			return load(m)
		},
		"v": func(m composed.Map) any {
			if v := load(m); v != nil {
				return v
			}
			m.LoadOrStore(1, 2)
			return 2
		},
		"ii with Store":  memoStore,
		"read and write": func(m composed.Map) any { v, _ := load(m).(int); m.Store(1, v+1); return nil },
		"other":          func(m composed.Map) any { m.Load(1); m.Load(2); return nil },
	} {
		if got := kindOf(method, want == "ii"); got != want {
			t.Errorf("%s is of kind %s", want, got)
		}
	}
}
