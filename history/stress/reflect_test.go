package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec"
)

type (
	remote interface{ Dial() }
	word   string
	digit  uint8
	nested struct {
		N    int
		Next *point
	}
	point     struct{ X, Y int16 }
	recursive struct{ Next *recursive }
	tagged    struct {
		N    digit
		Word word
		On   bool
		Any  any
	}
)

// kitchenSink has a method of every kind that Reflect knows, or refuses.
type kitchenSink struct {
	n    int
	last any
}

var errOdd = errors.New("odd")

func (k *kitchenSink) Inc()                             { k.n++ }
func (k *kitchenSink) Get() int                         { return k.n }
func (k *kitchenSink) Get64() int64                     { return int64(k.n) }
func (k *kitchenSink) IsEmpty() bool                    { return k.n == 0 }
func (k *kitchenSink) Name() string                     { return fmt.Sprint(k.n) }
func (k *kitchenSink) Last() any                        { return k.last }
func (k *kitchenSink) Keys() []int                      { return make([]int, k.n) }
func (k *kitchenSink) Add(d int)                        { k.n += d }
func (k *kitchenSink) AddAndGet(d int) int              { k.n += d; return k.n }
func (k *kitchenSink) TryAdd(d int) bool                { k.n += d; return d > 0 }
func (k *kitchenSink) Store(v any)                      { k.last = v }
func (k *kitchenSink) StoreText(v string)               { k.last = v }
func (k *kitchenSink) StoreBool(v bool)                 { k.last = v }
func (k *kitchenSink) Swap(v any) (old any, ok bool)    { old, k.last = k.last, v; return old, old != nil }
func (k *kitchenSink) Peek() (int, bool)                { return k.n, k.n > 0 }
func (k *kitchenSink) Even() error                      { return k.even() }
func (k *kitchenSink) EvenPlus(d int) (int, error)      { return k.n + d, k.even() }
func (k *kitchenSink) EvenLast() (any, error)           { return k.last, k.even() }
func (k *kitchenSink) Put(key string, v any)            { k.last = key + fmt.Sprint(v) }
func (k *kitchenSink) CAS(key, old, new any) bool       { return key == old && old == new }
func (k *kitchenSink) Between(low, high int) bool       { return low <= k.n && k.n <= high }
func (k *kitchenSink) Narrow(d digit, w word) word      { k.n += int(d); return w }
func (k *kitchenSink) AddAll(ds ...int) int             { return k.addAll(ds) }
func (k *kitchenSink) AddEach(ds []int8) (int, int)     { return len(ds), k.n }
func (k *kitchenSink) Join(ws []word) string            { slices.Sort(ws); return fmt.Sprint(ws) }
func (k *kitchenSink) PutAll(m map[int]int) map[int]int { clear(k.grow(m)); return m }
func (k *kitchenSink) Where() nested                    { return nested{k.n, nil} }
func (k *kitchenSink) There() *nested                   { return &nested{k.n, &point{1, 2}} }
func (k *kitchenSink) Nothing() map[string]bool         { return nil }
func (k *kitchenSink) Pair() [2]float64                 { return [2]float64{0.5, float64(k.n)} }
func (k *kitchenSink) Odd() any                         { return make(chan int) }
func (k *kitchenSink) Big() uint64                      { return 1 << 63 }
func (k *kitchenSink) Failed() any                      { return errOdd }

func (k *kitchenSink) Wait(ctx context.Context) error { return ctx.Err() }
func (k *kitchenSink) Poll(d time.Duration) string    { return d.String() }
func (k *kitchenSink) PutCtx(a int, ctx context.Context, p tagged) string {
	return fmt.Sprint(a, ctx.Err(), p)
}
func (k *kitchenSink) None(s struct{}) struct{} { return s }
func (k *kitchenSink) Hide(s struct{ n int })   {}
func (k *kitchenSink) Deep(s nested)            {}

