package spec

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// An etcdStore is the state of etcd's key-value store: its revision, the current keys and the
// leases. It does not keep older revisions. Leases do not expire.
type etcdStore struct {
	revision int64 // of the last write; 1 at first
	keys     container.Ordered[value, etcdKey]
	leases   container.Ordered[value, struct{}]
	lacks    etcdFacts // what results do not show
}

// An etcdKey is what the store holds under a key.
type etcdKey struct {
	value       value
	create, mod int64 // revisions of the write that created the key, and of the last one
	version     int64 // number of writes since the key was created
	lease       int64 // 0 if there is none
}

// etcdFacts is a set of facts that recorded results may lack. In their place, results have null.
type etcdFacts uint8

const (
	etcdRevision etcdFacts = 1 << iota
	etcdMod
	etcdVersion
	etcdCount
	etcdDeleted
)

// etcdFactNames has the names of etcdFacts, in their order.
var etcdFactNames = []string{"revision", "mod", "version", "count", "deleted"}

// Number implements replay.Numbered.
func (s *etcdStore) Number() int64 { return s.revision }

func (s *etcdStore) Clone() *etcdStore {
	return &etcdStore{s.revision, s.keys.Clone(), s.leases.Clone(), s.lacks}
}

func (s *etcdStore) AppendKey(dst []byte) []byte {
	dst = binary.AppendVarint(dst, s.revision)
	dst = binary.AppendUvarint(dst, uint64(s.keys.Len()))
	for p := range s.keys.All() {
		k := &p.Val
		dst = k.value.AppendKey(p.Key.AppendKey(dst))
		for _, n := range []int64{k.create, k.mod, k.version, k.lease} {
			dst = binary.AppendVarint(dst, n)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(s.leases.Len()))
	for p := range s.leases.All() {
		dst = p.Key.AppendKey(dst)
	}
	return dst
}

// AppendText appends a text such as
//
//	revision 3: {"a"="1" (create 2, mod 3, version 2, lease 7)}, leases [7]
func (s *etcdStore) AppendText(dst []byte) []byte {
	number := func(dst []byte, name string, n int64) []byte {
		return table.AppendValue(append(dst, name...), history.IntValue(n))
	}
	dst = append(number(dst, "revision ", s.revision), ": "...)
	dst = table.AppendEach(dst, "{}", ", ", s.keys.All(), func(dst []byte, p *container.Pair[value, etcdKey]) []byte {
		dst = table.AppendValue(append(table.AppendValue(dst, p.Key), '='), p.Val.value)
		dst = number(dst, " (create ", p.Val.create)
		dst = number(dst, ", mod ", p.Val.mod)
		dst = number(dst, ", version ", p.Val.version)
		if p.Val.lease != 0 {
			dst = number(dst, ", lease ", p.Val.lease)
		}
		return append(dst, ')')
	})
	if s.leases.Len() == 0 {
		return dst
	}
	return table.AppendEach(append(dst, ", leases "...), "[]", ", ", s.leases.All(), func(dst []byte, p *container.Pair[value, struct{}]) []byte {
		return table.AppendValue(dst, p.Key)
	})
}

// shown returns a number of a result, or null if results lack it.
func (s *etcdStore) shown(fact etcdFacts, n int64) value {
	if s.lacks&fact != 0 {
		return history.NullValue
	}
	return history.IntValue(n)
}

// step performs one step of a transaction. It returns its result, and whether it wrote
// something. The revision of what it writes is the next one, which commit makes the current one.
func (s *etcdStore) step(method string, args []value) (result value, wrote bool) {
	switch method {
	case "put":
		s.put(args)
		return history.NullValue, true
	case "delete":
		if s.keys.Remove(args[0]) {
			return s.shown(etcdDeleted, 1), true
		}
		return s.shown(etcdDeleted, 0), false
	case "get":
		return s.find(args[0], history.StringValue(""), 0, false), false
	}
	return s.find(args[0], args[1], args[2].Int(), method == "keys"), false
}

// put stores the value of a key. It detaches the key from its lease, unless that is given again.
func (s *etcdStore) put(args []value) {
	k, isNew := s.keys.GetOrAdd(args[0])
	if isNew {
		k.create = s.revision + 1
	}
	k.value, k.mod, k.lease = args[1], s.revision+1, leaseOf(args)
	k.version++
}

// leaseOf returns the lease among the arguments of a put, or 0.
func leaseOf(args []value) int64 {
	if len(args) < 3 {
		return 0
	}
	return args[2].Int()
}

// find returns the keys from start to end, with their number: [kvs, count]. There are limit of
// them at most, unless limit is 0; the count has the others, too.
func (s *etcdStore) find(start, end value, limit int64, keysOnly bool) value {
	var kvs []value
	count := int64(0)
	for p := s.keys.Above(start, true); p != nil && isBefore(p.Key, start, end.Text()); p = s.keys.Above(p.Key, false) {
		if count++; limit > 0 && count > limit {
			continue
		}
		content := p.Val.value
		if keysOnly {
			content = history.NullValue
		}
		kvs = append(kvs, history.ListValue(p.Key, content, s.shown(etcdMod, p.Val.mod), s.shown(etcdVersion, p.Val.version)))
	}
	return history.ListValue(history.ListValue(kvs...), s.shown(etcdCount, count))
}

// isBefore reports whether a range that begins at start, and not after key, reaches key.
func isBefore(key, start value, end string) bool {
	switch end {
	case "":
		return key.Equal(start)
	case "\x00":
		return true
	}
	return key.Text() < end
}

// commit makes the next revision the current one if something was written. It returns the
// revision for the result.
func (s *etcdStore) commit(wrote bool) value {
	if wrote {
		s.revision++
	}
	return s.shown(etcdRevision, s.revision)
}

// canPut reports whether the lease of a put exists.
func (s *etcdStore) canPut(args []value) bool {
	lease := leaseOf(args)
	return lease == 0 || s.leases.Get(history.IntValue(lease)) != nil
}

// etcdRow returns the row of a method that may be a step of a transaction. Outside of one, it
// also returns the revision.
func etcdRow(signature string, facts table.Facts) table.Method[*etcdStore] {
	method, _, _ := strings.Cut(signature, "(")
	return table.Row(signature, func(s *etcdStore, args []value) value {
		if method == "put" && !s.canPut(args) {
			return table.NoTransition
		}
		result, wrote := s.step(method, args)
		revision := s.commit(wrote)
		switch method {
		case "put":
			return revision
		case "delete":
			return history.ListValue(result, revision)
		}
		return history.ListValue(append(slices.Clone(result.List()), revision)...)
	}, facts)
}

// transact performs a transaction. Its steps are in a fixed order, and each of them sees what
// those before it wrote. If a put has a lease that does not exist, there is no transition.
func (s *etcdStore) transact(args []value) (held bool, results, revision value, ok bool) {
	held = !slices.ContainsFunc(args[0].List(), func(c value) bool { return !s.holds(c.List()) })
	steps := args[2].List()
	if held {
		steps = args[1].List()
	}
	for _, step := range steps {
		if l := step.List(); l[0].Text() == "put" && !s.canPut(l[1:]) {
			return false, value{}, value{}, false
		}
	}
	list, wrote := make([]value, len(steps)), false
	for i, step := range steps {
		l, isWrite := step.List(), false
		list[i], isWrite = s.step(l[0].Text(), l[1:])
		wrote = wrote || isWrite
	}
	return held, history.ListValue(list...), s.commit(wrote), true
}

// holds reports whether a compare holds. The numbers of a key that does not exist are 0, and it
// has no value.
func (s *etcdStore) holds(compare []value) bool {
	var k etcdKey
	if p := s.keys.Get(compare[1]); p != nil {
		k = *p
	}
	switch compare[0].Text() {
	case "mod":
		return compare[2].Equal(history.IntValue(k.mod))
	case "create":
		return compare[2].Equal(history.IntValue(k.create))
	case "version":
		return compare[2].Equal(history.IntValue(k.version))
	}
	return k.version > 0 && compare[2].Equal(k.value)
}

// grant adds a lease. The lease 0 is none.
func (s *etcdStore) grant(args []value) value {
	if args[0].Int() != 0 {
		s.leases.GetOrAdd(args[0])
	}
	return s.commit(false)
}

// revoke removes a lease and its keys.
func (s *etcdStore) revoke(args []value) value {
	if !s.leases.Remove(args[0]) {
		return s.commit(false)
	}
	var keys []value
	for p := range s.keys.All() {
		if p.Val.lease == args[0].Int() {
			keys = append(keys, p.Key)
		}
	}
	for _, key := range keys {
		s.keys.Remove(key)
	}
	return s.commit(len(keys) > 0)
}

var etcdTable = table.New([]table.Method[*etcdStore]{
	etcdRow("put(key: string, value) -> null|int", table.Updates),
	etcdRow("put(key: string, value, lease: int) -> null|int", table.Waits),
	etcdRow("get(key: string) -> list", table.Reads),
	etcdRow("range(start: string, end: string, limit: int) -> list", table.Reads),
	etcdRow("keys(start: string, end: string, limit: int) -> list", table.Reads),
	etcdRow("delete(key: string) -> list", table.Updates),
	table.Row("txn(compares: list, success: list, failure: list) -> list", func(s *etcdStore, args []value) value {
		held, results, revision, ok := s.transact(args)
		if !ok {
			return table.NoTransition
		}
		return history.ListValue(history.BoolValue(held), results, revision)
	}, table.Waits),
	table.Row("persisted(compares: list, success: list, failure: list) -> null|int", func(s *etcdStore, args []value) value {
		_, _, revision, ok := s.transact(args)
		if !ok {
			return table.NoTransition
		}
		return revision
	}, table.Waits),
	table.Row("leaseGrant(lease: int) -> null|int", (*etcdStore).grant, table.Updates),
	table.Row("leaseRevoke(lease: int) -> null|int", (*etcdStore).revoke, table.Updates),
})

var etcdEntry = table.Entry{Name: "etcd", Args: "[:lacks]",
	Doc:     "etcd's key-value store: revisions, transactions, leases; the argument lists what results do not have",
	Methods: &etcdTable.Signatures,
	Make:    newEtcd,
	Notes: []string{
		`The store is empty at first, at revision 1. Each put, delete or transaction that writes makes one new revision.`,
		`put, leaseGrant, leaseRevoke and persisted return the revision after them. delete returns [deleted, revision].`,
		`get, range and keys return [kvs, count, revision], where kvs is a list of [key, value, mod revision, version].`,
		`range has the keys from start on and before end: one key if end is "", all of them if end is "\x00". A limit of 0 is none.`,
		`keys is a range without values, which are null.`,
		`txn takes compares, such as ["mod", key, 3] or with "create", "version" or "value", and two lists of steps, such as ["put", key, value].`,
		`It performs the first list if all compares are equal, and the second one otherwise. It returns [held, results, revision].`,
		`The result of a step is null for a put, the number of deleted keys for a delete, and [kvs, count] for the others.`,
		`persisted is a txn of which only the revision is known.`,
		`A put with a lease that does not exist never returns: a history in which it does is not linearizable. Leases do not expire.`,
		`The argument lists what recorded results do not have: "revision", "mod", "version", "count", "deleted". They have null in its place.`,
	},
}

func newEtcd(args []value) (table.Made, error) {
	lacks, err := etcdLacks(args)
	if err != nil {
		return nil, err
	}
	return etcdSpec{&table.Specification[*etcdStore]{Table: etcdTable,
		Fresh: func() *etcdStore { return &etcdStore{revision: 1, lacks: lacks} }}}, nil
}

// etcdLacks returns the facts that results lack, according to the argument of the specification.
func etcdLacks(args []value) (lacks etcdFacts, err error) {
	list, err := table.Optional(args, "the list of what results lack", table.KindOf(history.List), history.ListValue())
	if err != nil {
		return 0, err
	}
	for _, name := range list.List() {
		i := slices.Index(etcdFactNames, name.Text())
		if i < 0 {
			return 0, table.BadArgument("what results lack", "revision, mod, version, count or deleted", name)
		}
		lacks |= 1 << i
	}
	return lacks, nil
}
