package codec

import (
	"bytes"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

const etcdName = "etcd"

// etcdPrefix precedes an operation in Jepsen's log, but not in its history.txt. A colon or
// a dash follows it.
var etcdPrefix = []byte("jepsen.util")

const timedOut = ":timed-out"

// decodeEtcd reads the log of a Jepsen test, or its history.txt. It skips lines that are
// not about an operation. See the package documentation for the meaning of timeouts.
func decodeEtcd(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeText(r, file, etcdName, lim, func(t *textLines) textFormat { return &etcd{textLines: t, edn: newEDNReader(nil, 0)} })
}

// sniffEtcd guesses whether a log has a line about an operation.
func sniffEtcd(head []byte) Guess {
	_, data := firstData(head)
	if isBracket(data) {
		return No
	}
	first := true
	for line := range bytes.Lines(data) {
		if first || line[len(line)-1] == '\n' {
			if _, ok := readEtcdLine(bytes.TrimRight(line, "\r\n")); ok {
				return Yes
			}
		}
		first = false
	}
	if len(data) >= detectText {
		return No
	}
	return Maybe
}

type etcd struct {
	*textLines
	words *wordHistory
	edn   *ednReader
}

// An etcdLine is a line PROCESS :TYPE :F VALUE. If the operation failed, its error may
// follow.
type etcdLine struct {
	process, f []byte
	typ        history.EventType
	value      []byte
	time       []byte // at the beginning of the line, or nil
}

// readEtcdLine reports false for a line that is not about an operation.
func readEtcdLine(text []byte) (l etcdLine, ok bool) {
	if before, after, found := bytes.Cut(text, etcdPrefix); found {
		if l.time = before[:min(len(before), len("2006-01-02 15:04:05,000"))]; !isDate(string(l.time)) {
			l.time = nil
		}
		text = bytes.TrimPrefix(bytes.TrimPrefix(after, []byte(":")), []byte(" -"))
	}
	var typ []byte
	l.process, text = cutWord(text)
	typ, text = cutWord(text)
	l.f, l.value = cutWord(text)
	word, colon := strings.CutPrefix(string(typ), ":")
	if l.typ, ok = jepsenType(word); !ok || !colon {
		return l, false
	}
	_, err := strconv.ParseInt(string(l.process), 10, 64)
	return l, (err == nil || string(l.process) == ":nemesis") && len(l.f) > 1 && l.f[0] == ':'
}

func (d *etcd) line(text []byte, number int) (fault string) {
	l, ok := readEtcdLine(text)
	if !ok || string(l.process) == ":nemesis" {
		return ""
	}
	if !utf8.Valid(l.f) {
		return "invalid UTF-8"
	}
	if d.words == nil {
		b := d.begin(history.Header{}, number)
		d.words = &wordHistory{b: b, line: number}
		d.out.last.finish = d.words.finish
	}
	process, _ := strconv.ParseInt(string(l.process), 10, 64)
	ev := wordEvent{typ: l.typ, process: history.IntValue(process), f: string(l.f[1:]), line: number}
	if l.time != nil {
		ev.time = history.StringValue(string(l.time))
	}
	if ev.value, fault = d.value(l.value, l.typ == history.Fail || l.typ == history.Info); fault != "" {
		return fault
	}
	// The result of a read that timed out is unknown. But it returned: its
	// process goes on. Other operations that time out end with :info.
	if ev.typ == history.Fail && isWord(ev.f, "read") && ev.value.Text() == timedOut {
		ev.typ, ev.value, ev.unknown = history.OK, history.NullValue, true
	}
	d.words.events.add(&ev)
	d.taken = d.words.bytes() + d.edn.pool.made
	return ""
}

// value reads the value at the end of a line, before a possible error.
func (d *etcd) value(text []byte, isError bool) (v history.Value, fault string) {
	e := d.edn
	e.reset(bytes.NewReader(text), int64(len(text)))
	v = e.value()
	if !e.failed() && e.problem == "" {
		if e.space(); !isError && !e.ended() {
			e.unexpected("the end of the line")
		}
	}
	if e.failed() {
		return v, "the value: " + e.fault
	}
	return v, e.problem
}
