module github.com/leadline/leadline/benchdata/subjects

go 1.26.0

require (
	github.com/Workiva/go-datastructures v1.1.7
	github.com/allegro/bigcache/v3 v3.1.0
	github.com/alphadose/haxmap v1.4.0
	github.com/armon/go-radix v1.0.0
	github.com/bits-and-blooms/bitset v1.29.0
	github.com/bytedance/gopkg v0.1.4
	github.com/cenkalti/backoff/v4 v4.3.0
	github.com/coocood/freecache v1.2.7
	github.com/cornelk/hashmap v1.0.8
	github.com/deckarep/golang-set/v2 v2.9.0
	github.com/dgraph-io/ristretto/v2 v2.4.2
	github.com/eapache/queue v1.1.0
	github.com/elliotchance/orderedmap/v3 v3.1.1
	github.com/emirpasic/gods v1.18.1
	github.com/enriquebris/goconcurrentqueue v0.7.0
	github.com/gammazero/deque v1.2.3
	github.com/golang-design/lockfree v0.0.1
	github.com/google/btree v1.1.3
	github.com/hashicorp/go-set/v3 v3.0.1
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/jellydator/ttlcache/v3 v3.4.1
	github.com/juju/ratelimit v1.0.2
	github.com/leadline/leadline v0.0.0
	github.com/maypok86/otter/v2 v2.4.0
	github.com/oklog/ulid/v2 v2.1.2
	github.com/orcaman/concurrent-map/v2 v2.0.1
	github.com/patrickmn/go-cache v2.1.0+incompatible
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	github.com/sony/gobreaker/v2 v2.4.0
	github.com/tidwall/btree v1.8.2
	github.com/zhangyunhao116/skipmap v0.10.1
	github.com/zyedidia/generic v1.2.1
	go.uber.org/atomic v1.12.0
	golang.org/x/time v0.16.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/segmentio/fasthash v1.0.3 // indirect
	github.com/zhangyunhao116/fastrand v0.3.0 // indirect
	go.mongodb.org/mongo-driver v1.17.4 // indirect
	golang.org/x/exp v0.0.0-20221031165847-c99f073a8326 // indirect
	golang.org/x/sync v0.16.0 // indirect
	golang.org/x/sys v0.36.0 // indirect
)

replace github.com/leadline/leadline => ../..
