package tables

import (
	"context"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/spec"
)

// Three histories. In the first, size counts an entry too many, which convicts
// size. In the second, clear and size together are both suspects. The third is
// linearizable.
const evidence = `{"leadline":1,"history":"ConcurrentHashMap/7/size-0/1.1/any/3of100","model":"ConcurrentHashMap"}
{"process":0,"op":0,"type":"invoke","method":"put","args":[0,0]}
{"process":0,"op":0,"type":"ok","result":null}
{"process":1,"op":1,"type":"invoke","method":"size"}
{"process":1,"op":1,"type":"ok","result":2}
{"leadline":1,"history":"two","model":"ConcurrentHashMap"}
{"process":0,"op":0,"type":"invoke","method":"clear"}
{"process":0,"op":0,"type":"ok"}
{"process":1,"op":1,"type":"invoke","method":"size"}
{"process":1,"op":1,"type":"ok","result":1}
{"leadline":1,"history":"fine","model":"ConcurrentHashMap"}
{"process":0,"op":0,"type":"invoke","method":"isEmpty"}
{"process":0,"op":0,"type":"ok","result":true}
`

func TestBlame(t *testing.T) {
	var b Blame
	if err := b.Effort("# what was tried\nclass\tmethod\tprograms\texecutions\thistories\nConcurrentHashMap\tkeys/0\t10\t1000\t5\nConcurrentHashMap\tsize/0\t10\t2000\t5\n"); err != nil {
		t.Fatal(err)
	}
	for h, err := range codec.Decode(strings.NewReader(evidence), "evidence", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		model, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			t.Fatal(err)
		}
		trial, err := Try(context.Background(), h, model)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(trial)
	}
	table := b.Table(true)
	want := []string{
		"ConcurrentHashMap put, get, remove, containsKey core - - - - - - - core -",
		"ConcurrentHashMap size/0 non-atomic 1 1 2000 3 / 100 { put(0, 0) } || { size() } { null } || { 2 } ConcurrentHashMap/7/size-0/1.1/any/3of100 non-atomic -",
		"ConcurrentHashMap clear/0 suspect 0 0 - - - - - non-atomic not exposed here",
		"ConcurrentHashMap isEmpty/0 not exposed 1 0 - - - - - non-atomic not exposed here",
		"ConcurrentHashMap keys/0 not exposed 0 0 1000 - - - - non-atomic not exposed here",
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(table.Rows), len(want))
	}
	for i, w := range want {
		if got := cells(t, table, i); got != w {
			t.Errorf("row %d: %s\nwant   %s", i, got, w)
		}
	}
	if err := b.Effort("ConcurrentHashMap\tsize"); err == nil {
		t.Error("a line of two fields is accepted")
	}
	if err := b.Effort("ConcurrentHashMap\tsize/0\t10\tmany"); err == nil || !strings.HasPrefix(err.Error(), "line 1: ") {
		t.Errorf("executions that are not a number: %v", err)
	}
}

// TestFigure6: every class of the figure has its three columns, and the lookup
// distinguishes remove() from remove(Object).
func TestFigure6(t *testing.T) {
	if len(figure6Classes) != 10 {
		t.Errorf("%d classes, the figure has 10", len(figure6Classes))
	}
	for _, c := range []struct {
		class, method string
		want          any
	}{
		{"LinkedBlockingQueue", "remove/1", "non-atomic"},
		{"LinkedBlockingQueue", "remove/0", "atomic (?)"},
		{"LinkedBlockingQueue", "poll/0", "core"},
		{"ConcurrentHashMap", "remove/1", "core"},
		{"ConcurrentHashMap", "remove/2", nil},
		{"ConcurrentLinkedQueue", "addAll/1", "atomic (?)"},
		{"LinkedTransferQueue", "addAll/1", "non-atomic"},
		{"ConcurrentSkipListMap", "replace/3", "atomic (?)"},
		{"Nothing", "size/0", nil},
	} {
		if got := figure6(c.class, c.method); got != c.want {
			t.Errorf("%s.%s is %v, want %v", c.class, c.method, got, c.want)
		}
	}
	if d := difference("ArrayBlockingQueue", "removeAll/1", false); d != "JDK 17 has it under one lock" {
		t.Errorf("%v", d)
	}
}
