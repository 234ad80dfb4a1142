package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// etcdProbe shows what a store of the random tests can ever show: its keys, the revisions that
// created them, the current revision, and the leases with their keys.
func etcdProbe() string {
	probe := `range "" "\x00" 0 = `
	for lease := range 3 {
		probe += fmt.Sprintf(`; put "c" 0 %d = `, lease)
	}
	for n := range 14 { // a few more than there are revisions
		probe += fmt.Sprintf(`; txn [["create","",%[1]d]] [] [] = ; txn [["create","a",%[1]d]] [] [] = ; txn [["mod","",%[1]d]] [] [] = ; txn [["mod","a",%[1]d]] [] [] = `, n)
		probe += fmt.Sprintf(`; txn [["version","",%[1]d]] [] [] = ; txn [["version","a",%[1]d]] [] [] = `, n)
	}
	for lease := range 3 {
		probe += fmt.Sprintf(`; leaseRevoke %d = ; get "" = ; get "a" = `, lease)
	}
	probe += `; put "c" 0 = `
	for n := range 20 {
		probe += fmt.Sprintf(`; txn [["mod","c",%d]] [] [] = `, n)
	}
	return probe
}

// randomEtcdTxn returns the arguments of a transaction.
func randomEtcdTxn(r *rand.Rand, argument func(table.Kinds) history.Value) []history.Value {
	text, number := func() history.Value { return argument(table.KindOf(history.String)) }, func() history.Value { return argument(table.KindOf(history.Int)) }
	steps := func() history.Value {
		var list []history.Value
		for range r.IntN(4) {
			step := [][]history.Value{
				{history.StringValue("put"), text(), argument(table.AnyValue)},
				{history.StringValue("put"), text(), argument(table.AnyValue), number()},
				{history.StringValue("delete"), text()},
				{history.StringValue("get"), text()},
				{history.StringValue("range"), text(), history.StringValue([]string{"", "\x00", "a", "b"}[r.IntN(4)]), number()},
				{history.StringValue("keys"), text(), history.StringValue("\x00"), number()},
			}[r.IntN(6)]
			list = append(list, history.ListValue(step...))
		}
		return history.ListValue(list...)
	}
	var compares []history.Value
	for range r.IntN(3) {
		what, expected := []string{"mod", "create", "version", "value"}[r.IntN(4)], number()
		if what == "value" {
			expected = argument(table.AnyValue)
		}
		compares = append(compares, history.ListValue(history.StringValue(what), text(), expected))
	}
	return []history.Value{history.ListValue(compares...), steps(), steps()}
}

// An etcdLog is a naive etcd: all that was ever written, from which each response is computed.
type etcdLog struct {
	writes []etcdWrite
	leases []int64 // granted, or revoked if negative
}

type etcdWrite struct {
	revision  int64
	key       string
	value     history.Value
	lease     int64
	isDeleted bool
}

func (l *etcdLog) revision() int64 {
	if len(l.writes) == 0 {
		return 1
	}
	return l.writes[len(l.writes)-1].revision
}

// life returns the writes of a key since it was last created, which are none if it is deleted.
func (l *etcdLog) life(key string) (life []etcdWrite) {
	for _, w := range l.writes {
		switch {
		case w.key != key:
		case w.isDeleted:
			life = nil
		default:
			life = append(life, w)
		}
	}
	return life
}

func (l *etcdLog) hasLease(id int64) bool {
	exists := false
	for _, granted := range l.leases {
		exists = granted == id || exists && granted != -id
	}
	return exists
}

// valueOf returns a Value for ints, strings, bools, nil, Values and lists of them.
func valueOf(v any) history.Value {
	switch v := v.(type) {
	case history.Value:
		return v
	case int:
		return history.IntValue(int64(v))
	case int64:
		return history.IntValue(v)
	case string:
		return history.StringValue(v)
	case bool:
		return history.BoolValue(v)
	case []any:
		var list []history.Value
		for _, e := range v {
			list = append(list, valueOf(e))
		}
		return history.ListValue(list...)
	}
	return history.NullValue
}

