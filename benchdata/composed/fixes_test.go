package composed

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/leadline/leadline/replay/composed"
)

// A fix is one operation that does what methods with a violation do alone.
type fix struct {
	text      string
	functions []string
	method    func(composed.Map) any
}

// fixes were written by hand, as in Section 5.3 of the paper.
var fixes = []fix{
	{`LoadOrStore("key", "mine")`, []string{"(*structCache).Fields", "(*structMap).get", "getDecodingStructType", "(*Table).LookupField", "(*Tables).Get",
		"(*legacyEnumType).New", "(*Enforcer).getAndStoreMatcherExpression", "(*client).pubAllowedFullCheck", "MakeValidatorFunc", "getFilteredCodeSetIfNeeded",
		"Fetch", "getZstdEncoderChannel", "getDecoder", "(*DB).Session", "(*config).Value", "(*weightedBalancer).Pick", "NewBalancerFactory",
		"(*guardiansValue).getGuardianPid"}, loadOrStore("key", "mine")},
	{`LoadOrStore("type", "encoder")`, []string{"typeEncoder"}, loadOrStore("type", "encoder")},
	{`LoadOrStore("role", "mine")`, []string{"(*RoleManagerImpl).getRole"}, func(m composed.Map) any {
		v, loaded := m.LoadOrStore("role", "mine")
		return []any{v, !loaded}
	}},
	{`LoadOrStore("endpoint", "mine")`, []string{"(*EndpointCache).Add"}, func(m composed.Map) any {
		if _, loaded := m.LoadOrStore("endpoint", "mine"); loaded {
			return "present"
		}
		return "counted"
	}},
	{`LoadOrStore("secret", &counter{1})`, []string{"(*TokenParser).incrementCount"}, func(m composed.Map) any {
		if v, loaded := m.LoadOrStore("secret", &counter{1}); loaded {
			v.(*counter).n++
		}
		return nil
	}},
	{`LoadOrStore("message", true)`, []string{"needsInitCheckLocked"}, func(m composed.Map) any {
		v, _ := m.LoadOrStore("message", true)
		return v == true
	}},
	{`Load("endpoint")`, []string{"(*EndpointCache).get"}, func(m composed.Map) any { v, _ := m.Load("endpoint"); return v }},
	{`LoadAndDelete("role")`, []string{"loadAndDelete"}, func(m composed.Map) any { v, _ := m.LoadAndDelete("role"); return v }},
	{`Delete("request")`, []string{"(*MCPServer).HandleMessage"}, func(m composed.Map) any { m.Delete("request"); return nil }},
	{`Clear()`, []string{"deleteSyncMap", "ConcurrentMap.Clear"}, func(m composed.Map) any { m.Clear(); return nil }},
}

func loadOrStore(key, v any) func(composed.Map) any {
	return func(m composed.Map) any { actual, _ := m.LoadOrStore(key, v); return actual }
}

// fixOf returns the fix of a function, or nil.
func fixOf(function string) *fix {
	i := slices.IndexFunc(fixes, func(f fix) bool { return slices.Contains(f.functions, function) })
	if i < 0 {
		return nil
	}
	return &fixes[i]
}

// alone returns what a method does on a map with the given keys and value.
func alone(method func(composed.Map) any, keys []any, v any) string {
	m, contents := &sync.Map{}, map[any]string{}
	if c, ok := v.(*counter); ok {
		v = &counter{c.n}
	}
	for _, k := range keys {
		m.Store(k, v)
	}
	result := method(m)
	m.Range(func(k, v any) bool { contents[k] = fmt.Sprint(v); return true })
	return fmt.Sprint(result, contents)
}

// TestFixes: a fix does alone what the method does alone, and has no violation.
func TestFixes(t *testing.T) {
	for _, s := range slices.Concat(subjects, caches, violations, newer) {
		f := fixOf(s.function)
		if f == nil {
			continue
		}
		list := []any{"mine", "other"}
		if s.values != nil {
			list = s.values()
		}
		for _, keys := range [][]any{nil, {"a"}, {"a", "key", "type", "role", "endpoint", "secret", "message", "request", "service"}} {
			for _, v := range list {
				if got, want := alone(f.method, keys, v), alone(s.method, keys, v); got != want {
					t.Errorf("%s, with %v and %v: the fix does %s, the method %s", s.function, keys, v, got, want)
				}
			}
		}
		o := composed.Options{Values: s.values, Ops: 2}
		if r := explore(t, f.method, o); r.Violation != nil {
			t.Errorf("%s: the fix is not atomic: %v", s.function, r.Violation)
		}
	}
}
