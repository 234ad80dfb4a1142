package codec

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
)

// A stamp is an exact time in some unit: whole + frac/10^18.
type stamp struct {
	whole int64
	frac  uint64 // below fracUnit
}

const (
	fracDigits = 18
	fracUnit   = 1_000_000_000_000_000_000
)

// stamps collects the stamps of a history and turns them into integers. Stamps
// without fractions are used as they are. Once one has a fraction, each is represented
// by its index in list until all are known; see scale.
type stamps struct {
	list []stamp // nil as long as all are integers
	// wall is set if stamps are dates, numbers if they are numbers.
	wall, numbers bool
	zone          string // of dates that have none
	unit          string // of numbers; "" if unknown
}

// take returns the number that represents s. When list becomes non-nil, take calls
// reindex, which must apply its argument to all numbers that take returned before.
func (t *stamps) take(s stamp, reindex func(func(int64) int64)) int64 {
	if t.list == nil {
		if s.frac == 0 {
			return s.whole
		}
		t.list = []stamp{}
		reindex(func(n int64) int64 { return t.take(stamp{whole: n}, nil) })
	}
	t.list = append(t.list, s)
	return int64(len(t.list) - 1)
}

// scale returns the stamps of list as integers, multiplied by the smallest power of
// ten that leaves no fraction. If those do not fit 64 bits, it returns the ranks of
// the stamps instead, since only the order matters.
func (t *stamps) scale() []int64 {
	digits, least, most := 0, int64(math.MaxInt64), int64(math.MinInt64)
	for _, s := range t.list {
		for digits < fracDigits && s.frac%power(fracDigits-digits) != 0 {
			digits++
		}
		least, most = min(least, s.whole), max(most, s.whole)
	}
	factor := power(digits)
	fits := func(n int64) bool {
		high, low := bits.Mul64(uint64(max(n, -n)), factor)
		return n != math.MinInt64 && high == 0 && low <= math.MaxInt64-fracUnit
	}
	scaled := make([]int64, len(t.list))
	if fits(least) && fits(most) {
		for i, s := range t.list {
			scaled[i] = s.whole*int64(factor) + int64(s.frac/power(fracDigits-digits))
		}
		return scaled
	}
	order := slices.Clone(t.list)
	slices.SortFunc(order, compareStamps)
	order = slices.Compact(order)
	for i, s := range t.list {
		rank, _ := slices.BinarySearchFunc(order, s, compareStamps)
		scaled[i] = int64(rank)
	}
	return scaled
}

func compareStamps(a, b stamp) int {
	return cmp.Or(cmp.Compare(a.whole, b.whole), cmp.Compare(a.frac, b.frac))
}

// power returns 10^n, for n up to 18.
func power(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// read reads the stamp v. If v is a Float, text is how it was written.
func (t *stamps) read(v history.Value, text string) (s stamp, fault string) {
	switch v.Kind() {
	case history.Int:
		s.whole = v.Int()
	case history.Float:
		s, fault = parseDecimal(text)
	case history.String:
		text = strings.TrimSpace(v.Text())
		if isDate(text) {
			if t.numbers {
				return s, fmt.Sprintf("is a date, %q, but others are numbers", clip([]byte(text)))
			}
			t.wall = true
			return parseDate(text, t.zone)
		}
		if number, own := cutUnit(text); own != "" {
			_, wrong := parseDecimal(number)
			switch {
			case wrong == "" && t.unit == "":
				return s, fmt.Sprintf("has a unit, %q; the mapping may have one for all stamps, as in stamps=ns", clip([]byte(text)))
			case wrong == "":
				text = convert(number, own, t.unit)
			}
		}
		s, fault = parseDecimal(text)
	default:
		return s, wrongKind(v, "an integer, a decimal number or a date of RFC 3339")
	}
	if fault == "" && t.wall {
		return s, fmt.Sprintf("is a number, %s, but others are dates", v)
	}
	t.numbers = t.numbers || fault == ""
	return s, fault
}

// parseDecimal parses a number such as 12, -1.5 or 1.25e3, without rounding.
func parseDecimal(text string) (s stamp, fault string) {
	digits, negative := strings.CutPrefix(text, "-")
	digits, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	whole, frac, _ := strings.Cut(digits, ".")
	shift := 0
	if exponent != "" || strings.HasSuffix(strings.ToLower(text), "e") {
		n, err := strconv.ParseInt(strings.TrimPrefix(exponent, "+"), 10, 16)
		if err != nil || n < -400 || n > 400 {
			return s, notStamp(text)
		}
		shift = int(n)
	}
	if whole == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return s, notStamp(text)
	}
	for ; shift > 0; shift-- {
		if frac == "" {
			frac = "0"
		}
		whole, frac = whole+frac[:1], frac[1:]
	}
	if shift < 0 {
		whole = strings.Repeat("0", -shift) + whole
		at := len(whole) + shift
		whole, frac = whole[:at], whole[at:]+frac
	}
	return exactStamp(negative, whole, frac, text)
}

