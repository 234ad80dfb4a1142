package main

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// checkModel reports a --model that no history could be checked with. A bare
// name may still lack arguments that the histories have.
func checkModel(model string) error {
	if model == "" {
		return nil
	}
	_, err := spec.Parse(model)
	if err != nil && slices.ContainsFunc(spec.All(), func(e spec.Entry) bool { return e.Name == model }) {
		return nil
	}
	return err
}

// modelOf returns the specification for a history: the one of --model, or
// else the one that the history names. A --model without arguments takes
// those of a history that names the same one.
func modelOf(h *history.History, model string) (replay.Spec, error) {
	var s replay.Spec
	var err error
	switch {
	case model != "" && !strings.EqualFold(model, h.Model):
		s, err = spec.Parse(model)
	case h.Model != "":
		s, err = spec.Lookup(h.Model, h.ModelArgs)
	default:
		return nil, &history.Error{File: h.File, Line: h.Line,
			Msg: "the history names no model; choose one with --model (see leadline models)"}
	}
	if err != nil {
		return nil, &history.Error{File: h.File, Line: h.Line, Msg: err.Error()}
	}
	return s, nil
}
