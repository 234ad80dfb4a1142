package gotest

import (
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress/values"
)

type point struct{ X, Y int }
type hidden struct{ x int }

// TestShown: a Go test writes results as package stress compares them.
func TestShown(t *testing.T) {
	n, text := 3, "a"
	closed := func(cap int, list ...point) <-chan point {
		c := make(chan point, cap)
		for _, p := range list {
			c <- p
		}
		close(c)
		return c
	}
	var loop any
	loop = &loop
	many := func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
	for _, v := range []any{ // pointers to results
		new(int), &n, new(*int), ptr(&n), ptr(int8(-1)), ptr(uint64(math.MaxUint64)), ptr(uint64(7)), ptr(1.5), ptr(2.0), ptr(math.Copysign(0, -1)), ptr(math.NaN()), ptr(math.Inf(1)),
		ptr(true), new(bool), &text, new(string), ptr("\x00\"é\n"), ptr("at 0xc000012345"), ptr([]byte("b")), ptr([]byte{0xff}), new([]byte),
		new([]int), ptr([]int{1, 2}), ptr([2]string{"a"}), new(map[int]string), ptr(map[int]string{10: "x", 9: "y", -1: "z"}), ptr(map[*int]int{new(int): 1, new(int): 2}),
		ptr(map[any]any{1: nil, "1": 2, true: point{}}), ptr(point{1, 2}), ptr(&point{3, 4}), ptr(hidden{1}), ptr(&hidden{1}), new(*hidden), ptr(any(&hidden{})), ptr(any(point{})),
		new(any), new(error), ptr(any(errors.New("e"))), ptr([]error{nil, errors.New("x 0xc000012345")}), ptr(errorOf(2)), ptr(any(errorOf(2))), ptr(reflect.TypeFor[int]()),
		new(func()), ptr(func() {}), new(chan int), ptr(make(chan int)), ptr(complex(1, 2)), new(time.Time), ptr(time.Unix(5, 0)), ptr(time.Now()), ptr(time.Second), ptr([]time.Time{time.Unix(1, 0)}),
		ptr(slices.Values([]int{3, 1})), ptr(maps.All(map[string]int{"b": 1, "a": 2})), ptr(iter.Seq[int](many)), new(iter.Seq[int]), ptr(iter.Seq2[int, int](func(yield func(int, int) bool) { _ = yield(1, 2) && yield(1, 3) })),
		ptr(iter.Seq[point](func(yield func(point) bool) { yield(point{1, 2}) })), ptr(func(yield func() bool) { yield() }),
		ptr(closed(2, point{1, 2}, point{2, 3})), ptr(closed(2, point{1, 2}, point{1, 3})), ptr(closed(1, point{1, 2})), new(<-chan int), &loop, ptr([]any{[]any{[]any{[]any{[]any{[]any{[]any{[]any{[]any{1}}}}}}}}}),
		ptr(struct{}{}), ptr([]context.Context{nil}),
	} {
		e := reflect.ValueOf(v).Elem()
		if e.Kind() == reflect.Chan && e.Type().Elem() == reflect.TypeFor[point]() { // it is empty now
			want := Canonical(values.Show(e))
			if !slices.Contains([]string{"{1=2,2=3}", "[[1,2],[1,3]]", "{1=2}"}, want) {
				t.Errorf("%v: %s", e.Type(), want)
			}
			continue
		}
		if got, want := result(nil, v), Canonical(values.Show(e)); got != want {
			t.Errorf("%v: %s, want %s", e.Type(), got, want)
		}
	}
	for _, test := range []struct{ got, want string }{
		{result(nil), "()"},
		{result([]error{nil}, &n), "3"},
		{result([]error{nil, errors.New("full 0xc000012345")}, &n), Canonical(values.Exception("full 0xc000012345"))},
		{result(nil, &n, &text), `[3,"a"]`},
		{result(nil, sequence([][]string{{"1", "2"}, {"0", "2"}}, 2)), "{0=2,1=2}"},
		{sequence([][]string{{}, {}}, 0), "2"},
		{showAll(reflect.ValueOf(closed(2, point{1, 2}, point{1, 3}))), "[[1,2],[1,3]]"},
		{showAll(reflect.ValueOf(closed(1, point{1, 2}))), "{1=2}"},
	} {
		if test.got != test.want {
			t.Errorf("%s, want %s", test.got, test.want)
		}
	}
}

func ptr[T any](v T) *T { return &v }

type errorOf int

func (e errorOf) Error() string { return "code" }
