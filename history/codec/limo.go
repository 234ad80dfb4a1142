package codec

import (
	"bytes"

	"github.com/leadline/leadline/history"
)

const limoName = "limo"

// limoLines has events of stacks and queues. Numbers in brackets are usually those of
// operations, sometimes those of threads. They are read as processes.
var limoLines = lineFormat{
	name:        limoName,
	description: "LiMo's: [id] call push(1) and [id] return in lines below # @object atomic-stack or atomic-queue",
	mark:        "@object",
	nothing:     "empty",
	isWord:      isLimoWord,
	usage:       "[id] call METHOD VALUE, [id] return VALUE or crash",
	cut:         cutLimo,
	objects: []lineObject{
		{[]string{"atomic-stack", "stack"}, dialect{model: "stack", words: []word{
			{f: "push", aliases: []string{"add"}, shape: blind, method: "push"},
			{f: "pop", aliases: []string{"remove"}, shape: answer, method: "pop"},
		}}},
		{[]string{"atomic-queue", "queue"}, dialect{model: "queue", words: []word{
			{f: "enq", aliases: []string{"add", "enqueue"}, shape: blind, method: "enqueue"},
			{f: "deq", aliases: []string{"remove", "dequeue"}, shape: answer, method: "dequeue"},
		}}},
	},
}

func cutLimo(l *line, text []byte) bool {
	id, rest := cutWord(text)
	if string(id) == "crash" && len(rest) == 0 {
		l.kind = crashLine
		return true
	}
	end := len(id) - 1
	if end < 2 || id[0] != '[' || id[end] != ']' {
		return false
	}
	l.kind, l.process = eventLine, id[1:end]
	verb, rest := cutWord(rest)
	switch string(verb) {
	case "call":
		n := bytes.IndexAny(rest, " \t(")
		if n < 0 {
			n = len(rest)
		}
		l.method, rest = rest[:n], rest[n:]
	case "return":
		l.typ = history.OK
	default:
		return false
	}
	l.value = limoValue(rest)
	return true
}

// limoValue returns a value without parentheses and blanks. Empty has two spellings.
func limoValue(text []byte) []byte {
	text = trimBlanks(text)
	for len(text) > 1 && text[0] == '(' && text[len(text)-1] == ')' {
		text = trimBlanks(text[1 : len(text)-1])
	}
	if string(text) == "Empty" {
		return []byte("empty")
	}
	if bytes.IndexByte(text, ',') >= 0 {
		text = bytes.ReplaceAll(text, []byte(", "), []byte(","))
	}
	return text
}

// isLimoWord reports whether text is a word, perhaps with two indices, as in ?<1,2>.
func isLimoWord(text []byte) bool {
	name, indices, indexed := bytes.Cut(text, []byte("<"))
	for _, c := range name {
		if !isLetter(c) && c != '?' {
			return false
		}
	}
	if !indexed {
		return len(name) > 0
	}
	first, second, pair := bytes.Cut(bytes.TrimSuffix(indices, []byte(">")), []byte(","))
	digits := func(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0 }
	return len(name) > 0 && pair && bytes.HasSuffix(indices, []byte(">")) && digits(first) && digits(second)
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
