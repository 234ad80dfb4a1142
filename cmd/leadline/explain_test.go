package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// failing are histories whose reason is beyond real time: an order through an
// operation that did not happen, an operation that is known to have happened, and
// the order of processes alone.
const failing = `{"leadline":1,"history":"ghost","model":"register","args":[0]}
{"process":0,"op":"w","type":"invoke","method":"write","args":[1]}
{"process":1,"op":"g","type":"invoke","method":"write","args":[2]}
{"process":2,"op":"r","type":"invoke","method":"read"}
{"process":2,"op":"r","type":"ok","result":0}
{"process":0,"op":"w","type":"ok"}
{"process":1,"op":"g","type":"fail"}
{"edge":["w","g"]}
{"edge":["g","r"]}
{"leadline":1,"history":"mark","model":"queue"}
{"process":0,"op":0,"type":"invoke","method":"enqueue","args":[1]}
{"process":1,"op":1,"type":"invoke","method":"size"}
{"process":1,"op":1,"type":"ok","result":0}
{"process":2,"op":2,"type":"invoke","method":"dequeue"}
{"process":2,"op":2,"type":"ok","result":null}
{"mark":"happened","op":0}
{"edge":[0,2]}
{"leadline":1,"history":"program","model":"register","args":[0]}
{"process":0,"op":0,"type":"invoke","method":"write","args":[1]}
{"process":0,"op":0,"type":"ok"}
{"process":0,"op":1,"type":"invoke","method":"write","args":[2]}
{"process":0,"op":1,"type":"ok"}
{"process":1,"op":2,"type":"invoke","method":"read"}
{"process":1,"op":2,"type":"ok","result":2}
{"process":1,"op":3,"type":"invoke","method":"read"}
{"process":1,"op":3,"type":"ok","result":1}
`

// TestCores: the minimal sub-history of a history, written to a file, is not
// linearizable either.
func TestCores(t *testing.T) {
	cores := 0
	core := func(h *history.History) {
		v := verdictOf(t, h)
		if v.Answer != replay.NotLinearizable || v.Explanation == nil || len(v.Explanation.Core) == 0 {
			return
		}
		cores++
		sub, err := subHistory(h, v.Explanation)
		if err != nil {
			t.Errorf("%s#%s: %v", h.File, h.ID, err)
			return
		}
		native, _ := codec.Lookup("native")
		var file bytes.Buffer
		if err := native.Encode(&file, sub); err != nil {
			t.Fatal(err)
		}
		for again, err := range codec.Decode(&file, "core", codec.Options{}) {
			if err != nil {
				t.Fatalf("%s#%s: %v", h.File, h.ID, err)
			}
			if h.IsRelaxed() {
				again = again.ProgramOrder()
			}
			if v := verdictOf(t, again); v.Answer != replay.NotLinearizable || len(again.Ops) != len(sub.Ops) {
				t.Errorf("%s#%s: the sub-history of %d operations is %v", h.File, h.ID, len(again.Ops), v)
			}
		}
	}
	for file, err := range codec.Files([]string{root + "/benchdata/corpora/juc-labelled/ArrayBlockingQueue", root + "/benchdata/corpora/go/violations.jsonl"}, codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for h, err := range file.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			core(h)
		}
	}
	for h, err := range codec.Decode(strings.NewReader(failing), "failing", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		before := cores
		if h.ID == "program" {
			h = h.ProgramOrder()
		}
		if core(h); cores == before {
			t.Errorf("%s has no minimal sub-history", h.ID)
		}
	}
	if cores < 20 {
		t.Errorf("only %d minimal sub-histories", cores)
	}
}

func verdictOf(t *testing.T, h *history.History) replay.Verdict {
	t.Helper()
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decide.Check(context.Background(), h, s, replay.Options{Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
