package codec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// proposeBytes is how far Propose reads, and proposeRecords how many records.
const (
	proposeBytes   = 1 << 20
	proposeRecords = 2000
)

// ErrKnownFormat is wrapped by the error of Propose for an input that needs no
// mapping.
var ErrKnownFormat = errors.New("needs no mapping")

// Propose returns a mapping for the records of r, with comments on what is uncertain
// in it. It recognises fields by their names and by their values in the first records.
// It ignores opts.Format and opts.Map.
func Propose(r io.Reader, file string, opts Options) (string, error) {
	in, err := newInput(opts.interruptible(r), opts.Limits)
	if err != nil {
		return "", inputError(file, err)
	}
	defer in.close()
	in.context = opts.Context
	head, err := io.ReadAll(io.LimitReader(in, proposeBytes))
	if err == nil && len(head) == 0 {
		err = ErrEmpty
	}
	if err != nil && len(head) == 0 {
		return "", inputError(file, err)
	}
	if f, known := Detect(head); known {
		return "", fmt.Errorf("%s: %w: it is in the format %s", file, ErrKnownFormat, f.Name)
	}
	p := &proposal{fields: map[string]*sample{}}
	if err := p.read(head, file, opts.Limits); err != nil {
		return "", err
	}
	if err := p.choose(); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	p.try(head)
	return p.String(), nil
}

// A proposal is a mapping under construction.
type proposal struct {
	kind    string
	records []history.Value
	lines   []int
	order   []int              // of records, in which their events happened
	fields  map[string]*sample // by path
	paths   []string           // in the order in which they occur
	taken   map[string]bool
	// events is the field with the types of events. It is nil if records are
	// whole operations, which have call and ret. id and process may be nil.
	events, call, ret, id, process *sample

	entries, notes []string
}

// A sample is what is known about a field.
type sample struct {
	path   string
	names  [2]string // the last part of the path, and the last two, without case and punctuation
	values []history.Value
	words  map[string]int
	stamps bool // all values are stamps
	all    stamps
	floats map[int]stamp // by record, those that a float64 may round
}

// read reads the first records.
func (p *proposal) read(head []byte, file string, lim Limits) error {
	values := new(pool)
	source, kind := openRecords(bytes.NewReader(head), "", values, lim.fill())
	p.kind = kind
	for len(p.records) < proposeRecords {
		record, line, err := source.next()
		var e *end
		if errors.As(err, &e) {
			if len(p.records) > 0 || e.err == io.EOF {
				break
			}
			return &SyntaxError{File: file, Line: line, Msg: e.err.Error()}
		}
		record = values.kept(record)
		p.records, p.lines = append(p.records, record), append(p.lines, line)
		p.fieldsOf(nil, record, source)
	}
	if len(p.records) == 0 {
		return &SyntaxError{File: file, Msg: "no records"}
	}
	return nil
}

// fieldsOf adds the fields of the object at the keys outer of a record. It treats lists
// as values.
func (p *proposal) fieldsOf(outer []string, object history.Value, source records) {
	for i, list := 0, object.List(); i < len(list); i += 2 {
		keys, v := append(slices.Clip(outer), list[i].Text()), list[i+1]
		path := strings.Join(keys, ".")
		if v.Kind() == history.Map && len(path) < 200 {
			p.fieldsOf(keys, v, source)
			continue
		}
		f := p.fields[path]
		if f == nil {
			if len(p.paths) == 500 || !isPath(path) {
				continue // not a path in a mapping
			}
			parts := strings.Split(path, ".")
			n := len(parts)
			f = &sample{path: path, names: [2]string{plainName(parts[n-1]), plainName(strings.Join(parts[max(0, n-2):], ""))},
				words: map[string]int{}, stamps: true}
			p.fields[path], p.paths = f, append(p.paths, path)
		}
		if v.Kind() == history.Null {
			continue
		}
		f.values = append(f.values, v)
		f.words[wordOf(v)]++
		text := ""
		if v.Kind() == history.Float {
			text = source.number(keys)
		}
		if f.stamps {
			f.all.zone = "Z"
			s, fault := f.all.read(v, text)
			if f.stamps = fault == ""; text != "" {
				if f.floats == nil {
					f.floats = map[int]stamp{}
				}
				f.floats[len(p.records)-1] = s
			}
		}
	}
}

// find returns a suitable field that is not taken, and takes it. Earlier names are
// preferred.
func (p *proposal) find(names string, suitable func(*sample) bool) *sample {
	for name := range strings.FieldsSeq(names) {
		for _, path := range p.paths {
			if f := p.fields[path]; slices.Contains(f.names[:], name) && !p.taken[path] && len(f.values) > 0 && suitable(f) {
				p.taken[path] = true
				return f
			}
		}
	}
	return nil
}

