package codec

import (
	"cmp"
	"slices"
	"strings"
)

// Usual names of fields, without case and punctuation. Better ones come first.
const (
	processNames = "process proc client clientid who thread threadid worker workerid tid session sessionid actor user pid goroutine node"
	idNames      = "opid operationid requestid reqid callid invocationid correlationid op id uid uuid seq index traceid request"
	methodNames  = "f method op operation func function fn action command cmd verb request call kind name type event"
	keyNames     = "key k register object account item"
	valueNames   = "value val v"
	argsNames    = "args arguments argument arg params input in"
	resultNames  = "result returned retval ret res resp output out response reply found observed"
	statusNames  = "status outcome result state code success ok reply error err"
	atNames      = "at time timestamp ts t"
	callNames    = "call start begin invoke invoked from t0 starttime startts starttimestamp startedat started startns startus startms calltime callts " +
		"invoketime invocationtime invokets begintime begints tsstart tstart timestart"
	returnNames = "return end finish complete completed returned to t1 endtime endts endtimestamp endedat ended endns endus endms returntime returnts " +
		"completetime completiontime completets finishtime finishedat finished responsetime tsend tend timeend stop stoptime"
)

// plainName returns a name without case and punctuation.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- :$@", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// isPath reports whether path can be written in a mapping.
func isPath(path string) bool {
	return !strings.ContainsAny(path, ",=#!|\n") && strings.TrimSpace(path) == path &&
		!strings.Contains(path, " when ") && !strings.Contains(path, " and ") && path != ""
}

// phaseOf returns what a word for an event usually means, or noEnding. In a message
// of two words, such as "op start" or "request failed", the later phase counts.
func phaseOf(message string) ending {
	phase := phaseOfWord(message)
	if words := strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(" _-.:", r) }); phase == noEnding && len(words) == 2 {
		phase = max(phaseOfWord(words[0]), phaseOfWord(words[1]))
	}
	return phase
}

func phaseOfWord(word string) ending {
	if t, ok := typeWords[strings.ToLower(strings.TrimPrefix(word, ":"))]; ok {
		return endingOf(t)
	}
	switch plainName(word) {
	case "req", "send", "sent", "submit", "asked", "invoked", "started":
		return began
	case "resp", "ret", "returned", "done", "completed", "reply", "ack", "received", "ended", "finished":
		return returned
	}
	return noEnding
}

// statusOf returns what a word for an outcome usually means, or noEnding.
func statusOf(word string) ending {
	switch plainName(word) {
	case "ok", "success", "succeeded", "successful", "done", "complete", "completed", "found", "true", "200", "committed":
		return returned
	case "notfound", "missing", "nil", "empty", "404":
		return returnedNull
	case "fail", "failed", "failure", "refused", "rejected", "aborted", "conflict", "casfailed", "preconditionfailed":
		return failed
	case "timeout", "timedout", "info", "unknown", "pending", "lost", "deadlineexceeded", "indeterminate", "indefinite":
		return lost
	}
	return noEnding
}

// sortedWords returns the words of a field that can be written in a mapping, the most
// frequent first.
func sortedWords(f *sample) []string {
	var words []string
	for w := range f.words {
		if isPath(w) {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b string) int {
		if d := f.words[b] - f.words[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return words
}

// rest lists the fields that are not used.
func (p *proposal) rest() string {
	rest := slices.DeleteFunc(slices.Clone(p.paths), func(path string) bool { return p.taken[path] })
	return cmp.Or(strings.Join(rest, ", "), "none")
}

// nulls proposes to read words that usually mean null as null. Unless ended is "", that
// is the test for operations that returned.
func (p *proposal) nulls(f *sample, ended string) {
	var words []string
	for _, w := range sortedWords(f) {
		if slices.Contains([]string{"null", "nil", "none", "<nil>", "undefined"}, strings.ToLower(w)) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return
	}
	if ended == "" && p.events != nil {
		ends := slices.DeleteFunc(sortedWords(p.events), func(w string) bool { return phaseOf(w) != returned })
		ended = p.events.path + "=" + strings.Join(ends, "|")
	}
	if strings.HasSuffix(ended, "=") {
		return // no operation returned
	}
	entry := "null when " + f.path + "=" + strings.Join(words, "|")
	if ended != "" {
		entry += " and " + ended
	}
	at := slices.IndexFunc(p.entries, func(e string) bool { return strings.HasPrefix(e, "ok when ") })
	if at < 0 {
		at = len(p.entries)
	}
	p.entries = slices.Insert(p.entries, at, entry)
	p.doubt("%s=%s is taken to mean null, and not to be a string", f.path, strings.Join(words, "|"))
}
