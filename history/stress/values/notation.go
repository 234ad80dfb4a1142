package values

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
)

// Append appends an argument as programs write it.
func (k *Kind) Append(dst []byte, v history.Value) []byte {
	begin, end, pairs := byte('['), byte(']'), false
	switch v.Kind() {
	case history.Int:
		switch k.form {
		case duration:
			return append(dst, written(time.Duration(v.Int()))...)
		case instant:
			dst = append(dst, '@')
		}
		return append(dst, v.String()...)
	case history.String:
		if k.form == word {
			return append(dst, v.Text()...)
		}
		return append(dst, v.String()...)
	case history.List:
	case history.Map:
		begin, end, pairs = '{', '}', true
	default:
		return append(dst, v.String()...)
	}
	for k.form == wrapped {
		k = k.elems[0]
	}
	dst = append(dst, begin)
	for i, e := range v.List() {
		switch {
		case pairs && i%2 == 1:
			dst = append(dst, '=')
		case i > 0:
			dst = append(dst, ',')
		}
		dst = k.elems[i%len(k.elems)].Append(dst, e)
	}
	return append(dst, end)
}

// written returns a duration without the parts that are zero, unless it is: 1h, not 1h0m0s.
func written(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// own reports whether programs write values of the kind otherwise than history.CutValue
// reads them.
func (k *Kind) own() bool {
	return k.form == duration || k.form == instant || k.form == word || slices.ContainsFunc(k.elems, (*Kind).own)
}

// ErrOther means that the text has no argument of the kind.
var ErrOther = errors.New("not an argument of the kind")

// Cut parses the argument at the beginning of text and returns the rest of the text. With an
// error, the rest is where the fault is, and "" if the text ends there. What it returns may
// not be an argument of the kind: see Takes.
func (k *Kind) Cut(text string) (v history.Value, rest string, err error) {
	for k.form == wrapped {
		k = k.elems[0]
	}
	switch n := strings.IndexAny(strings.TrimPrefix(text, "="), " \t\r\n,;)]}="); {
	case !k.own() || strings.HasPrefix(text, "null"):
		return history.CutValue(text)
	case len(k.elems) > 0:
		return k.cutElements(text)
	case n > 0 || n < 0 && text != "":
		if n < 0 {
			n = len(text)
		} else if text[0] == '=' {
			n++
		}
		if v, ok := k.word(text[:n]); ok {
			return v, text[n:], nil
		}
	}
	return v, text, ErrOther
}

// word returns the value of a word without separators.
func (k *Kind) word(text string) (history.Value, bool) {
	if k.form == word {
		v := history.StringValue(text)
		return v, k.Takes(v)
	}
	if k.form == instant {
		text = strings.TrimPrefix(text, "@")
	} else if d, err := time.ParseDuration(text); err == nil {
		return history.IntValue(int64(d)), true
	}
	n, err := strconv.ParseInt(text, 10, 64) // as it was written before kinds had forms of their own
	return history.IntValue(n), err == nil
}

// cutElements is Cut for lists, maps and structs.
func (k *Kind) cutElements(text string) (v history.Value, rest string, err error) {
	begin, end := "[", "]"
	if k.form == mapping {
		begin, end = "{", "}"
	}
	symbol := func(s string) (ok bool) {
		rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), s)
		return ok
	}
	if rest = text; !symbol(begin) {
		return v, text, ErrOther
	}
	var all []history.Value
	for i := 0; !symbol(end); i++ {
		between := ","
		if k.form == mapping && i%2 == 1 {
			between = "="
		}
		if i > 0 && !symbol(between) {
			return v, rest, errors.New(`"` + between + `" or "` + end + `" expected`)
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		var e history.Value
		if e, rest, err = k.elems[i%len(k.elems)].Cut(rest); err != nil {
			return v, rest, err
		}
		all = append(all, e)
	}
	if k.form != mapping {
		return history.ListValue(all...), rest, nil
	}
	if v, ok := history.MapValue(all...); ok && len(all)%2 == 0 {
		return v, rest, nil
	}
	return v, text, errors.New("a key has no value or occurs twice")
}
