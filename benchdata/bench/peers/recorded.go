package peers

import (
	"context"
	"fmt"
	"iter"
	"path"
	"runtime"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// A Question is a history prepared for both checkers.
type Question struct {
	History *history.History
	Spec    replay.Spec
	Model   porcupine.Model
	Ops     []porcupine.Operation
}

// smallMax is the largest number of recorded histories that Small returns.
const smallMax = 10_000

// Small returns the bundled histories of java.util.concurrent that have 8 to 18
// operations, none of them pending. The porcupine models are made of leadline's
// specifications.
func Small() ([]Question, error) {
	const dir = "juc"
	entries, err := corpora.FS.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := questions{}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		file, err := corpora.FS.Open(name)
		if err != nil {
			return nil, err
		}
		err = all.add(codec.Decode(file, name, codec.Options{}), func(h *history.History) bool {
			return len(h.Ops) >= 8 && len(h.Ops) <= 18 && h.Pending() == 0
		})
		file.Close()
		if err != nil {
			return nil, err
		}
	}
	return all.list[:min(len(all.list), smallMax)], nil
}

// Logs returns the histories of a file or directory.
func Logs(name string) ([]Question, error) {
	all := questions{}
	for file, err := range codec.Files([]string{name}, codec.Options{}) {
		if err != nil {
			return nil, err
		}
		if err := all.add(file.Histories(), func(*history.History) bool { return true }); err != nil {
			return nil, err
		}
	}
	return all.list, nil
}

// questions collects the histories to check.
type questions struct {
	list    []Question
	generic map[string]porcupine.Model // by specification
}

func (all *questions) add(histories iter.Seq2[*history.History, error], wanted func(*history.History) bool) error {
	for h, err := range histories {
		if err != nil {
			return err
		}
		if !wanted(h) {
			continue
		}
		q, err := all.question(h)
		if err != nil {
			return fmt.Errorf("%s: %w", h.File, err)
		}
		all.list = append(all.list, q)
	}
	return nil
}

// NewQuestion prepares a history. The porcupine model is hand-written if there
// is one, otherwise made of leadline's specification.
func NewQuestion(h *history.History) (Question, error) { return new(questions).question(h) }

func (all *questions) question(h *history.History) (q Question, err error) {
	q.History = h
	if q.Spec, err = spec.Lookup(h.Model, h.ModelArgs); err != nil {
		return q, err
	}
	if q.Model, q.Ops, err = Native(h); err == nil {
		return q, nil
	}
	if n := h.Pending(); n > 0 {
		return q, fmt.Errorf("%w: %d pending operations", ErrNotComparable, n)
	}
	key := fmt.Sprint(h.Model, h.ModelArgs)
	model, ok := all.generic[key]
	if !ok {
		if model, err = Model(q.Spec); err != nil {
			return q, err
		}
		if all.generic == nil {
			all.generic = map[string]porcupine.Model{}
		}
		all.generic[key] = model
	}
	q.Model, q.Ops = model, Operations(h, func(int) bool { return true })
	return q, nil
}

// Times is the CPU time that each checker has used.
type Times struct{ Leadline, Porcupine time.Duration }

// Ratio is porcupine's time divided by leadline's.
func (t Times) Ratio() float64 { return float64(t.Porcupine) / float64(max(t.Leadline, 1)) }

// Batch is the number of histories that each checks in a turn: the CPU clock is
// too coarse for one.
const Batch = 500

// Race runs both on the histories, in turns, and returns the time from parsed
// histories to verdicts. Verdicts that differ are an error.
func Race(all []Question, o replay.Options) (t Times, err error) {
	for len(all) > 0 {
		part := all[:min(len(all), Batch)]
		all = all[len(part):]
		runtime.GC()
		start := CPU()
		ours, err := leadlineAnswers(part, o)
		if err != nil {
			return t, err
		}
		t.Leadline += CPU() - start
		runtime.GC()
		start = CPU()
		theirs := porcupineAnswers(part)
		t.Porcupine += CPU() - start
		for i, q := range part {
			if ours[i] != theirs[i] {
				return t, fmt.Errorf("%s, history %s: leadline reports %v, porcupine %v", q.History.File, q.History.ID, ours[i], theirs[i])
			}
		}
	}
	return t, nil
}

func leadlineAnswers(part []Question, o replay.Options) ([]replay.Answer, error) {
	answers := make([]replay.Answer, len(part))
	for i, q := range part {
		v, err := decide.Check(context.Background(), q.History, q.Spec, o)
		if err != nil {
			return nil, err
		}
		answers[i] = v.Answer
	}
	return answers, nil
}

func porcupineAnswers(part []Question) []replay.Answer {
	answers := make([]replay.Answer, len(part))
	for i, q := range part {
		answers[i] = replay.NotLinearizable
		if porcupine.CheckOperations(q.Model, q.Ops) {
			answers[i] = replay.Linearizable
		}
	}
	return answers
}