// exactStamp returns the stamp whose digits are whole and frac.
func exactStamp(negative bool, whole, frac, text string) (s stamp, fault string) {
	if frac = strings.TrimRight(frac, "0"); len(frac) > fracDigits {
		return s, fmt.Sprintf("has more than %d digits after the point: %s", fracDigits, clip([]byte(text)))
	}
	if whole = strings.TrimLeft(whole, "0"); whole != "" {
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil {
			return s, fmt.Sprintf("does not fit 64 bits: %s", clip([]byte(text)))
		}
		s.whole = n
	}
	if frac != "" {
		s.frac, _ = strconv.ParseUint(frac+strings.Repeat("0", fracDigits-len(frac)), 10, 64) // 18 digits fit
	}
	if negative {
		s.whole = -s.whole
		if s.frac > 0 {
			s.whole, s.frac = s.whole-1, fracUnit-s.frac
		}
	}
	return s, ""
}

func notStamp(text string) string {
	return fmt.Sprintf("is an integer, a decimal number or a date of RFC 3339, not %q", clip([]byte(text)))
}

// isDate reports whether text begins as a date does.
func isDate(text string) bool {
	return len(text) > 10 && text[4] == '-' && text[7] == '-' && strings.ContainsRune("Tt ", rune(text[10]))
}

// parseDate parses a date of RFC 3339, also with a blank between day and time, into
// seconds. zone is the time zone of a date that has none.
func parseDate(text, zone string) (s stamp, fault string) {
	head, tail, frac := text, "", ""
	if i := strings.IndexAny(text[11:], ".,Zz+-"); i >= 0 {
		head, tail = text[:11+i], text[11+i:]
	}
	if rest, ok := strings.CutPrefix(strings.Replace(tail, ",", ".", 1), "."); ok {
		tail = strings.TrimLeft(rest, "0123456789")
		if frac = rest[:len(rest)-len(tail)]; frac == "" {
			return s, notStamp(text)
		}
	}
	if tail == "" {
		if tail = zone; zone == "" {
			return s, fmt.Sprintf("has no time zone: %q; the mapping may have one, as in zone=Z or zone=+02:00", clip([]byte(text)))
		}
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(head[:10]+"T"+head[11:]+tail))
	if err != nil || at.Nanosecond() != 0 { // as in 10:00:00.5.5Z
		return s, notStamp(text)
	}
	s, fault = exactStamp(false, "", frac, text)
	s.whole = at.Unix()
	return s, fault
}

// durationUnits are the units of durations, as decimal places of a second.
var durationUnits = map[string]int{"s": 0, "ms": 3, "us": 6, "µs": 6, "ns": 9}

// cutUnit returns a number with a unit, as in 1.5ms, without the unit, and the unit.
func cutUnit(text string) (number, unit string) {
	number = strings.TrimRight(text, "nuµms")
	return strings.TrimSpace(number), text[len(number):]
}

// convert returns the text of a number in another unit. Without a known unit, it is not a
// number.
func convert(number, from, to string) string {
	places, known := durationUnits[from]
	if !known || strings.ContainsAny(number, "eE") {
		return number + from
	}
	return fmt.Sprintf("%se%d", number, durationUnits[to]-places)
}

// duration reads the duration v. If v is a Float, text is how it was written. If
// stamps are numbers of unknown unit, the duration must have that. If they are dates, which are
// in seconds, it has its own unit, as in 1.5ms, or else the given one. The stamp that
// it belongs to must have been read before.
func (t *stamps) duration(v history.Value, text, unit string) (s stamp, fault string) {
	if unit != "" && !t.wall && t.unit == "" {
		return s, fmt.Sprintf("has the unit of the mapping, %s, but stamps are numbers, whose unit it has", unit)
	}
	switch v.Kind() {
	case history.Int:
		text = v.String()
	case history.Float:
	case history.String:
		number, own := cutUnit(strings.TrimSpace(v.Text()))
		if own != "" && !t.wall && t.unit == "" {
			return s, fmt.Sprintf("has a unit, %q, but stamps are numbers; the mapping may have theirs, as in stamps=ns", clip([]byte(v.Text())))
		}
		text, unit = number, cmp.Or(own, unit)
	default:
		return s, wrongKind(v, "a number")
	}
	places, known := durationUnits[unit]
	if t.wall && !known {
		return s, fmt.Sprintf("has none of the units s, ms, us and ns: %s; the mapping may have one, as in unit=ms", describe(v))
	}
	if !t.wall && unit != "" {
		text = convert(text, unit, t.unit)
	}
	s, fault = parseDecimal(text)
	switch {
	case fault != "" || compareStamps(s, stamp{}) < 0:
		return s, "is a number from 0 on, not " + describe(v)
	case !t.wall:
		return s, ""
	case s.frac%power(places) != 0:
		return s, fmt.Sprintf("has more than %d digits after the point, in seconds: %s", fracDigits, describe(v))
	}
	unitOf := int64(power(places))
	return stamp{s.whole / unitOf, uint64(s.whole%unitOf)*power(fracDigits-places) + s.frac/power(places)}, ""
}

// plus returns a + d, and minus a - d, for d >= 0. They report false if that does not
// fit 64 bits.
func (a stamp) plus(d stamp) (stamp, bool) {
	s := stamp{a.whole + d.whole, a.frac + d.frac}
	if s.frac >= fracUnit {
		s = stamp{s.whole + 1, s.frac - fracUnit}
	}
	return s, compareStamps(s, a) >= 0
}

func (a stamp) minus(d stamp) (stamp, bool) {
	s := stamp{a.whole - d.whole, a.frac - d.frac}
	if a.frac < d.frac {
		s = stamp{s.whole - 1, s.frac + fracUnit}
	}
	return s, compareStamps(s, a) <= 0
}