// write performs steps at the given revision, and returns their results. It returns false for a
// put with a missing lease, after which the log must not be used.
func (l *etcdLog) write(revision int64, steps [][]history.Value) (results []any, ok bool) {
	for _, step := range steps {
		method, key := step[0].Text(), step[1].Text()
		switch method {
		case "put":
			w := etcdWrite{revision: revision, key: key, value: step[2]}
			if len(step) > 3 {
				w.lease = step[3].Int()
			}
			if w.lease != 0 && !l.hasLease(w.lease) {
				return nil, false
			}
			l.writes = append(l.writes, w)
			results = append(results, nil)
		case "delete":
			n := min(1, len(l.life(key)))
			if n > 0 {
				l.writes = append(l.writes, etcdWrite{revision: revision, key: key, isDeleted: true})
			}
			results = append(results, n)
		default:
			results = append(results, l.find(method, step[1:]))
		}
	}
	return results, true
}

// find returns the result of a get, range or keys.
func (l *etcdLog) find(method string, args []history.Value) []any {
	in := func(key string) bool { return key == args[0].Text() }
	limit := 0
	if method != "get" {
		start, end := args[0].Text(), args[1].Text()
		limit = int(args[2].Int())
		if end != "" {
			in = func(key string) bool { return key >= start && (key < end || end == "\x00") }
		}
	}
	var keys []string
	for _, w := range l.writes {
		if in(w.key) && len(l.life(w.key)) > 0 && !slices.Contains(keys, w.key) {
			keys = append(keys, w.key)
		}
	}
	slices.Sort(keys)
	count := len(keys)
	if limit > 0 && limit < count {
		keys = keys[:limit]
	}
	kvs := []any{}
	for _, key := range keys {
		life := l.life(key)
		last := life[len(life)-1]
		content := last.value
		if method == "keys" {
			content = history.NullValue
		}
		kvs = append(kvs, []any{key, content, last.revision, len(life)})
	}
	return []any{kvs, count}
}

// holds reports whether a compare holds.
func (l *etcdLog) holds(c []history.Value) bool {
	life := l.life(c[1].Text())
	numbers := map[string]int64{"version": int64(len(life))}
	if len(life) > 0 {
		numbers["create"], numbers["mod"] = life[0].revision, life[len(life)-1].revision
	}
	if c[0].Text() == "value" {
		return len(life) > 0 && life[len(life)-1].value.Equal(c[2])
	}
	return c[2].Int() == numbers[c[0].Text()]
}

// respond performs a request, and returns its response. It returns false if there is none.
func (l *etcdLog) respond(inv replay.Invocation) (any, bool) {
	steps := [][]history.Value{append([]history.Value{history.StringValue(inv.Method)}, inv.Args...)}
	held := true
	switch inv.Method {
	case "leaseGrant":
		if id := inv.Args[0].Int(); id != 0 {
			l.leases = append(l.leases, id)
		}
		return l.revision(), true
	case "leaseRevoke":
		next, id := l.revision()+1, inv.Args[0].Int()
		if id == 0 {
			return l.revision(), true
		}
		l.leases = append(l.leases, -id)
		for _, w := range slices.Clone(l.writes) {
			if life := l.life(w.key); len(life) > 0 && life[len(life)-1].lease == id {
				l.writes = append(l.writes, etcdWrite{revision: next, key: w.key, isDeleted: true})
			}
		}
		return l.revision(), true
	case "txn", "persisted":
		for _, c := range inv.Args[0].List() {
			held = held && l.holds(c.List())
		}
		branch := inv.Args[2]
		if held {
			branch = inv.Args[1]
		}
		steps = nil
		for _, step := range branch.List() {
			steps = append(steps, step.List())
		}
	}
	before := slices.Clone(l.writes)
	results, ok := l.write(l.revision()+1, steps)
	if !ok {
		l.writes = before
		return nil, false
	}
	switch inv.Method {
	case "txn":
		return []any{held, results, l.revision()}, true
	case "put", "persisted":
		return l.revision(), true
	case "delete":
		return []any{results[0], l.revision()}, true
	}
	return append(results[0].([]any), l.revision()), true
}