func (p *proposal) entry(format string, args ...any) {
	p.entries = append(p.entries, fmt.Sprintf(format, args...))
}

func (p *proposal) doubt(format string, args ...any) {
	p.note("unsure: "+format, args...)
}

func (p *proposal) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// choose chooses the entries.
func (p *proposal) choose() error {
	p.taken = map[string]bool{}
	if p.events = p.find("type phase event kind ev eventtype edge stage state msg message t", isPhase); p.events != nil {
		p.entry("type=%s", p.events.path)
		p.phases()
	} else {
		isStamp := func(f *sample) bool { return f.stamps }
		if p.call, p.ret = p.find(callNames, isStamp), p.find(returnNames, isStamp); p.call == nil || p.ret == nil {
			return errors.New("no field has the types of events (invoke, ok and the like), and none the stamps of calls and returns")
		}
		p.entry("call=%s", p.call.path)
		p.entry("return=%s", p.ret.path)
		p.zone(p.call)
	}
	if p.events != nil {
		p.id = p.find(idNames, p.isIdentifier)
		p.sort()
	}
	p.process = p.find(processNames, func(f *sample) bool { return isIdentifying(f) && p.isSequential(f) })
	method := p.find(methodNames, p.isMethod)
	if method == nil && p.id != nil && slices.Contains(strings.Fields(methodNames), p.id.names[0]) && p.isMethod(p.id) {
		method, p.id = p.id, nil // in a short log, each method may be called once
	}
	if p.process != nil {
		p.entry("process=%s", p.process.path)
	} else if p.events != nil && p.id == nil {
		return errors.New("no field says which process an event is of, or which operation")
	} else {
		p.doubt("no field is a process: each operation is a process of its own")
	}
	if p.id != nil {
		p.entry("op=%s", p.id.path)
	}
	if method == nil {
		return errors.New("no field says what was done")
	}
	p.entry("f=%s", method.path)
	p.data(method)
	if p.events != nil {
		p.stamps()
	}
	return nil
}

// phase returns what a record is, by its type.
func (p *proposal) phase(record history.Value) ending {
	if p.events == nil {
		return began
	}
	return phaseOf(wordOf(at(record, p.events.path)))
}

// isPhase reports whether a field has types of events.
func isPhase(f *sample) bool {
	kinds := map[ending]bool{}
	for w := range f.words {
		kinds[phaseOf(w)] = true
	}
	return len(f.words) <= 20 && kinds[began] && (kinds[returned] || kinds[lost] || kinds[failed])
}

// phases proposes entries for the words of a type that mappings do not know, and for
// those that are not about operations.
func (p *proposal) phases() {
	f, by := p.events, map[ending][]string{}
	for _, w := range sortedWords(f) {
		if _, known := typeWords[strings.ToLower(strings.TrimPrefix(w, ":"))]; !known {
			by[phaseOf(w)] = append(by[phaseOf(w)], w)
		}
	}
	p.list(by, "=")
	if words := by[noEnding]; len(words) > 0 {
		p.entry("skip when %s=%s", f.path, strings.Join(words, "|"))
		p.doubt("%s has %s: are these records about operations?", f.path, strings.Join(words, ", "))
	}
}

// list proposes an entry for the words of each ending.
func (p *proposal) list(by map[ending][]string, between string) {
	for i, name := range []string{"invoke", "ok", "null", "fail", "lost"} {
		if words := by[[]ending{began, returned, returnedNull, failed, lost}[i]]; len(words) > 0 {
			p.entry("%s%s%s", name, between, strings.Join(words, "|"))
		}
	}
}

// isIdentifying reports whether all values are integers or strings.
func isIdentifying(f *sample) bool {
	return !slices.ContainsFunc(f.values, func(v history.Value) bool { return v.Kind() != history.Int && v.Kind() != history.String })
}

// isIdentifier reports whether a field identifies operations: each value belongs
// to one invocation, and to at most one end, in any order.
func (p *proposal) isIdentifier(f *sample) bool {
	if !isIdentifying(f) {
		return false
	}
	calls, ends := map[string]bool{}, map[string]bool{}
	for _, r := range p.records {
		w, phase := wordOf(at(r, f.path)), p.phase(r)
		if w == "" || phase == noEnding {
			continue
		}
		half := ends
		if phase == began {
			half = calls
		}
		if half[w] {
			return false
		}
		half[w] = true
	}
	for w := range ends {
		if !calls[w] {
			return false
		}
	}
	return len(ends) > 0
}

