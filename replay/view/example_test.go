package view_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/view"
)

func Example() {
	p := history.IntValue(0)
	h, err := history.New(history.Header{ID: "two reads"}, []history.Event{
		{Type: history.Invoke, Process: p, Method: "write", Args: []history.Value{history.IntValue(1)}},
		{Type: history.OK, Process: p},
		{Type: history.Invoke, Process: p, Method: "read"},
		{Type: history.OK, Process: p, Result: history.IntValue(2)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	register, err := spec.Lookup("register", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := decide.Check(context.Background(), h, register, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v.Explanation = explain.Why(context.Background(), h, register, v, replay.Options{})
	var page strings.Builder
	if err := view.Write(&page, view.Item{History: h, Spec: register, Verdict: v}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(page.String(), `"name":"two reads"`), v.Answer)
	// Output: true not-linearizable
}