// TestEtcdLog compares random requests with the naive description, and what revisions say of
// them with the revisions before and after.
func TestEtcdLog(t *testing.T) {
	t.Parallel()
	r := newRandom(t)
	m := &model{text: "etcd", ints: []int{0, 1, 2, 3}}
	s, methods := m.open(t)
	kinds := map[replay.VersionKind]int{}
	refused := 0
	for range 20_000 {
		state, log := s.New().(replay.State), &etcdLog{}
		for range 1 + r.IntN(15) {
			inv, before, was := m.invocation(r, methods), log.revision(), key(state)
			want, ok := log.respond(inv)
			got, gotOK := state.Apply(inv)
			if ok != gotOK || ok && !got.Equal(valueOf(want)) {
				t.Fatalf("%v returns %v, %v; want %v, %v\nafter %+v", inv, got, gotOK, valueOf(want), ok, log)
			}
			op := &history.Operation{Method: inv.Method, Args: inv.Args, Result: got, Return: 1}
			if !ok {
				if refused++; key(state) != was {
					t.Fatalf("%v has no transition, but it changes the state", inv)
				}
				continue
			}
			if err := s.Check(op); err != nil {
				t.Fatal(err)
			}
			use := s.(replay.Versioned).VersionUse(op)
			kinds[use.Kind]++
			after := log.revision()
			if number, _ := use.Version.Number(); number != after ||
				use.Kind == replay.NewVersion && after != before+1 || use.Kind == replay.SeenVersion && after != before ||
				use.Kind == replay.AnyVersion && inv.Method != "leaseRevoke" && inv.Method != "persisted" {
				t.Fatalf("%v: %+v, the revision was %d and is %d", op, use, before, after)
			}
			if s.(replay.Described).Facts(op).ReadOnly && key(state) != was {
				t.Fatalf("%v is said to change nothing", op)
			}
		}
	}
	t.Logf("%v operations by kind of version, %d without a transition", kinds, refused)
	if len(kinds) != 3 || refused < 1000 {
		t.Error("too few of one kind")
	}
}

// TestEtcdVersions: what the revision says of results that are wrong, or not whole.
func TestEtcdVersions(t *testing.T) {
	for _, test := range []struct {
		call    string
		version history.Version
		want    string
	}{
		{`put "a" 1 = null`, 0, "new none"},
		{`put "a" 1 = ?`, history.VersionOf(4), "new 4"},
		{`put "a" 1 = -1`, 0, "new none"},
		{`get "a" = =[]`, 0, "seen none"},
		{`get "a" = null`, 0, "seen none"},
		{`get "a" = =[[],0,7]`, 0, "seen 7"},
		{`delete "a" = =[1,3]`, 0, "new 3"},
		{`delete "a" = =[0,3]`, 0, "seen 3"},
		{`delete "a" = =[null,3]`, 0, "any 3"},
		{`delete "a" = =[3]`, 0, "any 3"},
		{`delete "a" = ?`, history.VersionOf(4), "any 4"},
		{`txn [["mod","a",0]] [["put","a",1]] [["get","a"]] = =[true,[null],3]`, 0, "new 3"},
		{`txn [["mod","a",0]] [["put","a",1]] [["get","a"]] = =[false,[[[],0]],3]`, 0, "seen 3"},
		{`txn [["mod","a",0]] [["put","a",1]] [["get","a"]] = =[3]`, 0, "any 3"},
		{`txn [] [["delete","a"],["delete","b"]] [] = =[true,[0,1],3]`, 0, "new 3"},
		{`txn [] [["delete","a"],["delete","b"]] [] = =[true,[0],3]`, 0, "any 3"},
		{`persisted [] [["put","a",1]] [] = 3`, 0, "new 3"},
		{`persisted [["mod","a",0]] [["put","a",1]] [] = 3`, 0, "any 3"},
		{`persisted [["mod","a",0]] [["put","a",1]] [["put","b",1]] = 3`, 0, "new 3"},
		{`persisted [] [["get","a"]] [] = 3`, 0, "seen 3"},
		{`leaseGrant 1 = 3`, 0, "seen 3"},
		{`leaseRevoke 1 = 3`, 0, "any 3"},
	} {
		s, err := Parse("etcd")
		if err != nil {
			t.Fatal(err)
		}
		op, err := parseCall(strings.Replace(test.call, "= ?", "= blocks", 1))
		if err != nil {
			t.Fatal(err)
		}
		op.Version = test.version
		use := s.(replay.Versioned).VersionUse(op)
		version := "none"
		if n, ok := use.Version.Number(); ok {
			version = fmt.Sprint(n)
		}
		if got := []string{"no", "new", "seen", "any"}[use.Kind] + " " + version; got != test.want {
			t.Errorf("%s: %s, want %s", test.call, got, test.want)
		}
	}
}

