package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// A Difference is how a result that lists the elements of a collection differs from what
// the object has. The zero value means that they do not differ.
type Difference struct {
	Missing []history.Value // elements that the result lacks, or has too seldom
	Extra   []history.Value // elements that the object lacks, or has less often
	// OutOfOrder are pairs of elements that the result has one after the other, and the
	// object the other way round.
	OutOfOrder [][2]history.Value
}

// Differ returns the difference between a recorded result and another one that the object may
// give: lists, strings such as Java prints for collections, or transactions with reads of
// lists. It returns false for other results. It takes O(n) for n elements.
func Differ(recorded, other history.Value) (d Difference, ok bool) {
	a, isList := elementsOf(recorded)
	b, isOther := elementsOf(other)
	if !isList || !isOther || recorded.Kind() == history.Null && other.Kind() == history.Null {
		return d, false
	}
	if len(a) != len(b) || len(a) == 0 || !slices.EqualFunc(a, b, isSameStep) {
		d.add(a, b)
		return d, true
	}
	for i := range a {
		if read, now := a[i].List()[2], b[i].List()[2]; !read.Equal(now) {
			step, isRead := Differ(read, now)
			if !isRead {
				return Difference{}, false
			}
			d.Missing, d.Extra = append(d.Missing, step.Missing...), append(d.Extra, step.Extra...)
			d.OutOfOrder = append(d.OutOfOrder, step.OutOfOrder...)
		}
	}
	return d, true
}

// isSameStep reports whether two values are steps of transactions that differ at most in
// what they read; see the specification multi-register.
func isSameStep(a, b history.Value) bool {
	s, t := a.List(), b.List()
	return len(s) == 3 && len(t) == 3 && s[0].Kind() == history.String && s[0].Equal(t[0]) && s[1].Equal(t[1])
}

// elementsOf returns the elements of a list, or of a string in brackets. Null is an empty list.
func elementsOf(v history.Value) ([]history.Value, bool) {
	text := v.Text()
	switch {
	case v.Kind() == history.List, v.Kind() == history.Null:
		return v.List(), true
	case len(text) < 2 || text[:1]+text[len(text)-1:] != "[]" && text[:1]+text[len(text)-1:] != "{}":
		return nil, false
	}
	var all []history.Value
	for word := range strings.SplitSeq(text[1:len(text)-1], ",") {
		word = strings.TrimSpace(word)
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			all = append(all, history.IntValue(n))
		} else if word != "" {
			all = append(all, history.StringValue(word))
		}
	}
	return all, true
}

// add adds the difference between the elements of a recorded result and those of the object.
func (d *Difference) add(recorded, object []history.Value) {
	places := map[string][]int{} // element -> its places in the object that are not matched
	key := func(v history.Value) string { return string(v.AppendKey(nil)) }
	for i, v := range object {
		places[key(v)] = append(places[key(v)], i)
	}
	isMatched := make([]bool, len(object))
	last := -1 // place of the last element of both
	for _, v := range recorded {
		at := places[key(v)]
		if len(at) == 0 {
			d.Extra = append(d.Extra, v)
			continue
		}
		places[key(v)] = at[1:]
		if at[0] < last {
			d.OutOfOrder = append(d.OutOfOrder, [2]history.Value{object[last], v})
		}
		last, isMatched[at[0]] = at[0], true
	}
	for i, v := range object {
		if !isMatched[i] {
			d.Missing = append(d.Missing, v)
		}
	}
}

// CommonDifference returns what the differences of a recorded result to all others have in
// common. It is empty if a result does not list elements.
func CommonDifference(recorded history.Value, others []history.Value) (all Difference) {
	common := func(a, b []history.Value) []history.Value {
		return slices.DeleteFunc(slices.Clone(a), func(v history.Value) bool { return !slices.ContainsFunc(b, v.Equal) })
	}
	for k, v := range others {
		d, ok := Differ(recorded, v)
		switch {
		case !ok:
			return Difference{}
		case k == 0:
			all = d
			continue
		}
		all.Missing, all.Extra = common(all.Missing, d.Missing), common(all.Extra, d.Extra)
		all.OutOfOrder = slices.DeleteFunc(all.OutOfOrder, func(p [2]history.Value) bool {
			return !slices.ContainsFunc(d.OutOfOrder, func(q [2]history.Value) bool { return p[0].Equal(q[0]) && p[1].Equal(q[1]) })
		})
	}
	return all
}

// String says what is missing, extra and out of order, as in "10 is missing, 2 comes before 1".
// It is "" if they do not differ.
func (d *Difference) String() string {
	var parts []string
	add := func(all []history.Value, what string) {
		switch len(all) {
		case 0:
		case 1:
			parts = append(parts, listed(all)+" is "+what)
		default:
			parts = append(parts, listed(all)+" are "+what)
		}
	}
	add(d.Missing, "missing")
	add(d.Extra, "extra")
	for _, pair := range d.OutOfOrder[:min(len(d.OutOfOrder), mostListed)] {
		parts = append(parts, fmt.Sprintf("%v comes before %v", pair[0], pair[1]))
	}
	if more := len(d.OutOfOrder) - mostListed; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more are out of order", more))
	}
	return strings.Join(parts, ", ")
}

// About names the parts and elements that CoreOps are about.
func (e *Explanation) About() string {
	if len(e.Elements) > 0 {
		return listed(e.Elements) + " under " + listed(e.Parts)
	}
	return listed(e.Parts)
}

// mostListed is how many values a text lists.
const mostListed = 8

func listed(all []history.Value) string {
	var texts []string
	for _, v := range all[:min(len(all), mostListed)] {
		texts = append(texts, v.String())
	}
	if more := len(all) - mostListed; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	last := len(texts) - 1
	if last < 1 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
