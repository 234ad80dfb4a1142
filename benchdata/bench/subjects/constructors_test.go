// Code generated from subjects.txt by go test -run TestConstructors -update; DO NOT EDIT.

package subjects_test

import (
	p0 "github.com/enriquebris/goconcurrentqueue"
	p1 "github.com/golang-design/lockfree"
	p2 "github.com/hashicorp/golang-lru/v2"
	p3 "github.com/hashicorp/golang-lru/v2/expirable"
	p4 "github.com/leadline/leadline/benchdata/bench/subjects"
	p5 "github.com/puzpuzpuz/xsync/v4"
)

func init() {
	derivers = map[string]deriver{
		"haxmap":                        like(must(p4.NewHaxmap()), func() any { return must(p4.NewHaxmap()) }),
		"haxmap-filled":                 like(must(p4.NewFilledHaxmap()), func() any { return must(p4.NewFilledHaxmap()) }),
		"haxmap-getorset":               like(must(p4.NewHaxmap()), func() any { return must(p4.NewHaxmap()) }),
		"cornelk-hashmap":               like(must(p4.NewCornelk()), func() any { return must(p4.NewCornelk()) }),
		"cornelk-hashmap-filled":        like(must(p4.NewFilledCornelk()), func() any { return must(p4.NewFilledCornelk()) }),
		"orcaman-cmap":                  like(must(p4.NewOrcaman()), func() any { return must(p4.NewOrcaman()) }),
		"xsync-map":                     like(must(p4.NewXsyncMap()), func() any { return must(p4.NewXsyncMap()) }),
		"xsync-mpmc-queue":              like(must(p5.NewMPMCQueue[int](2)), func() any { return must(p5.NewMPMCQueue[int](2)) }),
		"workiva-queue":                 like(must(p4.NewWorkivaQueue()), func() any { return must(p4.NewWorkivaQueue()) }),
		"workiva-ringbuffer":            like(must(p4.NewRingBuffer()), func() any { return must(p4.NewRingBuffer()) }),
		"workiva-ringbuffer-small":      like(must(p4.NewSmallRingBuffer()), func() any { return must(p4.NewSmallRingBuffer()) }),
		"bytedance-skipmap":             like(must(p4.NewBytedanceSkipmap()), func() any { return must(p4.NewBytedanceSkipmap()) }),
		"bytedance-skipmap-filled":      like(must(p4.NewFilledBytedanceSkipmap()), func() any { return must(p4.NewFilledBytedanceSkipmap()) }),
		"bytedance-skipset":             like(must(p4.NewBytedanceSkipset()), func() any { return must(p4.NewBytedanceSkipset()) }),
		"zhangyunhao116-skipmap":        like(must(p4.NewSkipmap()), func() any { return must(p4.NewSkipmap()) }),
		"zhangyunhao116-skipmap-filled": like(must(p4.NewFilledSkipmap()), func() any { return must(p4.NewFilledSkipmap()) }),
		"goconcurrentqueue-fifo":        like(must(p0.NewFIFO()), func() any { return must(p0.NewFIFO()) }),
		"goconcurrentqueue-fixedfifo":   like(must(p0.NewFixedFIFO(2)), func() any { return must(p0.NewFixedFIFO(2)) }),
		"golang-set":                    like(must(p4.NewGolangSet()), func() any { return must(p4.NewGolangSet()) }),
		"lockfree-queue":                like(must(p1.NewQueue()), func() any { return must(p1.NewQueue()) }),
		"lockfree-stack":                like(must(p1.NewStack()), func() any { return must(p1.NewStack()) }),
		"ttlcache":                      like(must(p4.NewTTLCache()), func() any { return must(p4.NewTTLCache()) }),
		"ttlcache-small":                like(must(p4.NewSmallTTLCache()), func() any { return must(p4.NewSmallTTLCache()) }),
		"lru":                           like(must(p2.New[int, int](2)), func() any { return must(p2.New[int, int](2)) }),
		"lru-2q":                        like(must(p2.New2Q[int, int](2)), func() any { return must(p2.New2Q[int, int](2)) }),
		"lru-expirable":                 like(must(p3.NewLRU[int, int](2, nil, 0)), func() any { return must(p3.NewLRU[int, int](2, nil, 0)) }),
		"go-cache":                      like(must(p4.NewGoCache()), func() any { return must(p4.NewGoCache()) }),
		"otter":                         like(must(p4.NewOtter()), func() any { return must(p4.NewOtter()) }),
	}
}
