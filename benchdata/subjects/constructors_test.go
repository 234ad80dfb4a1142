// Code generated from subjects.txt and further.txt by go test -run TestConstructors -update; DO NOT EDIT.

package subjects_test

import (
	p0 "github.com/bytedance/gopkg/collection/zset"
	p1 "github.com/enriquebris/goconcurrentqueue"
	p2 "github.com/ethereum/go-ethereum/common/lru"
	p3 "github.com/ethereum/go-ethereum/ethdb/memorydb"
	p4 "github.com/golang-design/lockfree"
	p5 "github.com/hashicorp/golang-lru/arc/v2"
	p6 "github.com/hashicorp/golang-lru/v2"
	p7 "github.com/hashicorp/golang-lru/v2/expirable"
	p8 "github.com/leadline/leadline/benchdata/subjects"
	p9 "github.com/leadline/leadline/benchdata/subjects/further"
	p10 "github.com/puzpuzpuz/xsync/v3"
	p11 "github.com/puzpuzpuz/xsync/v4"
	p12 "github.com/zeromicro/go-zero/core/syncx"
	p13 "go.uber.org/atomic"
	p14 "go4.org/syncutil"
	p15 "golang.org/x/sync/semaphore"
	p16 "k8s.io/utils/lru"
)

func init() {
	constructors = map[string]deriver{
		"haxmap":                        like(must(p8.NewHaxmap()), func() any { return must(p8.NewHaxmap()) }),
		"haxmap-filled":                 like(must(p8.NewFilledHaxmap()), func() any { return must(p8.NewFilledHaxmap()) }),
		"haxmap-getorset":               like(must(p8.NewHaxmap()), func() any { return must(p8.NewHaxmap()) }),
		"cornelk-hashmap":               like(must(p8.NewCornelk()), func() any { return must(p8.NewCornelk()) }),
		"cornelk-hashmap-filled":        like(must(p8.NewFilledCornelk()), func() any { return must(p8.NewFilledCornelk()) }),
		"orcaman-cmap":                  like(must(p8.NewOrcaman()), func() any { return must(p8.NewOrcaman()) }),
		"xsync-map":                     like(must(p8.NewXsyncMap()), func() any { return must(p8.NewXsyncMap()) }),
		"xsync-mpmc-queue":              like(must(p11.NewMPMCQueue[int](2)), func() any { return must(p11.NewMPMCQueue[int](2)) }),
		"workiva-queue":                 like(must(p8.NewWorkivaQueue()), func() any { return must(p8.NewWorkivaQueue()) }),
		"workiva-ringbuffer":            like(must(p8.NewRingBuffer()), func() any { return must(p8.NewRingBuffer()) }),
		"workiva-ringbuffer-small":      like(must(p8.NewSmallRingBuffer()), func() any { return must(p8.NewSmallRingBuffer()) }),
		"bytedance-skipmap":             like(must(p8.NewBytedanceSkipmap()), func() any { return must(p8.NewBytedanceSkipmap()) }),
		"bytedance-skipmap-filled":      like(must(p8.NewFilledBytedanceSkipmap()), func() any { return must(p8.NewFilledBytedanceSkipmap()) }),
		"bytedance-skipset":             like(must(p8.NewBytedanceSkipset()), func() any { return must(p8.NewBytedanceSkipset()) }),
		"zhangyunhao116-skipmap":        like(must(p8.NewSkipmap()), func() any { return must(p8.NewSkipmap()) }),
		"zhangyunhao116-skipmap-filled": like(must(p8.NewFilledSkipmap()), func() any { return must(p8.NewFilledSkipmap()) }),
		"goconcurrentqueue-fifo":        like(must(p1.NewFIFO()), func() any { return must(p1.NewFIFO()) }),
		"goconcurrentqueue-fixedfifo":   like(must(p1.NewFixedFIFO(2)), func() any { return must(p1.NewFixedFIFO(2)) }),
		"golang-set":                    like(must(p8.NewGolangSet()), func() any { return must(p8.NewGolangSet()) }),
		"lockfree-queue":                like(must(p4.NewQueue()), func() any { return must(p4.NewQueue()) }),
		"lockfree-stack":                like(must(p4.NewStack()), func() any { return must(p4.NewStack()) }),
		"ttlcache":                      like(must(p8.NewTTLCache()), func() any { return must(p8.NewTTLCache()) }),
		"ttlcache-small":                like(must(p8.NewSmallTTLCache()), func() any { return must(p8.NewSmallTTLCache()) }),
		"lru":                           like(must(p6.New[int, int](2)), func() any { return must(p6.New[int, int](2)) }),
		"lru-2q":                        like(must(p6.New2Q[int, int](2)), func() any { return must(p6.New2Q[int, int](2)) }),
		"lru-expirable":                 like(must(p7.NewLRU[int, int](2, nil, 0)), func() any { return must(p7.NewLRU[int, int](2, nil, 0)) }),
		"go-cache":                      like(must(p8.NewGoCache()), func() any { return must(p8.NewGoCache()) }),
		"otter":                         like(must(p8.NewOtter()), func() any { return must(p8.NewOtter()) }),
		"gcache-simple":                 like(must(p9.NewGcacheSimple()), func() any { return must(p9.NewGcacheSimple()) }),
		"gcache-lru":                    like(must(p9.NewGcacheLRU()), func() any { return must(p9.NewGcacheLRU()) }),
		"gcache-lfu":                    like(must(p9.NewGcacheLFU()), func() any { return must(p9.NewGcacheLFU()) }),
		"gcache-arc":                    like(must(p9.NewGcacheARC()), func() any { return must(p9.NewGcacheARC()) }),
		"gcache-loader":                 like(must(p9.NewGcacheLoader()), func() any { return must(p9.NewGcacheLoader()) }),
		"cache2go":                      like(must(p9.NewCache2go()), func() any { return must(p9.NewCache2go()) }),
		"cache2go-delete":               like(must(p9.NewCache2go()), func() any { return must(p9.NewCache2go()) }),
		"bigcache":                      like(must(p9.NewBigCache()), func() any { return must(p9.NewBigCache()) }),
		"freecache":                     like(must(p9.NewFreecache()), func() any { return must(p9.NewFreecache()) }),
		"tinylfu":                       like(must(p9.NewTinyLFU()), func() any { return must(p9.NewTinyLFU()) }),
		"golang-lru-arc":                like(must(p5.NewARC[int, int](2)), func() any { return must(p5.NewARC[int, int](2)) }),
		"k8s-lru":                       like(must(p16.New(2)), func() any { return must(p16.New(2)) }),
		"ethereum-lru":                  like(must(p2.NewCache[int, int](2)), func() any { return must(p2.NewCache[int, int](2)) }),
		"ethereum-sized-lru":            like(must(p9.NewEthereumSizedLRU()), func() any { return must(p9.NewEthereumSizedLRU()) }),
		"ethereum-memorydb":             like(must(p3.New()), func() any { return must(p3.New()) }),
		"xsync-v3-mapof":                like(must(p9.NewXsyncMapOf()), func() any { return must(p9.NewXsyncMapOf()) }),
		"xsync-v3-mpmc-queue":           like(must(p10.NewMPMCQueueOf[int](2)), func() any { return must(p10.NewMPMCQueueOf[int](2)) }),
		"xsync-v1-map":                  like(must(p9.NewXsync1Map()), func() any { return must(p9.NewXsync1Map()) }),
		"orcaman-v1-cmap":               like(must(p9.NewOrcaman1()), func() any { return must(p9.NewOrcaman1()) }),
		"golang-set-v1":                 like(must(p9.NewGolangSet1()), func() any { return must(p9.NewGolangSet1()) }),
		"tidwall-btree":                 like(must(p9.NewTidwallBTree()), func() any { return must(p9.NewTidwallBTree()) }),
		"workiva-ctrie":                 like(must(p9.NewCtrie()), func() any { return must(p9.NewCtrie()) }),
		"badger-skiplist":               like(must(p9.NewSkiplist()), func() any { return must(p9.NewSkiplist()) }),
		"go-memdb":                      like(must(p9.NewMemdb()), func() any { return must(p9.NewMemdb()) }),
		"go-datastore":                  like(must(p9.NewDatastore()), func() any { return must(p9.NewDatastore()) }),
		"bytedance-zset":                like(must(p0.NewFloat64()), func() any { return must(p0.NewFloat64()) }),
		"tailscale-shardedmap":          like(must(p9.NewShardedMap()), func() any { return must(p9.NewShardedMap()) }),
		"tailscale-map":                 like(must(p9.NewTailscaleMap()), func() any { return must(p9.NewTailscaleMap()) }),
		"go-metrics-ewma":               like(must(p9.NewEWMA()), func() any { return must(p9.NewEWMA()) }),
		"go-metrics-registry":           like(must(p9.NewRegistry()), func() any { return must(p9.NewRegistry()) }),
		"go-metrics-histogram":          like(must(p9.NewSample()), func() any { return must(p9.NewSample()) }),
		"victoria-set":                  like(must(p9.NewVictoriaSet()), func() any { return must(p9.NewVictoriaSet()) }),
		"victoria-histogram":            like(must(p9.NewVictoriaHistogram()), func() any { return must(p9.NewVictoriaHistogram()) }),
		"victoria-gauge":                like(must(p9.NewVictoriaGauge()), func() any { return must(p9.NewVictoriaGauge()) }),
		"prometheus-counter":            like(must(p9.NewPrometheusCounter()), func() any { return must(p9.NewPrometheusCounter()) }),
		"prometheus-gauge":              like(must(p9.NewPrometheusGauge()), func() any { return must(p9.NewPrometheusGauge()) }),
		"prometheus-histogram":          like(must(p9.NewPrometheusHistogram()), func() any { return must(p9.NewPrometheusHistogram()) }),
		"prometheus-countervec":         like(must(p9.NewPrometheusVec()), func() any { return must(p9.NewPrometheusVec()) }),
		"uber-atomic-float64":           like(must(p13.NewFloat64(0)), func() any { return must(p13.NewFloat64(0)) }),
		"x-semaphore":                   like(must(p15.NewWeighted(2)), func() any { return must(p15.NewWeighted(2)) }),
		"x-rate-limiter":                like(must(p9.NewRateLimiter()), func() any { return must(p9.NewRateLimiter()) }),
		"x-rate-sometimes":              like(must(p9.NewSometimes()), func() any { return must(p9.NewSometimes()) }),
		"juju-ratelimit":                like(must(p9.NewBucket()), func() any { return must(p9.NewBucket()) }),
		"gobreaker":                     like(must(p9.NewBreaker()), func() any { return must(p9.NewBreaker()) }),
		"etcd-timelist":                 like(must(p9.NewTimeList()), func() any { return must(p9.NewTimeList()) }),
		"go-zero-resources":             like(must(p9.NewResourceManager()), func() any { return must(p9.NewResourceManager()) }),
		"go-zero-managed":               like(must(p9.NewManagedResource()), func() any { return must(p9.NewManagedResource()) }),
		"go-zero-refresource":           like(must(p9.NewRefResource()), func() any { return must(p9.NewRefResource()) }),
		"go-zero-limit":                 like(must(p12.NewLimit(2)), func() any { return must(p12.NewLimit(2)) }),
		"go4-sem":                       like(must(p14.NewSem(2)), func() any { return must(p14.NewSem(2)) }),
		"event-bus":                     like(must(p9.NewBus()), func() any { return must(p9.NewBus()) }),
		"pion-packetio":                 like(must(p9.NewPacketBuffer()), func() any { return must(p9.NewPacketBuffer()) }),
		"smallnest-ringbuffer":          like(must(p9.NewByteRing()), func() any { return must(p9.NewByteRing()) }),
	}
}
