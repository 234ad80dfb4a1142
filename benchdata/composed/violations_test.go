package composed

import "github.com/leadline/leadline/replay/composed"

// violations are subjects with a violation in the given program. "other" stands
// for what another call makes.
var violations = []subject{
	{module: "github.com/vmihailenco/msgpack/v5@v5.4.1", function: "getDecoder", place: "decode_value.go:49",
		method: memoStore, values: values("registered"), operations: []string{"Load", "Store", "Delete"},
		reading: "a decoder that RegisterExtDecoder stores after the Load is overwritten by the default one"},
	{module: "github.com/vmihailenco/msgpack/v5@v5.4.1", function: "unregisterExtEncoder", place: "ext.go:58",
		values: values("type"), operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any {
			t, ok := m.Load("id")
			if !ok {
				return nil
			}
			m.Delete("id")
			m.Delete(t)
			return nil
		},
		reading: "a RegisterExtEncoder between the Deletes keeps its id but loses its encoder"},
	{module: "gorm.io/gorm@v1.31.2", function: "(*DB).Session", place: "gorm.go:303",
		method: memoStore, values: values("other"), operations: []string{"Load", "Store"},
		reading: "two first sessions have a PreparedStmtDB each; statements of the lost one are not shared"},
	{module: "github.com/go-kratos/kratos/v2@v2.8.3", function: "(*config).Value", place: "config/config.go:124",
		method: memoStore, values: values("other"), operations: []string{"Load", "Store"},
		reading: "watch updates the Value in the map only, so the caller with the lost one keeps an old configuration"},
	{module: "github.com/zeromicro/go-zero@v1.10.3", function: "(*TokenParser).incrementCount", place: "rest/token/tokenparser.go:88",
		values: func() []any { return []any{&counter{1}} }, operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any { // without the reset, which iterates
			if v, ok := m.Load("secret"); ok {
				v.(*counter).n++
			} else {
				m.Store("secret", &counter{1})
			}
			return nil
		},
		reading: "of two first increments, one is lost"},
	{module: "github.com/cloudwego/hertz@v0.10.4", function: "(*weightedBalancer).Pick", place: "pkg/app/client/loadbalance/weight_random.go:72",
		method: memoStore, values: values("newer"), operations: []string{"Load", "Store", "Delete"},
		reading: "after a Delete, weights that Rebalance stores after the Load are overwritten by those of an older result"},
	{module: "github.com/cloudwego/hertz@v0.10.4", function: "NewBalancerFactory", place: "pkg/app/client/loadbalance/lbcache.go:64",
		method: memoStore, values: values("other"), operations: []string{"Load", "Store"},
		reading: "singleflight joins only calls that overlap; a call that loads before and joins after makes a second factory, with two goroutines"},
	{module: "github.com/asynkron/protoactor-go@v0.0.0-20240822202345-3c0e61ca19c9", function: "(*guardiansValue).getGuardianPid", place: "actor/guardian.go:21",
		method: memoStore, values: values("other"), operations: []string{"Load", "Store"},
		reading: "two first spawns have a guardian each; the lost one stays in the process registry"},
	{module: "github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery@v1.13.11", function: "(*EndpointCache).Add", place: "cache.go:68",
		values: values("other"), operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any {
			if _, ok := m.Load("endpoint"); ok {
				return "present"
			}
			m.Store("endpoint", "mine")
			return "counted"
		},
		reading: "two Adds of one key count it twice in size, which then evicts too early"},
	{module: "github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery@v1.13.11", function: "(*EndpointCache).get", place: "cache.go:35",
		values: values("a", "b"), operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any {
			v, ok := m.Load("endpoint")
			if !ok {
				return nil
			}
			m.Store("endpoint", v)
			return v
		},
		reading: "an endpoint that deleteRandomKey deletes after the Load is stored again, and is not counted in size"},
	{module: "go.opentelemetry.io/otel/sdk/metric@v1.47.0", function: "(*limitedSyncMap[V]).LoadOrStoreAttr", place: "internal/aggregate/atomic.go:256",
		values: values("other"), operations: []string{"Load", "LoadOrStore"},
		method: func(m composed.Map) any { // below the limit
			if v, ok := m.Load("attributes"); ok {
				return []any{"attributes", v}
			}
			if v, ok := m.Load("overflow"); ok {
				return []any{"overflow", v}
			}
			if v, ok := m.Load("attributes"); ok {
				return []any{"attributes", v}
			}
			v, _ := m.LoadOrStore("attributes", "mine")
			return []any{"attributes", v}
		},
		reading: "if others add the attributes and then the overflow set between the Loads, the measurement counts as overflow"},
	{module: "github.com/casbin/casbin/v2@v2.135.0", function: "(*RoleManagerImpl).getRole", place: "rbac/default-role-manager/role_manager.go:269",
		values: values("other"), operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any { // without a matching function
			v, ok := m.Load("role")
			if !ok {
				v = "mine"
				m.Store("role", v)
			}
			return []any{v, !ok}
		},
		reading: "harmless: changes of a SyncedEnforcer's policy exclude readers, so both roles are temporary and equal"},
	{module: "github.com/casbin/casbin/v2@v2.135.0", function: "loadAndDelete", place: "rbac/default-role-manager/role_manager.go:293",
		values: values("a", "b"), operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any {
			v, loaded := m.Load("role")
			if loaded {
				m.Delete("role")
			}
			return v
		},
		reading: "GetRoles calls it without the lock that HasLink takes; a role stored after the Load is deleted, and its matches stay"},
	{module: "github.com/ThreeDotsLabs/watermill@v1.5.1", function: "(*GoChannel).Publish", place: "pubsub/gochannel/pubsub.go:90",
		values: values("other"), operations: []string{"Load", "LoadOrStore", "Delete"},
		method: func(m composed.Map) any {
			if _, loaded := m.LoadOrStore("topic", "mine"); !loaded {
				defer m.Delete("topic")
			}
			return nil
		},
		reading: "the mutex of a topic is deleted while another Publish has it, so a third one takes a new mutex and runs beside the second"},

	{module: "google.golang.org/protobuf@v1.36.12", function: "needsInitCheckLocked", place: "internal/impl/checkinit.go:137",
		operations: []string{"Load"},
		method: func(m composed.Map) any {
			if v, ok := m.Load("message"); ok {
				return v == true
			}
			m.Store("message", "visiting")
			m.Store("message", true)
			return true
		},
		reading: "harmless: a reader that sees the mark of a visit takes the mutex"},
	{module: "std@go1.26.8", function: "typeEncoder", place: "encoding/json/encode.go:388",
		values: values("indirect", "encoder"), operations: []string{"Load", "LoadOrStore", "Store"},
		method: func(m composed.Map) any {
			if v, ok := m.Load("type"); ok {
				return v
			}
			if v, loaded := m.LoadOrStore("type", "indirect"); loaded {
				return v
			}
			m.Store("type", "encoder")
			return "encoder"
		},
		reading: "harmless: the indirect function does the same as the encoder"},
	{module: "github.com/mark3labs/mcp-go@v1.2.1", function: "(*MCPServer).HandleMessage", place: "server/request_handler.go:119",
		values: values("other"), operations: []string{"LoadAndDelete"},
		method: func(m composed.Map) any {
			m.Store("request", "cancel")
			m.Delete("request")
			return nil
		},
		reading: "harmless: the entry is there for others, as long as the request runs"},
	{module: "github.com/fxamacker/cbor/v2@v2.10.0", function: "getTypeInfo", place: "cache.go:497",
		values: values("mine"), operations: []string{"Load", "Store"},
		method: func(m composed.Map) any {
			if v, ok := m.Load("type"); ok {
				return v
			}
			m.Store("type", "mine")
			m.Store("element", "mine")
			return "mine"
		},
		reading: "harmless: who sees only the first of two new types computes the other one"},
	{module: "gorm.io/gorm@v1.31.2", function: "ParseWithSpecialTableName, with an error", place: "schema/schema.go:139",
		values: values("other"), operations: []string{"Load", "LoadOrStore", "Delete"},
		method: func(m composed.Map) any {
			if _, ok := m.Load("type"); ok {
				return "error"
			}
			if _, ok := m.Load("type"); ok {
				return "error"
			}
			if _, loaded := m.LoadOrStore("type", "mine"); loaded {
				return "error"
			}
			m.Delete("type")
			return "error"
		},
		reading: "harmless: who loads the schema before the Delete waits for it and returns its error"},
}
