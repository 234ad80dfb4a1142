// Package composed has methods of Go modules that compose operations of a
// concurrent map; see README.md.
package composed

import (
	"slices"

	"github.com/leadline/leadline/replay/composed"
)

// A class is one of Figure 11 of the paper.
type class string

const (
	atomic  class = "linearizable"
	open    class = "open environment only"
	program class = "given program"
)

// A subject is a method of a module. It has the same operations of the map in the
// same order and under the same conditions; all else is left out or a constant.
type subject struct {
	module, function, place string
	method                  func(composed.Map) any
	class                   class
	// values are what functions of the program insert; the default is that of
	// composed.Options.
	values func() []any
	// operations are those that functions of the program run on the map while the
	// method runs.
	operations []string
	// locked is the method in the program, if a lock makes some of its operations
	// a single one.
	locked func(composed.Map) any
	// reading is what the source says about the violation in the given program. It
	// begins with "harmless" for a false alarm.
	reading string
}

// environment returns the options for the environment of the program.
func (s *subject) environment() composed.Options {
	var without []string
	for _, name := range everything {
		if !slices.Contains(s.operations, name) {
			without = append(without, name)
		}
	}
	return composed.Options{Values: s.values, Without: without}
}

// values returns what Options.Values expects.
func values(list ...any) func() []any { return func() []any { return list } }

// memoLoadOrStore loads a value, or stores one and returns what is there.
func memoLoadOrStore(m composed.Map) any {
	if v, ok := m.Load("key"); ok {
		return v
	}
	v, _ := m.LoadOrStore("key", "mine")
	return v
}

// memoStore loads a value, or stores one and returns that.
func memoStore(m composed.Map) any {
	if v, ok := m.Load("key"); ok {
		return v
	}
	m.Store("key", "mine")
	return "mine"
}

// A counter is a value with a part that methods change.
type counter struct{ n int }

