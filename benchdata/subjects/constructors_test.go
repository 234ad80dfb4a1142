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
	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	p10 "github.com/puzpuzpuz/xsync/v3"
	p11 "github.com/puzpuzpuz/xsync/v4"
	p12 "github.com/zeromicro/go-zero/core/syncx"
	p13 "go.uber.org/atomic"
	p14 "go4.org/syncutil"
	p15 "golang.org/x/sync/semaphore"
	p16 "k8s.io/utils/lru"
)

func init() {
	derivers = map[string]list.Deriver{
		"haxmap":                        list.Like(list.Must(p8.NewHaxmap()), func() any { return list.Must(p8.NewHaxmap()) }),
		"haxmap-filled":                 list.Like(list.Must(p8.NewFilledHaxmap()), func() any { return list.Must(p8.NewFilledHaxmap()) }),
		"haxmap-getorset":               list.Like(list.Must(p8.NewHaxmap()), func() any { return list.Must(p8.NewHaxmap()) }),
		"cornelk-hashmap":               list.Like(list.Must(p8.NewCornelk()), func() any { return list.Must(p8.NewCornelk()) }),
		"cornelk-hashmap-filled":        list.Like(list.Must(p8.NewFilledCornelk()), func() any { return list.Must(p8.NewFilledCornelk()) }),
		"orcaman-cmap":                  list.Like(list.Must(p8.NewOrcaman()), func() any { return list.Must(p8.NewOrcaman()) }),
		"xsync-map":                     list.Like(list.Must(p8.NewXsyncMap()), func() any { return list.Must(p8.NewXsyncMap()) }),
		"xsync-mpmc-queue":              list.Like(list.Must(p11.NewMPMCQueue[int](2)), func() any { return list.Must(p11.NewMPMCQueue[int](2)) }),
		"workiva-queue":                 list.Like(list.Must(p8.NewWorkivaQueue()), func() any { return list.Must(p8.NewWorkivaQueue()) }),
		"workiva-ringbuffer":            list.Like(list.Must(p8.NewRingBuffer()), func() any { return list.Must(p8.NewRingBuffer()) }),
		"workiva-ringbuffer-small":      list.Like(list.Must(p8.NewSmallRingBuffer()), func() any { return list.Must(p8.NewSmallRingBuffer()) }),
		"bytedance-skipmap":             list.Like(list.Must(p8.NewBytedanceSkipmap()), func() any { return list.Must(p8.NewBytedanceSkipmap()) }),
		"bytedance-skipmap-filled":      list.Like(list.Must(p8.NewFilledBytedanceSkipmap()), func() any { return list.Must(p8.NewFilledBytedanceSkipmap()) }),
		"bytedance-skipset":             list.Like(list.Must(p8.NewBytedanceSkipset()), func() any { return list.Must(p8.NewBytedanceSkipset()) }),
		"zhangyunhao116-skipmap":        list.Like(list.Must(p8.NewSkipmap()), func() any { return list.Must(p8.NewSkipmap()) }),
		"zhangyunhao116-skipmap-filled": list.Like(list.Must(p8.NewFilledSkipmap()), func() any { return list.Must(p8.NewFilledSkipmap()) }),
		"goconcurrentqueue-fifo":        list.Like(list.Must(p1.NewFIFO()), func() any { return list.Must(p1.NewFIFO()) }),
		"goconcurrentqueue-fixedfifo":   list.Like(list.Must(p1.NewFixedFIFO(2)), func() any { return list.Must(p1.NewFixedFIFO(2)) }),
		"golang-set":                    list.Like(list.Must(p8.NewGolangSet()), func() any { return list.Must(p8.NewGolangSet()) }),
		"lockfree-queue":                list.Like(list.Must(p4.NewQueue()), func() any { return list.Must(p4.NewQueue()) }),
		"lockfree-stack":                list.Like(list.Must(p4.NewStack()), func() any { return list.Must(p4.NewStack()) }),
		"ttlcache":                      list.Like(list.Must(p8.NewTTLCache()), func() any { return list.Must(p8.NewTTLCache()) }),
		"ttlcache-small":                list.Like(list.Must(p8.NewSmallTTLCache()), func() any { return list.Must(p8.NewSmallTTLCache()) }),
		"lru":                           list.Like(list.Must(p6.New[int, int](2)), func() any { return list.Must(p6.New[int, int](2)) }),
		"lru-2q":                        list.Like(list.Must(p6.New2Q[int, int](2)), func() any { return list.Must(p6.New2Q[int, int](2)) }),
		"lru-expirable":                 list.Like(list.Must(p7.NewLRU[int, int](2, nil, 0)), func() any { return list.Must(p7.NewLRU[int, int](2, nil, 0)) }),
		"go-cache":                      list.Like(list.Must(p8.NewGoCache()), func() any { return list.Must(p8.NewGoCache()) }),
		"otter":                         list.Like(list.Must(p8.NewOtter()), func() any { return list.Must(p8.NewOtter()) }),
		"gcache-simple":                 list.Like(list.Must(p9.NewGcacheSimple()), func() any { return list.Must(p9.NewGcacheSimple()) }),
		"gcache-lru":                    list.Like(list.Must(p9.NewGcacheLRU()), func() any { return list.Must(p9.NewGcacheLRU()) }),
		"gcache-lfu":                    list.Like(list.Must(p9.NewGcacheLFU()), func() any { return list.Must(p9.NewGcacheLFU()) }),
		"gcache-arc":                    list.Like(list.Must(p9.NewGcacheARC()), func() any { return list.Must(p9.NewGcacheARC()) }),
		"gcache-loader":                 list.Like(list.Must(p9.NewGcacheLoader()), func() any { return list.Must(p9.NewGcacheLoader()) }),
		"cache2go":                      list.Like(list.Must(p9.NewCache2go()), func() any { return list.Must(p9.NewCache2go()) }),
		"cache2go-delete":               list.Like(list.Must(p9.NewCache2go()), func() any { return list.Must(p9.NewCache2go()) }),
		"bigcache":                      list.Like(list.Must(p9.NewBigCache()), func() any { return list.Must(p9.NewBigCache()) }),
		"freecache":                     list.Like(list.Must(p9.NewFreecache()), func() any { return list.Must(p9.NewFreecache()) }),
		"tinylfu":                       list.Like(list.Must(p9.NewTinyLFU()), func() any { return list.Must(p9.NewTinyLFU()) }),
		"golang-lru-arc":                list.Like(list.Must(p5.NewARC[int, int](2)), func() any { return list.Must(p5.NewARC[int, int](2)) }),
		"k8s-lru":                       list.Like(list.Must(p16.New(2)), func() any { return list.Must(p16.New(2)) }),
		"ethereum-lru":                  list.Like(list.Must(p2.NewCache[int, int](2)), func() any { return list.Must(p2.NewCache[int, int](2)) }),
		"ethereum-sized-lru":            list.Like(list.Must(p9.NewEthereumSizedLRU()), func() any { return list.Must(p9.NewEthereumSizedLRU()) }),
		"ethereum-memorydb":             list.Like(list.Must(p3.New()), func() any { return list.Must(p3.New()) }),
		"xsync-v3-mapof":                list.Like(list.Must(p9.NewXsyncMapOf()), func() any { return list.Must(p9.NewXsyncMapOf()) }),
		"xsync-v3-mpmc-queue":           list.Like(list.Must(p10.NewMPMCQueueOf[int](2)), func() any { return list.Must(p10.NewMPMCQueueOf[int](2)) }),
		"xsync-v1-map":                  list.Like(list.Must(p9.NewXsync1Map()), func() any { return list.Must(p9.NewXsync1Map()) }),
		"orcaman-v1-cmap":               list.Like(list.Must(p9.NewOrcaman1()), func() any { return list.Must(p9.NewOrcaman1()) }),
		"golang-set-v1":                 list.Like(list.Must(p9.NewGolangSet1()), func() any { return list.Must(p9.NewGolangSet1()) }),
		"tidwall-btree":                 list.Like(list.Must(p9.NewTidwallBTree()), func() any { return list.Must(p9.NewTidwallBTree()) }),
		"workiva-ctrie":                 list.Like(list.Must(p9.NewCtrie()), func() any { return list.Must(p9.NewCtrie()) }),
		"badger-skiplist":               list.Like(list.Must(p9.NewSkiplist()), func() any { return list.Must(p9.NewSkiplist()) }),
		"go-memdb":                      list.Like(list.Must(p9.NewMemdb()), func() any { return list.Must(p9.NewMemdb()) }),
		"go-datastore":                  list.Like(list.Must(p9.NewDatastore()), func() any { return list.Must(p9.NewDatastore()) }),
		"bytedance-zset":                list.Like(list.Must(p0.NewFloat64()), func() any { return list.Must(p0.NewFloat64()) }),
		"tailscale-shardedmap":          list.Like(list.Must(p9.NewShardedMap()), func() any { return list.Must(p9.NewShardedMap()) }),
		"tailscale-map":                 list.Like(list.Must(p9.NewTailscaleMap()), func() any { return list.Must(p9.NewTailscaleMap()) }),
		"go-metrics-ewma":               list.Like(list.Must(p9.NewEWMA()), func() any { return list.Must(p9.NewEWMA()) }),
		"go-metrics-registry":           list.Like(list.Must(p9.NewRegistry()), func() any { return list.Must(p9.NewRegistry()) }),
		"go-metrics-histogram":          list.Like(list.Must(p9.NewSample()), func() any { return list.Must(p9.NewSample()) }),
		"victoria-set":                  list.Like(list.Must(p9.NewVictoriaSet()), func() any { return list.Must(p9.NewVictoriaSet()) }),
		"victoria-histogram":            list.Like(list.Must(p9.NewVictoriaHistogram()), func() any { return list.Must(p9.NewVictoriaHistogram()) }),
		"victoria-gauge":                list.Like(list.Must(p9.NewVictoriaGauge()), func() any { return list.Must(p9.NewVictoriaGauge()) }),
		"prometheus-counter":            list.Like(list.Must(p9.NewPrometheusCounter()), func() any { return list.Must(p9.NewPrometheusCounter()) }),
		"prometheus-gauge":              list.Like(list.Must(p9.NewPrometheusGauge()), func() any { return list.Must(p9.NewPrometheusGauge()) }),
		"prometheus-histogram":          list.Like(list.Must(p9.NewPrometheusHistogram()), func() any { return list.Must(p9.NewPrometheusHistogram()) }),
		"prometheus-countervec":         list.Like(list.Must(p9.NewPrometheusVec()), func() any { return list.Must(p9.NewPrometheusVec()) }),
		"uber-atomic-float64":           list.Like(list.Must(p13.NewFloat64(0)), func() any { return list.Must(p13.NewFloat64(0)) }),
		"x-semaphore":                   list.Like(list.Must(p15.NewWeighted(2)), func() any { return list.Must(p15.NewWeighted(2)) }),
		"x-rate-limiter":                list.Like(list.Must(p9.NewRateLimiter()), func() any { return list.Must(p9.NewRateLimiter()) }),
		"x-rate-sometimes":              list.Like(list.Must(p9.NewSometimes()), func() any { return list.Must(p9.NewSometimes()) }),
		"juju-ratelimit":                list.Like(list.Must(p9.NewBucket()), func() any { return list.Must(p9.NewBucket()) }),
		"gobreaker":                     list.Like(list.Must(p9.NewBreaker()), func() any { return list.Must(p9.NewBreaker()) }),
		"etcd-timelist":                 list.Like(list.Must(p9.NewTimeList()), func() any { return list.Must(p9.NewTimeList()) }),
		"go-zero-resources":             list.Like(list.Must(p9.NewResourceManager()), func() any { return list.Must(p9.NewResourceManager()) }),
		"go-zero-managed":               list.Like(list.Must(p9.NewManagedResource()), func() any { return list.Must(p9.NewManagedResource()) }),
		"go-zero-refresource":           list.Like(list.Must(p9.NewRefResource()), func() any { return list.Must(p9.NewRefResource()) }),
		"go-zero-limit":                 list.Like(list.Must(p12.NewLimit(2)), func() any { return list.Must(p12.NewLimit(2)) }),
		"go4-sem":                       list.Like(list.Must(p14.NewSem(2)), func() any { return list.Must(p14.NewSem(2)) }),
		"event-bus":                     list.Like(list.Must(p9.NewBus()), func() any { return list.Must(p9.NewBus()) }),
		"pion-packetio":                 list.Like(list.Must(p9.NewPacketBuffer()), func() any { return list.Must(p9.NewPacketBuffer()) }),
		"smallnest-ringbuffer":          list.Like(list.Must(p9.NewByteRing()), func() any { return list.Must(p9.NewByteRing()) }),
	}
}
