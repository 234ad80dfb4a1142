package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A Plan is what a batch does. A journal belongs to one plan.
type Plan struct {
	Program string `json:"program"` // see Program
	// Work is everything that a result depends on besides the histories and the
	// bounds: the model, options, arguments.
	Work string `json:"work"`
	// Bounds are those of time, memory and the like.
	Bounds string `json:"bounds"`
}

// A journal's lines about itself have this form in JSON.
type journalLine struct {
	Journal int   `json:"leadline_journal"` // the version of the format
	Plan    *Plan `json:"plan,omitempty"`   // begins a generation of results
	Retry   bool  `json:"retry,omitempty"`  // the generation checks again what was unknown before
	// Done ends a generation: all of the input was checked.
	Done bool `json:"done,omitempty"`
}

const journalVersion = 1

// A Journal is a file that has the outcomes of a batch, so that the batch can be
// resumed after it was stopped in any way. It may be used by several goroutines.
type Journal struct {
	store
	name   string
	plan   Plan
	done   bool  // the last generation is complete
	again  bool  // the last generation checks again what was unknown before
	retry  bool  // unknown outcomes of earlier generations are not used
	err    error // the first of writing
	synced time.Time
	// Remark is a message about the journal for the user, or "".
	Remark string
}

// syncEvery is how long results may be in memory of the system only. They survive the
// end of the process from the start, and a crash of the machine after this time.
const syncEvery = time.Second

// OpenJournal opens the journal of a batch, or creates it. It is an error if the journal
// belongs to another plan. With retry, the bounds may differ, and what was unknown
// before is checked again, once.
func OpenJournal(name string, plan Plan, retry bool) (*Journal, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &Journal{store: store{file: file}, name: name, retry: retry, synced: time.Now()}
	if err := j.open(plan); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return j, nil
}

func (j *Journal) open(plan Plan) error {
	if err := lock(j.file); err != nil {
		return err
	}
	if err := j.checkBeginning(); err != nil {
		return err
	}
	lines := 0
	if err := j.load(func(line []byte) error {
		var l journalLine
		if err := json.Unmarshal(line, &l); err != nil || l.Journal != journalVersion || lines == 0 && l.Plan == nil {
			return errNoJournal
		}
		lines++
		if j.done = l.Done; l.Plan != nil {
			j.plan, j.again = *l.Plan, l.Retry
		}
		return nil
	}); err != nil {
		return err
	}
	if lines > 0 {
		if err := j.plan.accepts(plan, j.retry); err != nil {
			return err
		}
	}
	if err := j.truncate(); err != nil {
		return err
	}
	j.Remark = j.cutText()
	if again := lines > 0 && j.retry; lines == 0 || again && (j.done || !j.again || j.plan.Bounds != plan.Bounds) {
		j.plan, j.done, j.again = plan, false, again
		j.header = j.size
		return j.about(journalLine{Plan: &plan, Retry: again})
	}
	return nil
}

var errNoJournal = errors.New("this is not a journal of a batch")

// checkBeginning returns an error if a file is not a journal, by its type and its first
// bytes. It does not read a whole file, since a device may have no end.
func (j *Journal) checkBeginning() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("a journal must be a regular file")
	}
	begins := appendJSON(nil, journalLine{Journal: journalVersion})
	begins = begins[:len(begins)-1] // without the bracket
	text := make([]byte, min(int64(len(begins)), info.Size()))
	if _, err := j.file.ReadAt(text, 0); err != nil && err != io.EOF {
		return err
	}
	if string(text) != string(begins[:len(text)]) {
		return errNoJournal
	}
	return nil
}

// accepts returns an error if a journal of plan p cannot continue with another plan.
func (p *Plan) accepts(other Plan, retry bool) error {
	switch {
	case p.Program != other.Program:
		return errors.New("the journal is that of another build of leadline; go on with that one, or begin another journal")
	case p.Work != other.Work:
		return fmt.Errorf("the journal is that of another batch:\n  %s\nis not\n  %s", p.Work, other.Work)
	case p.Bounds != other.Bounds && !retry:
		return fmt.Errorf("the journal has other bounds (%s), not %s; give the same, or --retry-unknown", p.Bounds, other.Bounds)
	}
	return nil
}

// about appends a line about the journal itself.
func (j *Journal) about(l journalLine) error {
	l.Journal = journalVersion
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.append(append(appendJSON(nil, l), '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

// get returns the outcome of an entry with this content, if the journal has it.
func (j *Journal) get(e *Entry, content key) (*Outcome, bool) {
	o, at, ok := j.store.get(content.at(e))
	if !ok || o.Status == Unknown && j.retry && at < j.header {
		return nil, false
	}
	return o, true
}

// put adds the outcome of an entry. Err returns the first error.
func (j *Journal) put(e *Entry, content key, o *Outcome) {
	line := appendOutcome(nil, content.at(e), o)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return
	}
	_, j.err = j.append(line)
	if now := time.Now(); j.err == nil && now.Sub(j.synced) > syncEvery {
		j.synced = now
		j.err = j.file.Sync()
	}
}

// Err returns the first error of writing. Nothing is added after it.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", j.name, j.err)
}

// Close closes the journal. done says that all of the input was checked.
func (j *Journal) Close(done bool) error {
	err := j.Err()
	if err == nil && done && !j.done {
		err = j.about(journalLine{Done: true})
	}
	return errors.Join(err, j.file.Sync(), j.file.Close())
}