var subjects = []subject{
	{module: "github.com/jackc/pgx/v5@v5.12.0", function: "lookupStructFields", place: "rows.go:628",
		class: atomic, method: memoLoadOrStore},
	{module: "github.com/jackc/pgx/v5@v5.12.0", function: "lookupNamedStructFields", place: "rows.go:740",
		class: atomic, method: func(m composed.Map) any {
			if v, ok := m.Load("fields of T"); ok {
				return v
			}
			v, _ := m.LoadOrStore("fields of T", "mine") // not reached without a field
			return v
		}},
	{module: "github.com/uptrace/bun@v1.3.0", function: "Appender", place: "schema/append_value.go:81",
		class: atomic, method: func(m composed.Map) any {
			if v, ok := m.Load("type"); ok {
				return v
			}
			if v, ok := m.LoadOrStore("type", "mine"); ok {
				return v
			}
			return "mine"
		}},
	{module: "google.golang.org/protobuf@v1.36.12", function: "legacyLoadEnumType", place: "internal/impl/legacy_enum.go:45",
		class: atomic, method: memoLoadOrStore},
	{module: "google.golang.org/protobuf@v1.36.12", function: "legacyLoadMessageInfo", place: "internal/impl/legacy_message.go:48",
		class: atomic, method: memoLoadOrStore},
	{module: "github.com/redis/go-redis/v9@v9.23.0", function: "(*CircuitBreakerManager).GetCircuitBreaker", place: "maintnotifications/circuit_breaker.go:247",
		class: atomic, values: func() []any { return []any{&counter{1}, &counter{2}} }, method: func(m composed.Map) any {
			if v, ok := m.Load("endpoint"); ok {
				v.(*counter).n = 9 // the last access
				return v
			}
			v, _ := m.LoadOrStore("endpoint", &counter{9})
			return v
		}},
	{module: "github.com/mark3labs/mcp-go@v1.2.1", function: "(*StreamableHTTPServer).touchSession", place: "server/streamable_http.go:1455",
		class: atomic, values: func() []any { return []any{&counter{1}, &counter{2}} }, method: func(m composed.Map) any {
			v, ok := m.Load("session")
			if !ok {
				v, _ = m.LoadOrStore("session", &counter{})
			}
			v.(*counter).n = 9
			return nil
		}},
	{module: "github.com/mark3labs/mcp-go@v1.2.1", function: "(*StreamableHTTPServer).ensureListeningStream", place: "server/streamable_http_resume.go:273",
		class: atomic, method: func(m composed.Map) any {
			if v, ok := m.Load("session"); ok {
				return v
			}
			if v, loaded := m.LoadOrStore("session", "mine"); loaded {
				return v
			}
			return "mine" // and starts its pump
		}},
	{module: "github.com/asynkron/protoactor-go@v0.0.0-20240822202345-3c0e61ca19c9", function: "(*endpointManager).ensureConnected", place: "remote/endpoint_manager.go:215",
		class: atomic, method: memoLoadOrStore},
	{module: "gorm.io/gorm@v1.31.2", function: "ParseWithSpecialTableName, without error", place: "schema/schema.go:139",
		class: atomic, method: func(m composed.Map) any {
			if v, ok := m.Load("type"); ok {
				return v
			}
			if v, ok := m.Load("type"); ok {
				return v
			}
			if v, loaded := m.LoadOrStore("type", "mine"); loaded {
				return v
			}
			return "mine"
		}},
	{module: "std@go1.26.8", function: "(*Map).Set", place: "expvar/expvar.go:194",
		class: atomic, method: func(m composed.Map) any {
			if _, ok := m.Load("key"); !ok {
				if _, dup := m.LoadOrStore("key", "mine"); !dup {
					return nil
				}
			}
			m.Store("key", "mine")
			return nil
		}},
	{module: "std@go1.26.8", function: "(*Map).Add", place: "expvar/expvar.go:209",
		class: atomic, values: func() []any { return []any{&counter{1}, &counter{2}} }, method: func(m composed.Map) any {
			v, ok := m.Load("key")
			if !ok {
				v, _ = m.LoadOrStore("key", &counter{})
			}
			v.(*counter).n += 5
			return nil
		}},
	{module: "std@go1.26.8", function: "lookup", place: "internal/godebug/godebug.go:172",
		class: atomic, method: memoLoadOrStore},

	{module: "github.com/vmihailenco/msgpack/v5@v5.4.1", function: "(*structCache).Fields", place: "types.go:77",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal fields, and nothing removes them"},
	{module: "github.com/redis/go-redis/v9@v9.23.0", function: "(*structMap).get", place: "internal/hscan/structmap.go:23",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal specs, and nothing removes them"},
	{module: "github.com/fxamacker/cbor/v2@v2.10.0", function: "getDecodingStructType", place: "cache.go:140",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal types, and nothing removes them"},
	{module: "github.com/uptrace/bun@v1.3.0", function: "(*Table).LookupField", place: "schema/table.go:419",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal fields, which are only read"},
	{module: "github.com/uptrace/bun@v1.3.0", function: "(*Tables).Get", place: "schema/tables.go:34",
		class: open, values: values("other"), operations: []string{"Load", "LoadOrStore"},
		method:  doubleChecked,
		locked:  memoLoadOrStore,
		reading: "a mutex makes the second Load and Store one operation, and nothing else writes"},
	{module: "google.golang.org/protobuf@v1.36.12", function: "(*legacyEnumType).New", place: "internal/impl/legacy_enum.go:70",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal wrappers, which differ as pointers only"},
	{module: "github.com/casbin/casbin/v2@v2.135.0", function: "(*Enforcer).getAndStoreMatcherExpression", place: "enforcer.go:836",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal expressions; to invalidate, the whole map is replaced"},
	{module: "github.com/nats-io/nats-server/v2@v2.15.2", function: "(*client).pubAllowedFullCheck", place: "server/client.go:4276",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store", "Delete"},
		reading: "all callers store the same answer; a removed one is computed again"},
	{module: "github.com/cloudwego/hertz@v0.10.4", function: "MakeValidatorFunc", place: "pkg/app/server/binding/validator.go:71",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store the same bool"},
	{module: "github.com/asynkron/protoactor-go@v0.0.0-20240822202345-3c0e61ca19c9", function: "(*endpointManager).removeEndpoint", place: "remote/endpoint_manager.go:247",
		class: open, operations: []string{"Load", "LoadOrStore"},
		values: func() []any { return []any{&counter{1}, &counter{2}} },
		method: func(m composed.Map) any {
			v, ok := m.Load("address")
			if !ok || v.(*counter).n < 0 {
				return nil
			}
			v.(*counter).n *= -1 // CompareAndSwap(false, true)
			m.Delete("address")
			return v
		},
		reading: "only the caller whose CompareAndSwap succeeds deletes, so the key keeps its value until then"},
	{module: "std@go1.26.8", function: "setExtensionType", place: "mime/type.go:241",
		class: open, values: values(".a"), operations: []string{"Load"}, method: func(m composed.Map) any {
			list := ""
			if v, ok := m.Load("type"); ok {
				list = v.(string)
			}
			m.Store("type", list+".mine")
			return nil
		},
		reading: "a mutex keeps other writers out"},
}
