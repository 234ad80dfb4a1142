package search

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// appendKey appends what is pinned and the rest with its ranges, counted from
// the end. Not which insertions these are matters, but their values, and what
// future moves will compare: the responses of those that can come at the end,
// and of others whether their response is before an invocation of the rest.
func (k *lazyStack) appendKey(dst []byte, depth int32) []byte {
	n := int32(len(k.places))
	dst = binary.AppendUvarint(dst, uint64(depth))
	for i := int32(1); i <= min(depth, n); i++ {
		if p := k.places[n-i].pin; p >= 0 {
			dst = binary.AppendUvarint(dst, uint64(i))
			dst = binary.AppendUvarint(dst, uint64(k.inserts[p].value))
		}
	}
	dst = append(dst, 0)
	k.findRanges()
	k.calls, k.rets, k.kinds = k.calls[:0], k.rets[:0], k.kinds[:0]
	for i := len(k.ranges) - 1; i >= 0; i-- { // by invocation
		r := k.ranges[i]
		if n-r.high > depth {
			continue
		}
		in := &k.inserts[r.insert]
		k.calls, k.rets = append(k.calls, in.call), append(k.rets, in.ret)
		value := 2 * in.value
		if in.must {
			value++
		}
		k.kinds = append(k.kinds, lazyKind{in.call, in.ret, min(n-r.low, depth+1), n - r.high, value})
	}
	slices.Sort(k.rets)
	for i := range k.kinds {
		kind := &k.kinds[i]
		after, _ := slices.BinarySearch(k.rets, kind.call)
		if kind.high > 1 {
			before, _ := slices.BinarySearch(k.calls, kind.ret)
			kind.ret = int32(before)
		}
		kind.call = int32(after)
	}
	slices.SortFunc(k.kinds, lazyKind.compare)
	for _, kind := range k.kinds {
		for _, x := range [...]int32{kind.call, kind.ret, kind.low, kind.high, kind.value} {
			dst = binary.AppendUvarint(dst, uint64(x))
		}
	}
	return dst
}

// A lazyKind is what matters of an insertion of the rest.
type lazyKind struct{ call, ret, low, high, value int32 }

func (a lazyKind) compare(b lazyKind) int {
	return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.ret, b.ret), cmp.Compare(a.low, b.low),
		cmp.Compare(a.high, b.high), cmp.Compare(a.value, b.value))
}

// all is the depth at which everything is known.
const all = 1 << 30

func (k *lazyStack) depth(floor int32) int32 {
	n := len(k.places)
	if floor <= 0 {
		return all
	}
	i := n - 1
	for i > 0 && k.places[i-1].stamp >= floor {
		i--
	}
	return int32(n - i)
}

func (k *lazyStack) floor(depth int32) int32 {
	if depth == all {
		return 0
	}
	return k.places[len(k.places)-int(depth)].stamp
}

func (k *lazyStack) reaches(depth int32) bool { return depth == all || int(depth) <= len(k.places) }