// isSequential reports whether no process has two operations open, if f is the process.
func (p *proposal) isSequential(f *sample) bool {
	if p.events == nil {
		return p.isSequentialByStamps(f)
	}
	open := map[string]bool{}
	for _, i := range p.order {
		r := p.records[i]
		w, phase := wordOf(at(r, f.path)), p.phase(r)
		if w == "" || phase == noEnding {
			continue
		}
		if open[w] == (phase == began) {
			return false
		}
		open[w] = phase == began || phase == lost
	}
	return len(open) > 0
}

func (p *proposal) isSequentialByStamps(f *sample) bool {
	type span struct {
		call, ret stamp
		open      bool
	}
	spans := map[string][]span{}
	for i, r := range p.records {
		from, fault := p.stampAt(i, p.call)
		to, open := p.stampAt(i, p.ret)
		if fault {
			continue
		}
		w := wordOf(at(r, f.path))
		spans[w] = append(spans[w], span{from, to, open})
	}
	for _, list := range spans {
		slices.SortStableFunc(list, func(a, b span) int { return compareStamps(a.call, b.call) })
		for i := 1; i < len(list); i++ {
			if list[i-1].open || compareStamps(list[i-1].ret, list[i].call) > 0 {
				return false
			}
		}
	}
	return len(spans) > 0
}

// isMethod reports whether a field may be the method: it has a string in every
// invocation, and few distinct ones.
func (p *proposal) isMethod(f *sample) bool {
	for _, r := range p.records {
		if v := at(r, f.path); p.phase(r) == began && v.Kind() != history.String {
			return false
		}
	}
	return len(f.words) <= 40
}

// data finds arguments, results and how operations ended.
func (p *proposal) data(method *sample) {
	any := func(*sample) bool { return true }
	if key := p.find(keyNames, any); key != nil {
		p.entry("key=%s", key.path)
	}
	status := p.find(statusNames, isStatus)
	args, result := p.find(argsNames, any), p.find(resultNames, any)
	var value *sample
	switch {
	case args != nil && result == nil:
		result = p.find(valueNames, any)
	case args == nil && result != nil:
		args = p.find(valueNames, any)
	case args == nil:
		if value = p.find(valueNames, any); value != nil {
			p.entry("value=%s", value.path)
			p.doubt("%s is taken to be the argument of writes and the result of reads", value.path)
			p.model(method, false)
		}
	}
	if args != nil {
		p.entry("args=%s", args.path)
	}
	if result != nil {
		p.entry("result=%s", result.path)
		p.void(method, result)
	}
	if args != nil || result != nil {
		p.model(method, true)
	}
	if value == nil && result == nil {
		p.doubt("no field is known to have results; name one, as in result=PATH, out of %s", p.rest())
	} else if value == nil && args == nil {
		p.doubt("no field is known to have arguments; name one, as in args=PATH, out of %s", p.rest())
	}
	ended := ""
	if status != nil {
		ended = p.endings(status)
	}
	if result != nil {
		p.nulls(result, ended)
	} else if value != nil {
		p.nulls(value, ended)
	}
}

// void proposes the methods that never have a result, if others have one.
func (p *proposal) void(method, result *sample) {
	with, last := map[string]bool{}, map[string]string{} // methods; by operation or process, where ends lack them
	for _, r := range p.records {
		name, of := wordOf(at(r, method.path)), ""
		if p.id != nil {
			of = wordOf(at(r, p.id.path))
		} else if p.process != nil {
			of = wordOf(at(r, p.process.path))
		}
		if p.phase(r) == began {
			last[of] = name
		}
		if v := at(r, result.path); v.Kind() != history.None && v.Kind() != history.Null {
			with[cmp.Or(name, last[of])] = true
		}
	}
	var without []string
	for _, w := range sortedWords(method) {
		if !with[w] {
			without = append(without, w)
		}
	}
	if len(without) > 0 && len(without) < len(method.words) {
		p.entry("void=%s", strings.Join(without, "|"))
		p.doubt("no result of %s is recorded: it is taken to return nothing", strings.Join(without, ", "))
	}
}

// isStatus reports whether a field says how operations ended. One whose name may also
// be that of a result does so only by words that are not true or false.
func isStatus(f *sample) bool {
	if strings.HasPrefix(f.names[0], "err") {
		return true
	}
	if slices.Contains(strings.Fields(resultNames), f.names[0]) {
		for w := range f.words {
			if statusOf(w) == noEnding || w == "true" || w == "false" {
				return false
			}
		}
	}
	for w := range f.words {
		if statusOf(w) != noEnding {
			return len(f.words) <= 20
		}
	}
	return false
}

