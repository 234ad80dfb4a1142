package values

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history"
)

type set struct{ all []int }

func (s *set) Merge(other *set)      {}
func (s *set) Insert(e Element)      {}
func (s *set) Size() int             { return len(s.all) }
func (s *set) Find(n int) (k Number) { return Number(n) }

// An Element is what a set has, and a Number is one.
type (
	Element interface{ Less(Element) bool }
	Number  int
)

func (n Number) Less(e Element) bool { return n < e.(Number) }

type options struct {
	Size    int
	Timeout time.Duration
	Each    func()
	_       chan int
}

var object = Object{Type: reflect.TypeFor[*set]()}

// TestArguments: each type has arguments that differ and that are read as they are written,
// and a Go value.
func TestArguments(t *testing.T) {
	for _, test := range []struct {
		of   reflect.Type
		want string // the arguments in short, and the Go value of the last but one
	}{
		{reflect.TypeFor[int8](), "0 1: 0"},
		{reflect.TypeFor[float64](), "0 1: 0"},
		{reflect.TypeFor[complex64](), "0 1: (0+0i)"},
		{reflect.TypeFor[string](), `"0" "1": 0`},
		{reflect.TypeFor[[]byte](), `"0" "1": [48]`},
		{reflect.TypeFor[bool](), "false true: false"},
		{reflect.TypeFor[any](), `0 1 "0" "1": 0`},
		{reflect.TypeFor[error](), `"0" "1": 0`},
		{reflect.TypeFor[io.Reader](), `"0" "1": 0`},
		{reflect.TypeFor[*bytes.Buffer](), `"0" "1": 0`},
		{reflect.TypeFor[fmt.Stringer](), `"0" "1": 0`},
		{reflect.TypeFor[io.ReadCloser](), `"0" "1": 0`},
		{reflect.TypeFor[io.Writer](), "w: w"},
		{reflect.TypeFor[time.Duration](), "0s 1ns: 0s"},
		{reflect.TypeFor[time.Time](), "@0 @1: 1970-01-01 00:00:00 +0000 UTC"},
		{reflect.TypeFor[context.Context](), "ctx canceled: <nil>"},
		{reflect.TypeFor[[]bool](), "[] [false] [true] [false,false] [false,true] [true,false] [true,true]: [true false]"},
		{reflect.TypeFor[map[string]bool](), `{} {"0"=false} {"0"=true} {"1"=false} {"1"=true} {"0"=false,"1"=false} {"0"=false,"1"=true} {"0"=true,"1"=false} {"0"=true,"1"=true}: map[0:true 1:false]`},
		{reflect.TypeFor[map[time.Duration]bool](), `{} {0s=false} {0s=true} {1ns=false} {1ns=true} {0s=false,1ns=false} {0s=false,1ns=true} {0s=true,1ns=false} {0s=true,1ns=true}: map[0s:true 1ns:false]`},
		{reflect.TypeFor[iter.Seq[bool]](), "[] [false] [true] [false,false] [false,true] [true,false] [true,true]: [true, false]"},
		{reflect.TypeFor[<-chan bool](), "[] [false] [true] [false,false] [false,true] [true,false] [true,true]: [true, false]"},
		{reflect.TypeFor[chan int](), "chan: 16"},
		{reflect.TypeFor[options](), "[0,0s] [0,1ns] [1,0s] [1,1ns]: {1 0s <nil> <nil>}"},
		{reflect.TypeFor[*int](), "0 1: 0"},
		{reflect.TypeFor[[3]int](), "0 1: [0 0 0]"},
		{reflect.TypeFor[*set](), "new self: another"},
		{reflect.TypeFor[interface{ Size() int }](), "new self: another"},
		{reflect.TypeFor[Element](), "0 1: 0"},
		{reflect.TypeFor[[]Element](), "[] [0] [1] [0,0] [0,1] [1,0] [1,1]: [1 0]"},
		{reflect.TypeFor[func(int) int](), "+1 =0 =1 keep: 1"},
		{reflect.TypeFor[func(int) bool](), "=true =false: true"},
		{reflect.TypeFor[func(a, b string) bool](), "less =false =true: false"},
		{reflect.TypeFor[func(a, b string) int](), "compare: 0"},
		{reflect.TypeFor[func(string) uint32](), "hash: 0"},
		{reflect.TypeFor[func(any, bool) (any, bool)](), "+1 =0 =1 keep: 1 true"},
		{reflect.TypeFor[func() (string, error)](), "=0 =1 fail: 1 <nil>"},
		{reflect.TypeFor[func(int)](), "f:"},
	} {
		k := Of(test.of, object)
		var texts []string
		all := k.All(2)
		for i, v := range all {
			text := string(k.Append(nil, v))
			texts = append(texts, text)
			got, rest, err := k.Cut(text + ") x")
			if err != nil || rest != ") x" || !got.Equal(v) || !k.Takes(v) {
				t.Errorf("%v: %s is read as %v, %q, %v", test.of, text, got, rest, err)
			}
			if i > 0 && k.form != boolean && k.form != dynamic && !slices.ContainsFunc(k.Lesser(v), func(less history.Value) bool { return slices.ContainsFunc(all, less.Equal) }) {
				t.Errorf("%v: nothing below %s", test.of, text)
			}
		}
		for n := range 200 {
			v := k.Random(rand.New(rand.NewPCG(uint64(n), 1)), 2, n%4 == 0)
			if n < 3 {
				v = k.Some(n)
			}
			if text := string(k.Append(nil, v)); !k.Takes(v) || strings.ContainsAny(text, " ;") {
				t.Errorf("%v: %s is no argument", test.of, text)
			}
		}
		if got := strings.Join(texts, " ") + ": " + made(k, all[max(0, len(all)-2)]); strings.TrimSuffix(got, " ") != test.want {
			t.Errorf("%v: %s\nwant %s", test.of, got, test.want)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[interface{ Dial() }](), reflect.TypeFor[unsafe.Pointer](), reflect.TypeFor[[]unsafe.Pointer]()} {
		if k := Of(of, object); k != nil {
			t.Errorf("%v is %v", of, k)
		}
	}
}

// made shows the Go value of an argument. Functions are called.
func made(k *Kind, v history.Value) string {
	m := &Maker{Self: reflect.ValueOf(&set{}), New: func() reflect.Value { return reflect.ValueOf(&set{[]int{1}}) }}
	value := m.Go(k, v)
	if k.of.Kind() == reflect.Func && iterator(k.of) == nil {
		in := []reflect.Value{}
		for t := range k.of.Ins() {
			in = append(in, reflect.Zero(t))
		}
		if k.plain[0] != "f" && k.plain[0] != "less" && k.plain[0] != "compare" {
			value = m.Go(k, history.StringValue(k.All(1)[0].Text()))
		}
		var out []string
		if k.plain[0] == "=0" {
			value = m.Go(k, history.StringValue("=1"))
		}
		for _, o := range value.Call(in) {
			out = append(out, fmt.Sprint(o))
		}
		return strings.Join(out, " ")
	}
	switch x := value.Interface().(type) {
	case *set:
		return "another"
	case interface{ Size() int }:
		return "another"
	case *bytes.Buffer:
		return x.String()
	case io.Reader:
		text, _ := io.ReadAll(x)
		return string(text)
	case *writer:
		return "w"
	case context.Context:
		return fmt.Sprint(context.Background().Err())
	case *int:
		return fmt.Sprint(*x)
	case chan int:
		return fmt.Sprint(cap(x))
	case iter.Seq[bool], <-chan bool:
		return strings.Trim(Show(value).String(), "")
	}
	return fmt.Sprint(value)
}

// TestFresh: calls share only what no object can change.
func TestFresh(t *testing.T) {
	for of, want := range map[reflect.Type]bool{
		reflect.TypeFor[int](): true, reflect.TypeFor[string](): true, reflect.TypeFor[time.Time](): true, reflect.TypeFor[context.Context](): true,
		reflect.TypeFor[struct{ N int }](): true, reflect.TypeFor[any](): false, reflect.TypeFor[[]int](): false, reflect.TypeFor[[]byte](): false,
		reflect.TypeFor[map[int]int](): false, reflect.TypeFor[*int](): false, reflect.TypeFor[struct{ N any }](): false, reflect.TypeFor[error](): false,
		reflect.TypeFor[func()](): false, reflect.TypeFor[*bytes.Buffer](): false, reflect.TypeFor[[2]*int](): false,
	} {
		if got := Of(of, Object{}).Shared(); got != want {
			t.Errorf("%v is shared: %v", of, got)
		}
	}
}

type node struct {
	Next *node
	N    int
}

type secret struct{ n int }

func TestShow(t *testing.T) {
	ring := &node{N: 1}
	ring.Next = ring
	closed := make(chan int, 3)
	closed <- 1
	closed <- 2
	close(closed)
	future := make(chan int, 1)
	future <- 1
	pairs := make(chan struct{ K, V int }, 1)
	pairs <- struct{ K, V int }{1, 2}
	close(pairs)
	endless := func(yield func(int) bool) {
		for yield(0) {
		}
	}
	for _, test := range []struct {
		v    any
		want string
	}{
		{[]byte("ab"), `"ab"`}, {[]byte{255}, "[255]"}, {[]string(nil), "[]"}, {map[int]bool{1: true, 0: false}, "{0: false, 1: true}"},
		{slices.Values([]int{1, 2}), "[1, 2]"}, {maps.All(map[int]string{1: "a", 0: "b"}), `{0: "b", 1: "a"}`},
		{iter.Seq2[int, int](func(yield func(int, int) bool) { _ = yield(1, 2) && yield(1, 3) }), "[[1, 2], [1, 3]]"},
		{(<-chan int)(closed), "[1, 2]"}, {(<-chan struct{ K, V int })(pairs), "{1: 2}"}, {(<-chan int)(future), "[1]"}, {make(chan int), `"chan int"`}, {(<-chan int)(nil), "null"},
		{time.Unix(7, 0), "7"}, {time.Time{}, "null"}, {time.Now(), `"a time"`}, {time.Millisecond, "1000000"},
		{[]time.Time{time.Now()}, `["a time"]`}, {&time.Time{}, "null"},
		{secret{1}, `"values.secret"`}, {[]*secret{{1}, nil}, `["*values.secret", null]`}, {func() {}, `"func()"`}, {(func())(nil), "null"},
		{fmt.Sprintf("at %p", ring), `"at 0x"`}, {fmt.Errorf("at %p", ring), `!"at 0x"`}, {uintptr(1), "1"}, {complex(1, 0), `"complex128"`},
		{&node{N: 2}, "[null, 2]"},
	} {
		v := reflect.ValueOf(test.v)
		if _, ok := test.v.(error); ok {
			v = reflect.ValueOf(&test.v).Elem()
		}
		if got := Show(v).String(); got != test.want {
			t.Errorf("%T: %s, want %s", test.v, got, test.want)
		}
	}
	if got := Show(reflect.ValueOf(ring)).String(); !strings.Contains(got, "values.node") {
		t.Errorf("a ring: %s", got)
	}
	if got := Show(reflect.ValueOf(iter.Seq[int](endless))); len(got.List()) != maxRecorded {
		t.Errorf("an endless iterator: %v", got)
	}
}

// TestRecord: a record has the calls of its goroutine until the method returns, and no others.
func TestRecord(t *testing.T) {
	k := Of(reflect.TypeFor[func(int, string)](), Object{})
	m := &Maker{}
	f := m.Go(k, history.StringValue("f")).Interface().(func(int, string))
	f(0, "before")
	m.Begin()
	f(1, "a")
	done := make(chan bool)
	go func() { f(2, "other"); close(done) }()
	<-done
	f(3, "b")
	m.End()
	f(4, "after")
	if got := m.Recorded(k).String(); got != `{1: "a", 3: "b"}` {
		t.Errorf("recorded %s", got)
	}
	k = Of(reflect.TypeFor[io.Writer](), Object{})
	m = &Maker{}
	w := m.Go(k, history.StringValue("w")).Interface().(io.Writer)
	m.Begin()
	done = make(chan bool)
	go func() { _, _ = w.Write([]byte("other")); close(done) }()
	<-done
	_, _ = w.Write([]byte("own"))
	m.End()
	if got := m.Recorded(k).String(); got != `"own"` {
		t.Errorf("written %s", got)
	}
}

// TestOnce: each call of a method has its own count, and no other function depends on how
// often it was called.
func TestOnce(t *testing.T) {
	k := Of(reflect.TypeFor[func(int) bool](), Object{})
	for _, iterating := range []*Kind{k, k.Iterates()} {
		for _, w := range iterating.All(2) {
			for range 2 {
				f := new(Maker).Go(iterating, w).Interface().(func(int) bool)
				if first, second := f(1), f(1); first != second != (w.Text() == "once") {
					t.Errorf("%v: %v, %v", w, first, second)
				}
			}
		}
	}
	if slices.ContainsFunc(k.All(2), history.StringValue("once").Equal) || k.Records() || !k.Iterates().Records() {
		t.Error("a function that may be called again is recorded, or counts")
	}
}

// A sink has no field that a program can set.
type sink struct{ n int }

func newSink() *sink           { return &sink{1} }
func newSized(n int) *sink     { return &sink{n + 1} }
func newShared(s *sink) *sink  { return s }
func newMany(n ...int) *sink   { return &sink{len(n)} }
func newPair() (*sink, *sink)  { return nil, nil }
func (s *sink) Emit(n int) int { return s.n + n }

// TestMakers: functions with simple parameters make arguments of their types.
func TestMakers(t *testing.T) {
	o := object
	o.Makers = []any{newPair, newShared, newMany, newSized, newSink, newSink}
	for _, of := range []reflect.Type{reflect.TypeFor[*sink](), reflect.TypeFor[interface{ Emit(int) int }]()} {
		if k := Of(of, object); k != nil && k.form == word {
			t.Errorf("%v: %v without makers", of, k)
		}
		k := Of(of, o)
		if k == nil || k.String() != "newSized|newSink" {
			t.Errorf("%v: %v", of, k)
			continue
		}
		for i, want := range []int{2, 1} {
			v := k.All(2)[i]
			a, b := new(Maker).Go(k, v).Interface(), new(Maker).Go(k, v).Interface()
			if got := a.(interface{ Emit(int) int }).Emit(0); got != want || a == b {
				t.Errorf("%v: %v makes %d, want %d, and always the same: %v", of, v, got, want, a == b)
			}
		}
	}
}
