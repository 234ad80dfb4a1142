package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"
)

// A Plan is what a batch does. A journal belongs to one plan.
type Plan struct {
	Program string `json:"program"` // see Program
	// Work is everything that a result depends on besides the histories and the
	// bounds: the model, options, arguments.
	Work string `json:"work"`
	// Bounds are the bounds of time, memory and the like.
	Bounds string `json:"bounds"`
}

// A Journal is a file that has the outcomes of a batch, so that the batch can be
// resumed after it was stopped in any way. It may be used by several goroutines.
//
// A line that begins with a brace is a journalLine. Every other line has the outcome of
// an entry, in fields that are separated by tabs. The fields are a checksum of the rest of
// the line, the key of the entry, the Outcome in JSON, and the record for the line of
// results. Each line is written by one call. If the process or the machine stopped within
// a line, that line and all later ones are removed when the journal is opened again.
type Journal struct {
	// Remark is a message about the journal for the user, or "".
	Remark string

	name  string
	file  *os.File
	done  bool          // all of the input was checked
	lines map[key]int64 // where the file had outcomes when it was opened

	mu     sync.Mutex
	size   int64 // where the next line begins
	err    error // the first error of writing
	synced time.Time
}

// A journalLine begins or ends the outcomes.
type journalLine struct {
	Journal int   `json:"leadline_journal"` // the version of the format
	Plan    *Plan `json:"plan,omitempty"`   // begins the outcomes
	// Done ends the outcomes: all of the input was checked.
	Done bool `json:"done,omitempty"`
}

const (
	journalVersion = 1
	journalBegins  = `{"leadline_journal":1`
	checksumDigits = 8
	// syncEvery is how long outcomes may be only in memory of the system. They survive the
	// end of the process at once, and a crash of the machine after this time. It is what a
	// user may lose, and not tuned.
	syncEvery = time.Second
)

var (
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	errNoJournal = errors.New("this is not a journal of a batch")
	errDamaged   = errors.New("the line is damaged")
)

// OpenJournal opens the journal of a batch, or creates it. It is an error if the journal
// belongs to another plan.
func OpenJournal(name string, plan Plan) (*Journal, error) {
	file, err := Lock(name)
	if err != nil {
		return nil, err
	}
	j := &Journal{name: name, file: file, lines: map[key]int64{}, synced: time.Now()}
	if err := j.open(plan); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return j, nil
}

func (j *Journal) open(plan Plan) error {
	if info, err := j.file.Stat(); err != nil || !info.Mode().IsRegular() { // a device may have no end
		return cmp.Or(err, errors.New("a journal must be a regular file"))
	}
	begun, err := j.load()
	if err != nil {
		return err
	}
	if begun != nil {
		if err := begun.accepts(plan); err != nil {
			return err
		}
	}
	if err := j.cutDamage(); err != nil {
		return err
	}
	if begun == nil {
		j.append(aboutLine(journalLine{Plan: &plan}), true)
	}
	return j.err
}

// load reads the whole file, up to a damaged line. It returns the plan of the outcomes, or
// nil.
func (j *Journal) load() (begun *Plan, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(j.file, 0, 1<<62), 1<<16)
	// Shorter files have no whole line. Read no more of a file that is not a journal.
	if text, _ := r.Peek(len(journalBegins)); string(text) != journalBegins[:len(text)] {
		return nil, errNoJournal
	}
	for {
		line, err := r.ReadBytes('\n')
		switch {
		case err == io.EOF:
			return begun, nil
		case err != nil:
			return nil, err
		case line[0] == '{':
			var l journalLine
			if err := json.Unmarshal(line, &l); err != nil || l.Journal != journalVersion || begun == nil && l.Plan == nil {
				return nil, errNoJournal
			}
			if j.done = l.Done; l.Plan != nil {
				begun = l.Plan
			}
		default:
			k, ok := checkLine(line[:len(line)-1])
			if !ok {
				return begun, nil
			}
			j.lines[k] = j.size
		}
		j.size += int64(len(line))
	}
}