// TestEtcdReveals: what results show of keys.
func TestEtcdReveals(t *testing.T) {
	s, err := Parse("etcd")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ call, want string }{
		{`put "a" 1 = 3`, `"a"=1 3-3`},
		{`put "a" 1 = null`, ``},
		{`delete "a" = =[0,3]`, `a-none@3`},
		{`get "a" = =[[["a",1,2,1]],1,5]`, `"a"=1 2-5`},
		{`get "a" = =[[],0,5]`, `a-none@5`},
		{`get "a" = =[[["a",1]],1,5]`, ``},
		{`range "a" "\x00" 0 = =[[["a",1,2,1]],1,5]`, `"a"=1 2-5 b-none@5 c-none@5`},
		{`range "b" "c" 0 = =[[],0,5]`, `b-none@5`},
		{`range "a" "\x00" 1 = =[[["a",1,2,1]],3,5]`, `"a"=1 2-5`},
		{`range "a" "\x00" 2 = =[[["a",1,null,1]],1,5]`, `b-none@5 c-none@5`},
		{`keys "a" "c" 0 = =[[["a",null,2,1]],1,5]`, `"a"= 2-5 b-none@5`},
		{`txn [["mod","a",2]] [["put","b",7]] [] = =[true,[null],5]`, `"a"= 2-4 "b"=7 5-5`},
		{`txn [["mod","a",0],["value","b",2]] [["get","b"]] [] = =[true,[[[],0]],5]`, `a-none@5`},
		{`txn [["mod","a",2]] [] [["put","b",1],["put","b",2]] = =[false,[null,null],5]`, `"b"=2 5-5`},
		{`txn [["mod","a",2]] [] [["put","b",1],["delete","b"]] = =[false,[null,1],5]`, ``},
		{`txn [["mod","a",2]] [["delete","b"]] [] = =[true,[null],5]`, ``},
		{`persisted [] [["put","a",1]] [] = 3`, ``},
		{`leaseRevoke 1 = 3`, ``},
	} {
		op, err := parseCall(test.call)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		shown, absent := s.(replay.Revealing).Reveals(op)
		for _, x := range shown {
			content := ""
			if x.Value.Kind() != history.None {
				content = x.Value.String()
			}
			got = append(got, fmt.Sprintf("%v=%s %d-%d", x.Part, content, x.From, x.Until))
		}
		for _, x := range absent {
			for _, key := range []string{"a", "b", "c"} {
				if x.Has(history.StringValue(key)) {
					got = append(got, fmt.Sprintf("%s-none@%d", key, x.At))
				}
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.call, got, test.want)
		}
	}
}
