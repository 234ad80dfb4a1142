package codec

import (
	"bytes"
	"strings"
)

const etcdName = "etcd"

// etcdLines has the logs of Jepsen tests, or a history.txt. It skips lines that are not about
// an operation. See the package documentation for the meaning of timeouts.
var etcdLines = lineFormat{
	name:        etcdName,
	description: "Jepsen's logs and history.txt: process, type, word and value in a line",
	cut:         cutEtcd,
}

// etcdPrefix precedes an operation in Jepsen's log, but not in its history.txt. A colon or
// a dash follows it.
var etcdPrefix = []byte("jepsen.util")

// cutEtcd cuts a line PROCESS :TYPE :F VALUE, which a date and other words may precede.
func cutEtcd(l *line, text []byte) bool {
	whole := text
	if before, after, found := bytes.Cut(text, etcdPrefix); found {
		l.hasPrefix = true
		if l.time = before[:min(len(before), len("2006-01-02 15:04:05,000"))]; !isDate(string(l.time)) {
			l.time = nil
		}
		text = bytes.TrimPrefix(bytes.TrimPrefix(after, []byte(":")), []byte(" -"))
	}
	var typ, f []byte
	l.process, text = cutWord(text)
	typ, text = cutWord(text)
	f, l.value = cutWord(text)
	word, isKeyword := strings.CutPrefix(string(typ), ":")
	isType, isClient := false, false
	l.typ, isType = jepsenType(word)
	_, isClient = parseInt(l.process)
	if !isKeyword || !isType || len(f) < 2 || f[0] != ':' || !isClient && string(l.process) != ":nemesis" {
		cutMark(l, whole)
		return false
	}
	if l.method = f[1:]; isClient {
		l.kind = eventLine
	}
	return true
}
