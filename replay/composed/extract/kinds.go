package extract

import (
	"go/types"
	"slices"
	"strings"
)

// A kind is a kind of collection. A type of a program is of this kind if it has a method for each
// operation that is needed, and a field of package sync or sync/atomic, or a channel: such types are for
// several goroutines.
type kind struct {
	needed     []string // names of the first rows
	operations []operation
}

// An operation is a row: the names that methods for it have, and what their parameters are. k is a
// key or an element of a set, v a value, o a value to compare with. An operation with ? reads; Range is r. The environment
// does not run those with -.
type operation struct {
	names  []string
	params string
}

// kinds are in the order in which they are tried.
var kinds = []kind{
	{[]string{"Load", "Store"}, []operation{
		{[]string{"Load", "Get", "Lookup"}, "?k"},
		{[]string{"Store", "Set", "Put"}, "kv"},
		{[]string{"LoadOrStore", "GetOrSet", "GetOrPut", "GetOrInsert", "PutIfAbsent", "SetIfAbsent", "Insert"}, "kv"},
		{[]string{"LoadAndDelete", "GetAndDelete", "GetAndDel", "Pop", "Take"}, "k"},
		{[]string{"Delete", "Remove", "Del"}, "k"},
		{[]string{"Has", "Contains", "Exists"}, "?k"},
		{[]string{"Swap"}, "kv"},
		{[]string{"CompareAndSwap"}, "kov"},
		{[]string{"CompareAndDelete"}, "ko"},
		{[]string{"Clear", "Reset"}, "-"},
		{[]string{"Range", "ForEach", "IterCb"}, "r"},
	}},
	{[]string{"Add", "Contains"}, []operation{
		{[]string{"Contains", "Has", "Exists", "Member"}, "?k"},
		{[]string{"Add", "Insert", "Put"}, "k"},
		{[]string{"Remove", "Delete", "Discard"}, "k"},
		{[]string{"Size", "Len", "Count"}, "?"},
	}},
	{[]string{"Enqueue", "Dequeue"}, []operation{
		{[]string{"Peek", "Front", "Head"}, "?"},
		{[]string{"Enqueue", "Push", "PushBack", "Offer", "Put", "Add"}, "v"},
		{[]string{"Dequeue", "Pop", "PopFront", "Poll", "Take", "Get"}, ""},
		{[]string{"Size", "Len", "Count"}, "?"},
	}},
}

// method returns the row of a method, or nil.
func (k *kind) method(m *types.Func) *operation {
	for i := range k.operations {
		o, s := &k.operations[i], m.Signature()
		if !slices.Contains(o.names, m.Name()) || s.Variadic() || s.Results().Len() > 2 {
			continue
		}
		count := len(strings.Trim(o.params, "?-"))
		if o.params == "r" {
			f, ok := s.Params().At(0).Type().Underlying().(*types.Signature)
			if s.Params().Len() != 1 || !ok || f.Params().Len() != 2 {
				continue
			}
		}
		if s.Params().Len() == count {
			return o
		}
	}
	return nil
}

// methods returns the methods of a type that are operations, in the order of the rows. The code
// of the given package may call them.
func (k *kind) methods(named *types.Named, from *types.Package) (list []*types.Func) {
	for _, o := range k.operations {
		for _, name := range o.names {
			object, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), name)
			if m, ok := object.(*types.Func); ok && k.method(m) != nil && (m.Exported() || m.Pkg() == from) {
				list = append(list, m)
			}
		}
	}
	return list
}

// kindOf returns the kind of a type, or nil.
func kindOf(named *types.Named) *kind {
	if lookupLibrary(named.Obj().Pkg().Path()) != nil {
		return &kinds[0]
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || !isShared(s) {
		return nil
	}
	i := slices.IndexFunc(kinds, func(k kind) bool {
		methods := k.methods(named, named.Obj().Pkg())
		return !slices.ContainsFunc(k.needed, func(name string) bool {
			return !slices.ContainsFunc(methods, func(m *types.Func) bool { return slices.Contains(k.method(m).names, name) })
		})
	})
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// isShared reports whether a field is of package sync or sync/atomic, or a channel.
func isShared(s *types.Struct) bool {
	for f := range s.Fields() {
		t := types.Unalias(f.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if _, ok := t.Underlying().(*types.Chan); ok {
			return true
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && slices.Contains([]string{"sync", "sync/atomic"}, n.Obj().Pkg().Path()) {
			return true
		}
	}
	return false
}
