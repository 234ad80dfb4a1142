module github.com/leadline/leadline/benchdata/subjects

go 1.26.0

require (
	github.com/VictoriaMetrics/metrics v1.35.1
	github.com/Workiva/go-datastructures v1.1.7
	github.com/allegro/bigcache/v3 v3.1.0
	github.com/alphadose/haxmap v1.4.0
	github.com/armon/go-radix v1.0.0
	github.com/asaskevich/EventBus v0.0.0-20200907212545-49d423059eef
	github.com/bits-and-blooms/bitset v1.29.0
	github.com/bluele/gcache v0.0.2
	github.com/bytedance/gopkg v0.1.4
	github.com/cenkalti/backoff/v4 v4.3.0
	github.com/coocood/freecache v1.2.7
	github.com/cornelk/hashmap v1.0.8
	github.com/deckarep/golang-set v1.8.0
	github.com/deckarep/golang-set/v2 v2.9.0
	github.com/dgraph-io/badger/v3 v3.2103.5
	github.com/dgraph-io/ristretto/v2 v2.4.2
	github.com/eapache/queue v1.1.0
	github.com/elliotchance/orderedmap/v3 v3.1.1
	github.com/emirpasic/gods v1.18.1
	github.com/enriquebris/goconcurrentqueue v0.7.0
	github.com/ethereum/go-ethereum v1.17.10
	github.com/gammazero/deque v1.2.3
	github.com/golang-design/lockfree v0.0.1
	github.com/google/btree v1.1.3
	github.com/hashicorp/go-memdb v1.3.5
	github.com/hashicorp/go-set/v3 v3.0.1
	github.com/expr-lang/expr v1.17.8 // indirect
	github.com/hashicorp/golang-lru/arc/v2 v2.0.7
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/ipfs/go-datastore v0.9.2
	github.com/jellydator/ttlcache/v3 v3.4.1
	github.com/juju/ratelimit v1.0.2
	github.com/leadline/leadline v0.0.0
	github.com/maypok86/otter/v2 v2.4.0
	github.com/muesli/cache2go v0.0.0-20221011235721-518229cd8021
	github.com/oklog/ulid/v2 v2.1.2
	github.com/orcaman/concurrent-map v1.0.0
	github.com/orcaman/concurrent-map/v2 v2.0.1
	github.com/patrickmn/go-cache v2.1.0+incompatible
	github.com/pion/transport/v3 v3.1.1
	github.com/prometheus/client_golang v1.25.0
	github.com/prometheus/client_model v0.6.3
	github.com/puzpuzpuz/xsync v1.5.2
	github.com/puzpuzpuz/xsync/v3 v3.5.1
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	github.com/rcrowley/go-metrics v0.0.0-20250401214520-65e299d6c5c9
	github.com/smallnest/ringbuffer v0.2.1
	github.com/sony/gobreaker/v2 v2.4.0
	github.com/tidwall/btree v1.8.2
	github.com/vmihailenco/go-tinylfu v0.2.2
	github.com/zeromicro/go-zero v1.10.3
	github.com/zhangyunhao116/skipmap v0.10.1
	github.com/zyedidia/generic v1.2.1
	go.etcd.io/etcd/pkg/v3 v3.7.3
	go.uber.org/atomic v1.12.0
	go4.org v0.0.0-20260112195520-a5071408f32f
	golang.org/x/sync v0.24.0
	golang.org/x/time v0.16.0
	k8s.io/utils v0.0.0-20261023123148-ca04ba58ecab
	tailscale.com v1.90.0
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash v1.1.0 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgraph-io/ristretto v0.1.1 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/glog v0.0.0-20160126235308-23def4e6c14b // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/hashicorp/go-immutable-radix v1.3.1 // indirect
	github.com/hashicorp/golang-lru v0.6.0 // indirect
	github.com/holiman/uint256 v1.3.2 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/segmentio/fasthash v1.0.3 // indirect
	github.com/valyala/fastrand v1.1.0 // indirect
	github.com/valyala/histogram v1.2.0 // indirect
	github.com/zhangyunhao116/fastrand v0.3.0 // indirect
	go.mongodb.org/mongo-driver v1.17.4 // indirect
	golang.org/x/exp v0.0.0-20250210185358-939b2ce775ac // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	gopkg.in/check.v1 v1.0.0-20201130134442-10cb98267c6c // indirect
)

replace github.com/leadline/leadline => ../..
