package extract

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A kind is a collection of package composed. A type of a program is of this kind if it has
// the methods that are needed, under one of their names, and if a field of it is of package
// sync or sync/atomic, or a channel: such types are for several goroutines.
type kind struct {
	name   string
	needed []string
	names  map[string][]string // of the operations
}

// kinds are in the order in which they are tried.
var kinds = []kind{
	{"Map", []string{"Load", "Store"}, map[string][]string{
		"Load": {"Load", "Get", "Lookup"}, "Store": {"Store", "Set", "Put"}, "Delete": {"Delete", "Remove"},
		"Has": {"Has", "Contains", "Exists"}, "LoadOrStore": {"LoadOrStore", "GetOrSet", "GetOrPut", "PutIfAbsent"},
		"LoadAndDelete": {"LoadAndDelete", "GetAndDelete", "Pop", "Take"}, "Clear": {"Clear", "Reset"},
	}},
	{"Set", []string{"Add", "Contains"}, map[string][]string{
		"Add": {"Add", "Insert", "Put"}, "Remove": {"Remove", "Delete", "Discard"},
		"Contains": {"Contains", "Has", "Exists", "Member"}, "Size": {"Size", "Len", "Count"},
	}},
	{"Queue", []string{"Enqueue", "Dequeue"}, map[string][]string{
		"Enqueue": {"Enqueue", "Push", "PushBack", "Offer", "Put", "Add"}, "Dequeue": {"Dequeue", "Pop", "PopFront", "Poll", "Take", "Get"},
		"Peek": {"Peek", "Front", "Head"}, "Size": {"Size", "Len", "Count"},
	}},
}

// bodies are the methods of adapters. The key is the kind, the operation, the number of
// parameters, and the results: T is a value.
var bodies = map[string]string{
	"Map Load 1 T bool":          "v, ok := t.m.Load(a)\nx, _ := v.(T)\nreturn x, ok",
	"Map Load 1 T":               "v, _ := t.m.Load(a)\nx, _ := v.(T)\nreturn x",
	"Map Store 2":                "t.m.Store(a, b)",
	"Map Delete 1":               "t.m.Delete(a)",
	"Map Delete 1 bool":          "_, ok := t.m.LoadAndDelete(a)\nreturn ok",
	"Map Has 1 bool":             "_, ok := t.m.Load(a)\nreturn ok",
	"Map LoadOrStore 2 T bool":   "v, loaded := t.m.LoadOrStore(a, b)\nx, _ := v.(T)\nreturn x, loaded",
	"Map LoadOrStore 2 bool":     "_, loaded := t.m.LoadOrStore(a, b)\nreturn !loaded",
	"Map LoadAndDelete 1 T bool": "v, ok := t.m.LoadAndDelete(a)\nx, _ := v.(T)\nreturn x, ok",
	"Map Clear 0":                "t.m.Clear()",
	"Set Add 1":                  "t.m.Add(a)",
	"Set Add 1 bool":             "return t.m.Add(a)",
	"Set Remove 1":               "t.m.Remove(a)",
	"Set Remove 1 bool":          "return t.m.Remove(a)",
	"Set Contains 1 bool":        "return t.m.Contains(a)",
	"Set Size 0 int":             "return t.m.Size()",
	"Queue Enqueue 1":            "t.m.Enqueue(a)",
	"Queue Enqueue 1 bool":       "t.m.Enqueue(a)\nreturn true",
	"Queue Enqueue 1 error":      "t.m.Enqueue(a)\nreturn nil",
	"Queue Dequeue 0 T bool":     "v, ok := t.m.Dequeue()\nx, _ := v.(T)\nreturn x, ok",
	"Queue Dequeue 0 T":          "v, _ := t.m.Dequeue()\nx, _ := v.(T)\nreturn x",
	"Queue Peek 0 T bool":        "v, ok := t.m.Peek()\nx, _ := v.(T)\nreturn x, ok",
	"Queue Peek 0 T":             "v, _ := t.m.Peek()\nx, _ := v.(T)\nreturn x",
	"Queue Size 0 int":           "return t.m.Size()",
}

// body returns the body of an adapter's method that does an operation with the signature, or
// "" if the signature is not one of the operation.
func (k *kind) body(operation string, s *types.Signature) string {
	key := fmt.Sprintf("%s %s %d", k.name, operation, s.Params().Len())
	for i := range s.Results().Len() {
		text := types.TypeString(s.Results().At(i).Type(), nil)
		if i == 0 && (s.Results().Len() == 2 || bodies[key+" "+text] == "") {
			text = "T"
		}
		key += " " + text
	}
	if s.Variadic() {
		return ""
	}
	return bodies[key]
}

// method returns the body of an adapter's method for a method of a type, or "" if it is not
// an operation.
func (k *kind) method(m *types.Func) string {
	for operation, names := range k.names {
		if slices.Contains(names, m.Name()) {
			return k.body(operation, m.Signature())
		}
	}
	return ""
}

// writtenKind returns the kind of a type that is not of a library, or nil.
func writtenKind(named *types.Named) *kind {
	s, ok := named.Underlying().(*types.Struct)
	if !ok || !isShared(s) {
		return nil
	}
	i := slices.IndexFunc(kinds, func(k kind) bool {
		return !slices.ContainsFunc(k.needed, func(operation string) bool {
			return !slices.ContainsFunc(k.names[operation], func(name string) bool {
				o, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), name)
				m, ok := o.(*types.Func)
				return ok && k.body(operation, m.Signature()) != ""
			})
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

// ofInts returns a type with int in place of type parameters.
func ofInts(named *types.Named) *types.Named {
	if named.TypeArgs() == nil {
		return named
	}
	var args []types.Type
	for t := range named.TypeArgs().Types() {
		if _, ok := t.(*types.TypeParam); ok {
			t = types.Typ[types.Int]
		}
		args = append(args, t)
	}
	inst, err := types.Instantiate(nil, named.Origin(), args, false)
	if err != nil {
		return named
	}
	return inst.(*types.Named)
}

// written returns the adapter for the operations of a function on a type of a program.
func (f *testFile) written(k *kind, name string) string {
	text := fmt.Sprintf("\n// %s is a composed.%s with methods of %s.\ntype %s struct{ m composed.%s }\n", name, k.name, f.Type, name, k.name)
	var done []string
	for _, o := range f.ops {
		if slices.Contains(done, o.Method) {
			continue
		}
		done = append(done, o.Method)
		m, _, _ := types.LookupFieldOrMethod(types.NewPointer(ofInts(o.typ)), true, o.typ.Obj().Pkg(), o.Method)
		s := m.(*types.Func).Signature()
		var params, results []string
		for i := range s.Params().Len() {
			params = append(params, string(rune('a'+i))+" "+types.TypeString(s.Params().At(i).Type(), f.qualifier))
		}
		for i := range s.Results().Len() {
			results = append(results, types.TypeString(s.Results().At(i).Type(), f.qualifier))
		}
		body := k.method(m.(*types.Func))
		if len(results) > 0 {
			body = strings.ReplaceAll(body, "v.(T)", "v.("+results[0]+")")
		}
		text += fmt.Sprintf("\nfunc (t %s) %s(%s) (%s) {\n%s\n}\n", name, o.Method, strings.Join(params, ", "), strings.Join(results, ", "), body)
	}
	return text
}
