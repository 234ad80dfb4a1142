package stress

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

func TestSmaller(t *testing.T) {
	c := notationClass()
	for text, want := range map[string]string{
		"{ put(0,0) } || { clear() }": "",
		"[ put(0,0) ] { get(1) } || { clear() } [ size() ]": `{ get(1) } || { clear() } [ size() ]
[ put(0,0) ] { get(1) } || { clear() }
[ put(0,0) ] { get(0) } || { clear() } [ size() ]`,
		"{ clear(); size() } || { clear() } || { size() } order 0<1, 1<2": `{ size() } || { clear() } || { size() } order 0<1, 1<2
{ clear() } || { clear() } || { size() } order 0<1, 1<2
{ clear(); size() } || { size() }
{ clear(); size() } || { clear() } order 0<1
{ clear(); size() } || { clear() } || { size() } order 1<2
{ clear(); size() } || { clear() } || { size() } order 0<1`,
		`{ addAll([1,0]) } || { name("2") }`: `{ addAll([0]) } || { name("2") }
{ addAll([1]) } || { name("2") }
{ addAll([1,0]) } || { name("1") }`,
		`{ putAll({0=1,1=1}) } || { name("a") }`: `{ putAll({1=1}) } || { name("a") }
{ putAll({0=1}) } || { name("a") }`,
	} {
		p, err := Parse(text, c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range smaller(p) {
			got = append(got, q.String())
		}
		if joined := strings.Join(got, "\n"); joined != want {
			t.Errorf("smaller than %s:\n%s\nwant\n%s", text, joined, want)
		}
		if p.String() != text {
			t.Errorf("%s has become %v", text, p)
		}
	}
}

// TestReduce: what is left of a program is what it takes to go wrong.
func TestReduce(t *testing.T) {
	increment := func(object any) history.Value { // in two steps, between which others have time to run
		n := object.(*atomic.Int64)
		v := n.Load() + 1
		for range 100 {
			n.Load()
		}
		n.Store(v)
		return history.IntValue(v)
	}
	c := &Class{Name: "Counter", New: func() any { return &atomic.Int64{} }, Methods: []*Method{
		{Name: "increment", Prepare: func([]history.Value) Call { return increment }},
		{Name: "nothing", Params: []Param{Int}, Prepare: func([]history.Value) Call {
			return func(any) history.Value { return history.NoValue }
		}},
	}}
	p, err := Parse("[ increment(); nothing(1) ] { nothing(1); increment(); increment() } || { increment() } [ nothing(0) ]", c)
	if err != nil {
		t.Fatal(err)
	}
	effort := Effort{"test", time.Second, 100 * time.Millisecond}
	r, err := Hunt(context.Background(), c, HuntOptions{Programs: []*Program{p}, Reduce: true, Effort: effort})
	if err != nil || len(r.Findings) != 1 {
		t.Fatalf("%v, %v", r, err)
	}
	if got := r.Findings[0].Program.String(); got != "{ increment() } || { increment() }" {
		t.Errorf("reduced to %s", got)
	}
}
