package composed

import "github.com/leadline/leadline/replay/composed"

// Versions of modules with several subjects.
const (
	goJSON     = "github.com/goccy/go-json@v0.12.0"
	mongo      = "go.mongodb.org/mongo-driver@v1.17.4"
	prometheus = "github.com/prometheus/client_golang@v1.25.0"
	sarama     = "github.com/IBM/sarama@v1.61.1"
	nacos      = "github.com/nacos-group/nacos-sdk-go/v2@v2.3.2"
	cmap       = "github.com/orcaman/concurrent-map/v2@v2.0.1"
)

// everything are the operations of a library's users.
var everything = []string{"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete"}

// doubleChecked loads a value twice, and stores one.
func doubleChecked(m composed.Map) any {
	if v, ok := m.Load("key"); ok {
		return v
	}
	return memoStore(m)
}

// storeTwo stores two values.
func storeTwo(m composed.Map) any {
	m.Store("a", "mine")
	m.Store("b", "mine")
	return nil
}

// caches are more subjects of the classes linearizable and open environment only, most of
// them caches.
var caches = []subject{
	{module: mongo, function: "(*StructCodec).describeStruct", place: "bson/bsoncodec/struct_codec.go:488",
		class: atomic, method: memoLoadOrStore},
	{module: mongo, function: "(*Registry).LookupEncoder", place: "bson/bsoncodec/registry.go:390",
		class: atomic, method: memoLoadOrStore},
	{module: mongo, function: "(*Registry).LookupDecoder", place: "bson/bsoncodec/registry.go:455",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "decoderIn", place: "internal/decoder/decode_v2.go:81",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "(*UnmarshalFuncs).funcsOf", place: "internal/decoder/funcs_v2.go:49",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "codeSetIn", place: "internal/encoder/compiler.go:203",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "v2FieldsOf", place: "internal/encoder/compiler_v2.go:201",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "(*MarshalFuncs).funcsOf", place: "internal/encoder/funcs_v2.go:38",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "appendDeclined", place: "internal/encoder/marshal_to.go:209",
		class: atomic, method: memoLoadOrStore},
	{module: goJSON, function: "appendDefault", place: "internal/encoder/method_v2.go:311",
		class: atomic, method: memoLoadOrStore},
	{module: prometheus, function: "addToBucket", place: "prometheus/histogram.go:1539",
		class: atomic, values: func() []any { return []any{&counter{1}, &counter{2}} }, method: func(m composed.Map) any {
			v, ok := m.Load("bucket")
			if !ok {
				if v, ok = m.LoadOrStore("bucket", &counter{5}); !ok {
					return true
				}
			}
			v.(*counter).n += 5
			return false
		}},

	{module: goJSON, function: "getFilteredCodeSetIfNeeded", place: "internal/encoder/compiler.go:231",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store equal code for a query, and nothing removes it"},
	{module: "github.com/expr-lang/expr@v1.17.8", function: "Fetch", place: "vm/runtime/runtime.go:21",
		class: open, method: memoStore, values: values("mine"), operations: []string{"Load", "Store"},
		reading: "all callers store the same index of a field, and nothing removes it"},
	{module: sarama, function: "getZstdEncoderChannel", place: "zstd.go:33",
		class: open, method: doubleChecked, values: values("other"), operations: []string{"Load", "LoadOrStore"}, locked: memoLoadOrStore,
		reading: "a mutex makes the second Load and Store one operation, and nothing else writes"},
	{module: sarama, function: "getDecoder", place: "zstd.go:86",
		class: open, method: doubleChecked, values: values("other"), operations: []string{"Load", "LoadOrStore"}, locked: memoLoadOrStore,
		reading: "a mutex makes the second Load and Store one operation, and nothing else writes"},
	{module: prometheus, function: "deleteSyncMap", place: "prometheus/histogram.go:1572",
		class: open, method: func(m composed.Map) any {
			m.Range(func(k, _ any) bool { m.Delete(k); return true })
			return nil
		},
		reading: "the mutex of the histogram is held, and nothing observes into its cold counts"},
	{module: prometheus, function: "makeBuckets", place: "prometheus/histogram.go:1482",
		class: open, values: func() []any { return []any{&counter{1}, &counter{2}} }, method: func(m composed.Map) any {
			var keys, counts []any
			m.Range(func(k, _ any) bool { keys = append(keys, k); return true })
			for _, k := range keys {
				v, _ := m.Load(k)
				counts = append(counts, v.(*counter).n)
			}
			return counts
		},
		reading: "the mutex of the histogram is held, and nothing observes into its cold counts"},
	{module: "github.com/gofiber/fiber/v2@v2.52.15", function: "(*Ctx).Bind", place: "ctx.go:1475",
		class: open, method: storeTwo,
		reading: "a Ctx belongs to one request, whose handlers run one after another"},
	{module: nacos, function: "(*ServiceInfoHolder).loadCacheFromDisk", place: "clients/naming_client/naming_cache/service_info_holder.go:60",
		class: open, method: storeTwo,
		reading: "the constructor calls it, before others have the map"},
}

// newer are more subjects with a violation in the given program.
var newer = []subject{
	{module: nacos, function: "(*ServiceInfoHolder).ProcessService", place: "clients/naming_client/naming_cache/service_info_holder.go:74",
		values: values(1, 5), operations: []string{"Load", "Store", "Delete"},
		method: func(m composed.Map) any { // a service is its time; without the number of services for the metric
			if v, ok := m.Load("service"); ok && v.(int) >= 3 {
				return nil
			}
			m.Store("service", 3)
			return nil
		},
		reading: "a newer service that a push stores after the Load is overwritten by the older one of a poll"},
	{module: cmap, function: "ConcurrentMap.Clear", place: "concurrent_map.go:216",
		operations: everything,
		method: func(m composed.Map) any {
			var keys []any
			m.Range(func(k, _ any) bool { keys = append(keys, k); return true })
			for _, k := range keys {
				m.Delete(k)
			}
			return nil
		},
		reading: "of two elements that its users set meanwhile, one after the other, only the second may be removed"},
	{module: cmap, function: "ConcurrentMap.MSet", place: "concurrent_map.go:60",
		operations: everything, method: storeTwo,
		reading: "its users see, or remove, some of the elements before the others are set"},
	{module: cmap, function: "(*ConcurrentMap).UnmarshalJSON", place: "concurrent_map.go:357",
		operations: everything, method: storeTwo,
		reading: "its users see, or remove, some of the elements before the others are set"},
}