func (k *kitchenSink) Range(f func(int) bool)   { f(k.n) }
func (k *kitchenSink) Send(to remote)           {}
func (k *kitchenSink) Merge(other *kitchenSink) {}
func (k *kitchenSink) Printf(s string, list ...point) (string, int) {
	return s, len(list)
}
func (k *kitchenSink) Self(n int) (*kitchenSink, bool) {
	return map[bool]*kitchenSink{true: k}[n > 0], n > 0
}
func (k *kitchenSink) Chain() recursive               { return recursive{} }
func (k *kitchenSink) Lock()                          {}
func (k *kitchenSink) Unlock()                        { panic("unlock of an unlocked kitchenSink") }
func (k *kitchenSink) hidden()                        {}
func (k *kitchenSink) even() error                    { return map[bool]error{true: errOdd}[k.n%2 == 1] }
func (k *kitchenSink) addAll(ds []int) int            { return k.AddAndGet(len(ds)) }
func (k *kitchenSink) grow(m map[int]int) map[int]int { k.n += len(m); return map[int]int{} }

// A kitchen has some of the methods; those of interfaces are called by
// reflection.
type kitchen interface {
	Inc()
	Peek() (int, bool)
	EvenPlus(d int) (int, error)
	AddAll(ds ...int) int
	Swap(v any) (any, bool)
	hidden()
}

// TestReflectResults checks the results of the methods after two calls of Inc and
// one of Store(7).
func TestReflectResults(t *testing.T) {
	r, err := Reflect(func() *kitchenSink { return &kitchenSink{} }, ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ call, want string }{
		{"Inc", ""}, {"Get", "2"}, {"Get64", "2"}, {"IsEmpty", "false"}, {"Name", `"2"`}, {"Last", "7"}, {"Keys", "[0, 0]"},
		{"Add 1", ""}, {"AddAndGet 1", "3"}, {"TryAdd 0", "false"}, {"Store 1", ""}, {"StoreText 1", ""}, {"StoreBool 1", ""},
		{"Swap 1", "[7, true]"}, {"Peek", "[2, true]"}, {"Even", ""}, {"EvenPlus 2", "4"}, {"EvenLast", "7"}, {"Put 0 1", ""},
		{"CAS 0 0 0", "true"}, {"CAS 0 0 1", "false"}, {"Between 0 2", "true"}, {"Narrow 1 2", `"2"`}, {"AddAll 2", "4"},
		{"AddEach 1", "[1, 2]"}, {"Join 2", `"[0 2]"`}, {"PutAll 2", "{0: 2, 2: 0}"}, {"PutAll 0", "{}"}, {"Where", "[2, null]"},
		{"There", "[2, [1, 2]]"}, {"Nothing", "{}"}, {"Pair", "[0.5, 2.0]"}, {"Odd", `"chan int"`},
		{"Big", "9.223372036854776e+18"}, {"Failed", "!odd"}, {"Wait 0", ""}, {"Poll 2", `"2ns"`}, {"PutCtx 1 0 2", `"1 <nil> {2 2 false 2}"`}, {"None 0", "[]"},
		{"Printf 1 2", "[\"1\", 2]"}, {"Self 1", "[\"*stress.kitchenSink\", true]"}, {"Self 0", "[null, false]"}, {"Deep 1", ""}, {"Hide 0", ""}, {"Range 0", "[2]"}, {"Merge 0", ""}, {"Chain", "[null]"},
	} {
		object := r.Class.New().(*kitchenSink)
		object.n, object.last = 2, 7
		if got := sinkCall(t, r.Class, test.call)(object).String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.call, got, test.want)
		}
	}
	if got := r.Class.Method("Swap").Prepare([]history.Value{history.StringValue("x")})(&kitchenSink{last: "y"}).String(); got != `["y", true]` {
		t.Errorf("Swap of a string: got %s", got)
	}
	for name, want := range map[string]string{"Wait": "[ctx|canceled]", "PutCtx": "[int ctx|canceled struct(int, text, bool, int)]", "Poll": "[duration]", "Range": "[=true|=false|once]", "Merge": "[new|self]", "None": "[struct()]"} {
		if got := fmt.Sprint(r.Class.Method(name).Params); got != want {
			t.Errorf("parameters of %s: %s, want %s", name, got, want)
		}
	}
	odd := &kitchenSink{n: 3}
	for _, call := range []string{"Even", "EvenPlus 1", "EvenLast"} {
		if got := sinkCall(t, r.Class, call)(odd); !got.Equal(history.ExceptionValue("odd")) {
			t.Errorf("%s of an odd one: got %v", call, got)
		}
	}
}