// accepts returns an error if a journal of plan p cannot continue with another plan.
func (p *Plan) accepts(other Plan) error {
	switch {
	case p.Program != other.Program:
		return errors.New("the journal is that of another build of leadline; go on with that one, or begin another journal")
	case p.Work != other.Work:
		return fmt.Errorf("the journal is that of another batch:\n  %s\nis not\n  %s", p.Work, other.Work)
	case p.Bounds != other.Bounds:
		return fmt.Errorf("the journal has other bounds (%s), not %s; give the same, or begin another journal", p.Bounds, other.Bounds)
	}
	return nil
}

// cutDamage removes the part of the file that load did not read.
func (j *Journal) cutDamage() error {
	info, err := j.file.Stat()
	if err != nil || info.Size() == j.size {
		return err
	}
	j.Remark = fmt.Sprintf("%d bytes at the end are damaged, and what they were about is checked again", info.Size()-j.size)
	return j.file.Truncate(j.size)
}

// get returns the outcome of the entry with a key, if the journal has it.
func (j *Journal) get(k key) (*Outcome, bool) {
	at, ok := j.lines[k]
	if !ok {
		return nil, false
	}
	line, err := bufio.NewReader(io.NewSectionReader(j.file, at, 1<<62)).ReadBytes('\n')
	if err != nil {
		return nil, false
	}
	_, o, err := parseOutcome(line[:len(line)-1])
	if err != nil {
		return nil, false
	}
	return o, true
}

// put adds the outcome of the entry with a key. If that fails, Err returns the error.
func (j *Journal) put(k key, o *Outcome) { j.append(outcomeLine(k, o), false) }

// append writes a line, unless an earlier one failed.
func (j *Journal) append(line []byte, sync bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return
	}
	if _, j.err = j.file.WriteAt(line, j.size); j.err != nil {
		return
	}
	j.size += int64(len(line))
	if now := time.Now(); sync || now.Sub(j.synced) > syncEvery {
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

// Close closes the journal. done reports whether all of the input was checked.
func (j *Journal) Close(done bool) error {
	if done && !j.done {
		j.append(aboutLine(journalLine{Done: true}), true)
	}
	return errors.Join(j.Err(), j.file.Sync(), j.file.Close())
}

// aboutLine returns a line about the journal.
func aboutLine(l journalLine) []byte {
	l.Journal = journalVersion
	return append(appendJSON(nil, l), '\n')
}

// outcomeLine returns the line of an outcome.
func outcomeLine(k key, o *Outcome) []byte {
	line := hex.AppendEncode([]byte("00000000\t"), k[:])
	line = appendJSON(append(line, '\t'), o)
	line = append(append(line, '\t'), o.rest...)
	hex.Encode(line, checksum(line))
	return append(line, '\n')
}

// checksum returns the checksum of a line without its first field.
func checksum(line []byte) []byte {
	return binary.BigEndian.AppendUint32(nil, crc32.Checksum(line[checksumDigits:], castagnoli))
}

// checkLine reports whether the line of an outcome, without its newline, is whole, and
// returns its key.
func checkLine(line []byte) (k key, ok bool) {
	const afterKey = checksumDigits + 1 + 2*len(k)
	if len(line) <= afterKey || line[checksumDigits] != '\t' || line[afterKey] != '\t' {
		return k, false
	}
	if _, err := hex.Decode(k[:], line[checksumDigits+1:afterKey]); err != nil {
		return k, false
	}
	return k, hex.EncodeToString(checksum(line)) == string(line[:checksumDigits])
}

// parseOutcome parses the line of an outcome, without its newline.
func parseOutcome(line []byte) (k key, o *Outcome, err error) {
	k, ok := checkLine(line)
	fields := bytes.SplitN(line, []byte("\t"), 4)
	if !ok || len(fields) < 4 {
		return k, nil, errDamaged
	}
	o = &Outcome{rest: fields[3]}
	return k, o, json.Unmarshal(fields[2], o)
}
