package jepsen

import (
	"bytes"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// sniffEDN guesses whether a file begins with an operation in EDN, with a key (see format
// kv) or without. Operations of Jepsen's nemesis decide only if there are no others.
func sniffEDN(head []byte, withKey bool) decode.Guess {
	guess := func(text []byte) decode.Guess {
		// The last word may go on.
		keywords, settled := firstKeywords(text[:bytes.LastIndexAny(text, " \t\r\n,)]}")+1])
		switch isOperation := slices.Contains(keywords, ":type"); {
		case isOperation && slices.Contains(keywords, ":key") != withKey:
			return decode.No
		case isOperation && settled:
			return decode.Yes
		case isOperation:
			return decode.Likely
		case settled:
			return decode.No
		}
		return decode.Maybe
	}
	best := decode.No // of the tags in comments
	comments, data := decode.FirstData(head)
	text := bytes.TrimPrefix(head, decode.ByteOrderMark)
	for line := range bytes.Lines(comments) {
		if isTag(bytes.TrimLeft(line, " \t\r")) {
			if best = max(best, guess(text)); best >= decode.Likely {
				return best
			}
		}
		text = text[len(line):]
	}
	if len(data) == 0 {
		return max(best, decode.Maybe)
	}
	object, isObject := bytes.CutPrefix(decode.FirstElement(data), []byte("{"))
	if isJSON := isObject && bytes.HasPrefix(bytes.TrimLeft(object, " \t\r\n"), []byte(`"`)); isJSON || !decode.IsBracket(data) {
		return best
	}
	return max(best, guess(data))
}

// isTag reports whether text may begin with a tag of EDN, as in #jepsen.history.Op{.
// If no operation follows, it is a comment.
func isTag(text []byte) bool {
	if len(text) < 2 || text[0] != '#' || text[1] != '{' && text[1] != '_' && !scan.IsLetter(text[1]) {
		return false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return text[1] == '_' || bytes.ContainsAny(line, "{[(")
}

// firstKeywords returns the keywords of the first operation of a client in text, or
// else those of the first operation. For a tuple, it returns the keywords of the
// equivalent map. settled means that more text would change nothing.
func firstKeywords(text []byte) (keywords []string, settled bool) {
	e := ednReaderOf(text, new(scan.Pool))
	d := ednOperations{edn: e}
	inside := false // a vector or list of operations
	c := d.untagged()
	for opens(c) {
		var found []string
		var client bool
		if c == '{' {
			found, client = ofMap(e.form(c))
		} else {
			closing := closingOf(c)
			e.next()
			e.depth++
			if c = d.untagged(); opens(c) && !inside && keywords == nil {
				inside = true
				continue
			}
			found, client = ofTuple(e, c, closing)
		}
		if client {
			return found, true
		}
		if found == nil {
			break
		}
		if keywords == nil {
			keywords = found
		}
		c = d.untagged()
	}
	return keywords, !e.torn && (e.failed() || !e.ended())
}

// untagged skips white space and tags, and returns the next byte.
func (d *ednOperations) untagged() byte {
	c := d.edn.space()
	if c == '#' && !d.edn.failed() {
		return d.passTags()
	}
	return c
}

// ofMap returns the keywords of an operation that is a map, and whether a client
// issued it.
func ofMap(v history.Value) (keywords []string, client bool) {
	pairs := v.List()
	client = v.Kind() == history.Map
	for i := 0; v.Kind() == history.Map && i < len(pairs); i += 2 {
		keywords = append(keywords, pairs[i].Text())
		if pairs[i].Text() == ":process" && pairs[i+1].Text() == ":nemesis" {
			client = false
		}
	}
	return keywords, client
}

// ofTuple is ofMap for a tuple whose first element begins with c. If a client issued
// it, ofTuple does not read it to the end.
func ofTuple(e *ednReader, c, closing byte) (keywords []string, client bool) {
	process := e.form(c)
	c, ok := e.more(closing)
	if !ok || !isTypeWord(e.form(c)) {
		return nil, false
	}
	if client = process.Text() != ":nemesis"; !client {
		for c, ok = e.more(closing); ok; c, ok = e.more(closing) {
			e.form(c)
		}
	}
	return []string{":process", ":type", ":f"}, client
}

// opens reports whether c begins an operation in EDN, or a vector or list.
func opens(c byte) bool { return c == '{' || c == '[' || c == '(' }

// closingOf returns the end of the vector or list that c begins.
func closingOf(c byte) byte {
	if c == '(' {
		return ')'
	}
	return ']'
}

func isTypeWord(v history.Value) bool {
	word, isKeyword := strings.CutPrefix(v.Text(), ":")
	_, isType := eventType(word)
	return isKeyword && isType
}