// endings proposes conditions for the words of a status. For an unknown word it proposes
// lost: such an operation may have happened or not, so it cannot cause a violation.
//
// It returns the test that holds for operations that returned.
func (p *proposal) endings(f *sample) (ended string) {
	if strings.HasPrefix(f.names[0], "err") {
		p.entry("lost when %s", f.path)
		p.doubt("an operation with an %s may have happened or not; if it did not, write fail for lost", f.path)
		return ""
	}
	by := map[ending][]string{}
	for _, w := range sortedWords(f) {
		e := statusOf(w)
		if e == noEnding {
			e = lost
			p.doubt("%s=%s is taken to be lost: the operation may have happened or not", f.path, w)
		}
		by[e] = append(by[e], w)
	}
	p.list(by, " when "+f.path+"=")
	if words := by[failed]; len(words) > 0 {
		p.doubt("%s=%s is taken to mean that nothing happened; if it may have, write lost for fail", f.path, strings.Join(words, "|"))
	}
	return f.path + "=" + strings.Join(by[returned], "|")
}

// model proposes a model that has these methods. If one field is argument and result,
// the model depends on the values and is chosen when a file is read.
func (p *proposal) model(method *sample, named bool) {
	keyed := slices.ContainsFunc(p.entries, func(e string) bool { return strings.HasPrefix(e, "key=") })
	words := strings.Join(sortedWords(method), ", ")
	i := slices.IndexFunc(dialects, func(d dialect) bool {
		return words != "" && !d.pairs && d.keyed == keyed && !slices.ContainsFunc(sortedWords(method), func(w string) bool {
			w = strings.TrimPrefix(w, ":")
			return named && d.forMethod(w) == nil || !named && d.find(w) == nil
		})
	})
	switch {
	case i < 0:
		p.doubt("no model is known by the methods %s: name one, as in model=queue; leadline models lists them", words)
	case !named:
		p.note("without a model=NAME, the words %s and the values determine it", words)
	default:
		p.entry("model=%s", dialects[i].model)
		p.doubt("the model is guessed from the methods %s; leadline models lists others", words)
		if keyed {
			p.doubt("a key without a value is taken to be read as null; if it is read as an empty string, write model=kv:\"\"")
		}
	}
}

// try reads the sample by the mapping, and adds the faults to the notes. It leaves out
// the process if that is not needed and causes faults.
func (p *proposal) try(head []byte) {
	notes, faults := attemptMapping(p.entries, head)
	if faults > 0 && p.process != nil && (p.events == nil || p.id != nil) {
		i := slices.Index(p.entries, "process="+p.process.path)
		without := slices.Delete(slices.Clone(p.entries), i, i+1)
		if others, fewer := attemptMapping(without, head); fewer < faults {
			p.doubt("a %s begins an operation while another one is open: each operation is a process of its own", p.process.path)
			p.entries, notes = without, others
		}
	}
	p.notes = append(p.notes, notes...)
}

// attemptMapping reads head by a mapping. It returns notes on the result, and the number
// of faults.
func attemptMapping(entries []string, head []byte) (notes []string, faults int) {
	m, err := parseMapping(strings.Join(entries, "\n"))
	if err != nil {
		return []string{"unsure: " + err.Error()}, 1
	}
	for h, err := range decodeMapped(m)(bytes.NewReader(head), "", Limits{}) {
		var errs *history.Errors
		switch {
		case errors.As(err, &errs):
			faults += len(errs.List)
			for _, e := range errs.List[:min(3, len(errs.List))] {
				notes = append(notes, fmt.Sprintf("unsure: line %d: %s", e.Line, e.Msg))
			}
		case err != nil && len(head) < proposeBytes:
			faults++
			notes = append(notes, "unsure: "+err.Error())
		case err == nil:
			operations := "operations"
			if len(h.Ops) == 1 {
				operations = "operation"
			}
			notes = append(notes, fmt.Sprintf("read by it, the beginning of the file has %d %s, %d of them pending", len(h.Ops), operations, h.Pending()))
		}
	}
	return notes, faults
}

// String returns the mapping as a file.
func (p *proposal) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# a mapping for %s, from %d of its records\n", p.kind, len(p.records))
	for _, e := range p.entries {
		b.WriteString(e + "\n")
	}
	for _, n := range p.notes {
		b.WriteString("# " + strings.ReplaceAll(n, "\n", " ") + "\n")
	}
	return b.String()
}
