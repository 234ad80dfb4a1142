package main

// The libraries that only types.txt names.
import (
	_ "github.com/allegro/bigcache/v3"
	_ "github.com/armon/go-radix"
	_ "github.com/bits-and-blooms/bitset"
	_ "github.com/cenkalti/backoff/v4"
	_ "github.com/coocood/freecache"
	_ "github.com/dgraph-io/ristretto/v2"
	_ "github.com/eapache/queue"
	_ "github.com/elliotchance/orderedmap/v3"
	_ "github.com/emirpasic/gods/lists/arraylist"
	_ "github.com/gammazero/deque"
	_ "github.com/google/btree"
	_ "github.com/hashicorp/go-set/v3"
	_ "github.com/juju/ratelimit"
	_ "github.com/oklog/ulid/v2"
	_ "github.com/sony/gobreaker/v2"
	_ "github.com/tidwall/btree"
	_ "github.com/zyedidia/generic/hashmap"
	_ "go.uber.org/atomic"
	_ "golang.org/x/time/rate"
)
