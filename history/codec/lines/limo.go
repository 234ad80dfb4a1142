package lines

import (
	"bytes"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// LiMo has events of stacks and queues. Numbers in brackets are usually those of
// operations, sometimes those of threads. They are read as processes.
var LiMo = limo.format()

var limo = table{
	name:        "limo",
	description: "LiMo's: [id] call push(1) and [id] return in lines below # @object atomic-stack or atomic-queue",
	mark:        "@object",
	nothing:     "empty",
	isWord:      isLimoWord,
	usage:       "[id] call METHOD VALUE, [id] return VALUE or crash",
	cut:         cutLimo,
	objects: []object{
		{names: []string{"atomic-stack", "stack"}, model: "stack", methods: []method{
			{[]string{"push", "add"}, "push", argument},
			{[]string{"pop", "remove"}, "pop", answer},
		}},
		{names: []string{"atomic-queue", "queue"}, model: "queue", methods: []method{
			{[]string{"enq", "add", "enqueue"}, "enqueue", argument},
			{[]string{"deq", "remove", "dequeue"}, "dequeue", answer},
		}},
	},
}

func cutLimo(l *line, text []byte) bool {
	id, rest := scan.CutWord(text)
	if string(id) == "crash" && len(rest) == 0 {
		l.kind = crashLine
		return true
	}
	end := len(id) - 1
	if end < 2 || id[0] != '[' || id[end] != ']' {
		return false
	}
	l.kind, l.process = eventLine, id[1:end]
	verb, rest := scan.CutWord(rest)
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
	text = scan.TrimBlanks(text)
	for len(text) > 1 && text[0] == '(' && text[len(text)-1] == ')' {
		text = scan.TrimBlanks(text[1 : len(text)-1])
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
		if !scan.IsLetter(c) && c != '?' {
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