// TestBoxes: every call has an interface of its own, as an object may compare the
// pointers in them.
func TestBoxes(t *testing.T) {
	r, err := Reflect(func() *kitchenSink { return &kitchenSink{} }, ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slow, err := Reflect(func() kitchen { return &kitchenSink{} }, ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []history.Value{history.IntValue(1), history.StringValue("1")} {
		for _, c := range []*Class{r.Class, slow.Class} {
			k := &kitchenSink{}
			call := c.Method("Swap").Prepare([]history.Value{v})
			call(k)
			first := k.last
			if call(k); k.last != first || pointerOf(k.last) == pointerOf(first) {
				t.Errorf("%v: one interface for two calls", v)
			}
		}
	}
}

// A boxes keeps what its methods get in fields and elements of type any.
type boxes struct{ last any }

func (b *boxes) Field(s struct{ Key, Value any })  { b.last = s.Value }
func (b *boxes) Element(list []any)                { b.last = list[0] }
func (b *boxes) Variadic(_ string, list ...any)    { b.last = list[0] }
func (b *boxes) MapValue(m map[any]any)            { b.last = m[1] }
func (b *boxes) FieldResult(s struct{ V any }) any { b.last = s.V; return b.last }

// TestInnerBoxes is TestBoxes for fields and elements.
func TestInnerBoxes(t *testing.T) {
	r, err := Reflect(func() *boxes { return &boxes{last: 0} }, ReflectOptions{Core: []string{"Field", "Element", "Variadic", "MapValue", "FieldResult"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Class.Methods) != 5 {
		t.Fatalf("left out: %v", r.LeftOut)
	}
	one := history.IntValue(1)
	pairs, _ := history.MapValue(one, one)
	for method, args := range map[string][]history.Value{"Field": {history.ListValue(one, one)}, "Element": {history.ListValue(one)},
		"Variadic": {history.StringValue("1"), history.ListValue(one)}, "MapValue": {pairs}, "FieldResult": {history.ListValue(one)}} {
		b := &boxes{}
		call := r.Class.Method(method).Prepare(args)
		call(b)
		first := b.last
		if call(b); b.last != 1 || first != 1 || pointerOf(b.last) == pointerOf(first) {
			t.Errorf("%s: one interface for two calls, with %v", method, b.last)
		}
	}
}

// pointerOf returns the pointer in an interface.
func pointerOf(v any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] }

// sinkCall reads a method and the numbers of its arguments.
func sinkCall(t *testing.T, c *Class, text string) Call {
	t.Helper()
	words := strings.Fields(text)
	m := c.Method(words[0])
	if m == nil || len(m.Params) != len(words)-1 {
		t.Fatalf("no method for %s", text)
	}
	var args []history.Value
	for i, p := range m.Params {
		args = append(args, p.Some(int(words[1+i][0]-'0')))
	}
	return m.Prepare(args)
}

// TestReflectSame compares calls of the same class, by an interface, and of a struct instead of a
// pointer.
func TestReflectSame(t *testing.T) {
	fast, err := Reflect(func() *kitchenSink { return &kitchenSink{} }, ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slow, err := Reflect(func() kitchen { return &kitchenSink{} }, ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := Reflect(func() kitchenSink { return kitchenSink{} }, ReflectOptions{Name: "same"})
	if err != nil {
		t.Fatal(err)
	}
	if got := reflectedNames(slow.Class, func(*Method) bool { return true }); got != "AddAll EvenPlus Inc Peek Swap" {
		t.Errorf("methods of the interface: %s", got)
	}
	random := rand.New(rand.NewPCG(2, 3))
	for range 300 {
		var text [3]string
		var objects [3]any
		classes := []*Class{fast.Class, slow.Class, same.Class}
		for i, c := range classes {
			objects[i] = c.New()
		}
		for range 8 {
			m := slow.Class.Methods[random.IntN(len(slow.Class.Methods))]
			n := random.IntN(3)
			for i, c := range classes {
				call := m.Name + strings.Repeat(fmt.Sprint(" ", n), len(m.Params))
				text[i] += runCalls(objects[i], []Call{sinkCall(t, c, call)})
			}
		}
		if text[0] != text[1] || text[0] != text[2] {
			t.Fatalf("they differ:\n%s\n%s\n%s", text[0], text[1], text[2])
		}
	}
}

// runCalls returns the results of the calls, one after another, as a string. A
// panic is a result as well.
func runCalls(object any, calls []Call) string {
	var b strings.Builder
	for _, call := range calls {
		func() {
			defer func() {
				if p := recover(); p != nil {
					fmt.Fprintf(&b, "panic %v;", p)
				}
			}()
			fmt.Fprintf(&b, "%v;", call(object))
		}()
	}
	return b.String()
}

func reflectedNames(c *Class, which func(*Method) bool) string {
	var names []string
	for _, m := range c.Methods {
		if which(m) {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestReflectLeavesOut(t *testing.T) {
	r, err := Reflect(func() *kitchenSink { return &kitchenSink{} }, ReflectOptions{Exclude: []string{"Inc"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Omission{
		{What: "Inc", Why: "excluded"},
		{What: "Send", Why: "parameter of type stress.remote: embed the type, with a method Send of other parameters"},
	}
	if !slices.Equal(r.LeftOut, want) {
		t.Errorf("left out: %v\nwant %v", r.LeftOut, want)
	}
	if r.Class.Name != "stress.kitchenSink" {
		t.Errorf("the class is called %s", r.Class.Name)
	}
}

// TestReflectReadOnly: a name that wrongly suggests read-only is refuted, and a
// designation is taken as it is.
func TestReflectReadOnly(t *testing.T) {
	readOnly := func(m *Method) bool { return m.ReadOnly }
	r, err := Reflect(func() *sync.Map { return &sync.Map{} }, ReflectOptions{Core: []string{"Load", "Store"}, Weak: []string{"LoadOrStore"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := reflectedNames(r.Class, readOnly); got != "Load Range" {
		t.Errorf("read-only of a sync.Map: %s", got)
	}
	if got := reflectedNames(r.Class, func(m *Method) bool { return m.Core }); got != "Load Store" {
		t.Errorf("core: %s", got)
	}
	if got := r.Class.Method("LoadOrStore").Failure.String(); got != "[null, false]" {
		t.Errorf("a weak method fails with %s", got)
	}
	if len(r.LeftOut) != 0 || r.Class.Name != "sync.Map" {
		t.Errorf("%s leaves out %v", r.Class.Name, r.LeftOut)
	}
	r, err = Reflect(func() *sync.Map { return &sync.Map{} }, ReflectOptions{ReadOnly: []string{"Clear"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := reflectedNames(r.Class, readOnly); got != "Clear" {
		t.Errorf("designated read-only: %s", got)
	}
	r, err = Reflect(func() *twoCells { return &twoCells{m: map[int]int{}} }, ReflectOptions{Weak: []string{"Both=bundle", "Touch=basic"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "Both GetTwice"
	if detectsRaces { // no states are compared
		want = "GetTwice"
	}
	if got := reflectedNames(r.Class, readOnly); got != want {
		t.Errorf("read-only of cells: %s", got)
	}
	r, err = Reflect(func() *twoCells { return &twoCells{m: map[int]int{}, f: func() {}} }, ReflectOptions{Weak: []string{"Both=bundle"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := reflectedNames(r.Class, readOnly); got != "GetTwice" {
		t.Errorf("read-only of cells whose states cannot be compared: %s", got)
	}
	for name, want := range map[string]bool{"Get": true, "GetOrAdd": true, "Getaway": false, "Len": true, "Lend": false, "Push": false, "Size2": true} {
		if namedReadOnly(name) != want {
			t.Errorf("%s is named read-only: %v", name, !want)
		}
	}
}

// twoCells have methods that read, whatever their names, and that write what no result shows.
type twoCells struct {
	a, b, seen int
	m          map[int]int
	f          func()
}

func (c *twoCells) PutBoth(v int) { c.a, c.b = v, v }
func (c *twoCells) Both() [2]int  { return [2]int{c.a, c.b} }
func (c *twoCells) GetTwice() int { c.seen++; return c.a + c.b }
func (c *twoCells) Touch(k int)   { c.m[k]++ }

// A register has names that the model has, and one that it has not.
type reflectRegister struct{ v any }

func (r *reflectRegister) Read() any   { return r.v }
func (r *reflectRegister) Write(v any) { r.v = v }
func (r *reflectRegister) Reset()      { r.v = nil }

func TestReflectSpec(t *testing.T) {
	model, err := spec.Parse("register")
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	r, err := Reflect(func() *reflectRegister { return &reflectRegister{} }, ReflectOptions{
		Spec: model, Core: []string{"Read", "Write"}, Close: func(any) { closed++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := reflectedNames(r.Class, func(*Method) bool { return true }); got != "read write" {
		t.Errorf("methods: %s", got)
	}
	if len(r.LeftOut) != 1 || !strings.HasPrefix(r.LeftOut[0].Why, "model register: ") {
		t.Errorf("left out: %v", r.LeftOut)
	}
	if closed == 0 {
		t.Error("no object was closed")
	}
}

func TestReflectErrors(t *testing.T) {
	object := func() *kitchenSink { return &kitchenSink{} }
	_, designated := Reflect(object, ReflectOptions{Core: []string{"get"}})
	_, both := Reflect(object, ReflectOptions{Core: []string{"Get"}, Weak: []string{"Get"}})
	_, excluded := Reflect(object, ReflectOptions{ReadOnly: []string{"Get"}, Exclude: []string{"Get"}})
	_, unusable := Reflect(object, ReflectOptions{Core: []string{"Send"}})
	_, isNil := Reflect(func() *kitchenSink { return nil }, ReflectOptions{})
	_, isNilInterface := Reflect(func() kitchen { return nil }, ReflectOptions{})
	_, empty := Reflect(func() int { return 0 }, ReflectOptions{})
	for want, err := range map[string]error{
		"method Get cannot be both core and weak": both, "method Get is excluded, and designated as core, read-only or weak": excluded,
		"core method Send is left out: parameter of type stress.remote: embed the type, with a method Send of other parameters": unusable,
		"there is no method get": designated, "Sink: a new object is nil": isNil,
		"kitchen: a new object is nil": isNilInterface, "*int: it has no method to call": empty,
	} {
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

type small struct{}

func (small) Size() int { return 1 }

type large struct{ pages [9]int }

func (l *large) Size() int { return len(l.pages) }

// TestReflectTypes: what an interface holds may change from object to object.
func TestReflectTypes(t *testing.T) {
	r, err := Reflect(func() interface{ Size() int } { return small{} }, ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	call := r.Class.Method("Size").Prepare(nil)
	for range 2 {
		if got := call(small{}); got != history.IntValue(1) {
			t.Errorf("small: %v", got)
		}
		if got := call(&large{}); got != history.IntValue(9) {
			t.Errorf("large: %v", got)
		}
	}
}

func BenchmarkReflect(b *testing.B) {
	r, err := Reflect(func() *kitchenSink { return &kitchenSink{} }, ReflectOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	object, call := r.Class.New(), r.Class.Method("Peek").Prepare(nil)
	for b.Loop() {
		call(object)
	}
}

// A leaver may be made with a goroutine that its calls do not stop.
type leaver struct{ n int }

func (l *leaver) Get() int  { return l.n }
func (l *leaver) Set(n int) { l.n = n }

// TestReflectLeaves: if objects leave goroutines, few are made to find out which methods only read.
func TestReflectLeaves(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		end, made := make(chan struct{}), 0
		r, err := Reflect(func() *leaver {
			if made++; leaves {
				go func() { <-end }()
			}
			return &leaver{}
		}, ReflectOptions{})
		close(end)
		if err != nil || !r.Class.Method("Get").ReadOnly || (made > 400) == leaves {
			t.Errorf("leaves %v: %d objects, %+v, %v", leaves, made, r, err)
		}
	}
}
