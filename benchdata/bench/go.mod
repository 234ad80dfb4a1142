module github.com/leadline/leadline/benchdata/bench

go 1.26.0

require (
	github.com/Workiva/go-datastructures v1.1.7
	github.com/alphadose/haxmap v1.4.0
	github.com/anishathalye/porcupine v1.3.1
	github.com/bytedance/gopkg v0.1.4
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.0
	github.com/cornelk/hashmap v1.0.8
	github.com/deckarep/golang-set/v2 v2.9.0
	github.com/enriquebris/goconcurrentqueue v0.7.0
	github.com/golang-design/lockfree v0.0.1
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/jellydator/ttlcache/v3 v3.4.1
	github.com/leadline/leadline v0.0.0
	github.com/maypok86/otter/v2 v2.4.0
	github.com/orcaman/concurrent-map/v2 v2.0.1
	github.com/patrickmn/go-cache v2.1.0+incompatible
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	github.com/zhangyunhao116/skipmap v0.10.1
)

require (
	github.com/clipperhouse/displaywidth v0.10.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.6.0 // indirect
	github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc // indirect
	github.com/expr-lang/expr v1.17.8 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/zhangyunhao116/fastrand v0.3.0 // indirect
	go.mongodb.org/mongo-driver v1.17.4 // indirect
	golang.org/x/exp v0.0.0-20250210185358-939b2ce775ac // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
)

replace github.com/leadline/leadline => ../..
