package codec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var errArguments = errors.New(`ns takes a stamp or a duration, and the unit of plain numbers: "s", "ms", "us" or "ns"`)

// nanosecondsIn is nanosecondsOf as an expression calls it.
func nanosecondsIn(x, unit any) any {
	n, err := nanosecondsOf(x, unit)
	if err != nil {
		panic(err)
	}
	return n
}

// stampName is the name of ns of a plain path, which may be nil.
const stampName = "stamp"

func stampIn(x, _ any) any {
	if x == nil {
		return nil
	}
	return nanosecondsIn(x, "ns")
}

// nanosecondsOf is the function ns(x, unit): the stamp or duration x in nanoseconds. x is
// a number in the unit, a text of such a number, a date of RFC 3339 or a duration such as
// 4.5ms.
func nanosecondsOf(x, unit any) (any, error) {
	name, _ := unit.(string)
	places, known := unitPlaces[name]
	if !known {
		return nil, errArguments
	}
	switch x := x.(type) {
	case int:
		if places == 0 {
			return x, nil
		}
		return scaled(strconv.Itoa(x), places)
	case decimal:
		return scaled(string(x), places)
	case float64:
		n, err := integral(x)
		if err != nil {
			return nil, err
		}
		return scaled(strconv.Itoa(n), places)
	case time.Time:
		return int(x.UnixNano()), nil
	case time.Duration:
		return int(x), nil
	case string:
		return readStamp(strings.TrimSpace(x), places)
	case nil:
		return nil, errors.New("ns of nil, which is not a stamp")
	}
	return nil, errors.New("ns of a value that is not a stamp")
}

// unitPlaces are the decimal places of a nanosecond in a unit.
var unitPlaces = map[string]int{"s": 9, "ms": 6, "us": 3, "µs": 3, "ns": 0}

// integral returns a float as an integer if it is exact.
func integral(x float64) (int, error) {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, fmt.Errorf("%v has been rounded to a float; ns(FIELD, UNIT) reads a field exactly", x)
	}
	return int(x), nil
}

// areDigits reports whether there is nothing but digits in a text.
func areDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || '9' < text[i] {
			return false
		}
	}
	return true
}

// scaled returns a decimal number times ten to the power of places.
func scaled(number string, places int) (any, error) {
	digits, exponent, hasExponent := strings.Cut(number, "e")
	if !hasExponent {
		digits, exponent, hasExponent = strings.Cut(number, "E")
	}
	if hasExponent {
		n, err := strconv.Atoi(exponent)
		if err != nil || n < -400 || n > 400 {
			return nil, fmt.Errorf("%q is not a stamp", clip([]byte(number)))
		}
		places += n
	}
	digits, isNegative := strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || !areDigits(whole) || !areDigits(fraction) {
		return nil, fmt.Errorf("%q is not a stamp: a number, a date of RFC 3339 or a duration such as 4.5ms", clip([]byte(number)))
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		places += len(whole)
		whole = strings.TrimRight(whole, "0")
		places -= len(whole)
	}
	if places -= len(fraction); places < 0 {
		return nil, fmt.Errorf("%s is finer than a nanosecond; ns(FIELD, UNIT) has the unit of numbers, ns unless it is given", clip([]byte(number)))
	}
	n, fits := 0, true // n is negative, since there is one more of these
	push := func(digit int) {
		fits = fits && n >= (math.MinInt+digit)/10
		n = n*10 - digit
	}
	for _, c := range whole + fraction {
		push(int(c - '0'))
	}
	for range places {
		push(0)
	}
	if !fits || !isNegative && n == math.MinInt {
		return nil, fmt.Errorf("%s in nanoseconds does not fit 64 bits", clip([]byte(number)))
	}
	if !isNegative {
		n = -n
	}
	return n, nil
}

// readStamp reads a text.
func readStamp(text string, places int) (any, error) {
	if isDate(text) {
		return nanosecondsAt(text)
	}
	if strings.HasSuffix(text, "s") || strings.HasSuffix(text, "m") || strings.HasSuffix(text, "h") {
		if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
			return int(d), nil
		}
	}
	return scaled(text, places)
}

// isDate reports whether text begins as a date does.
func isDate(text string) bool {
	return len(text) > 10 && text[4] == '-' && text[7] == '-' && strings.ContainsRune("Tt ", rune(text[10]))
}

// zonedDate matches a date with its zone: Z, UTC, GMT, an offset in hours, or in hours and minutes,
// or both, as Go prints times.
var zonedDate = regexp.MustCompile(`^(.*:\d\d(?:\.\d+)?) ?(?:([+-]\d\d)(?::?(\d\d))?)?(?: ?(?:UTC|GMT|Z))?$`)

// nanosecondsAt reads a date of RFC 3339, also with a blank between day and time, with
// a comma before the fraction, and with other notations of the zone.
func nanosecondsAt(text string) (any, error) {
	date := strings.ToUpper(text[:10] + "T" + strings.Replace(text[11:], ",", ".", 1))
	if parts := zonedDate.FindStringSubmatch(date); parts != nil {
		switch {
		case parts[2] != "":
			date = parts[1] + parts[2] + ":" + cmp.Or(parts[3], "00")
		case parts[1] != date:
			date = parts[1] + "Z"
		}
	}
	at, err := time.Parse(time.RFC3339Nano, date)
	if err != nil {
		if _, err := time.Parse("2006-01-02T15:04:05", date); err == nil {
			return nil, fmt.Errorf(`%q has no time zone; add it, as in ns(FIELD + "Z")`, clip([]byte(text)))
		}
		return nil, fmt.Errorf("%q is not a date of RFC 3339, with the zone Z, UTC, GMT or +02:00; date(FIELD, LAYOUT) reads others", clip([]byte(text)))
	}
	if at.Year() < 1678 || at.Year() > 2261 {
		return nil, fmt.Errorf("%q in nanoseconds does not fit 64 bits", clip([]byte(text)))
	}
	_, fraction, _ := strings.Cut(date, ".")
	digits := fraction[:len(fraction)-len(strings.TrimLeft(fraction, "0123456789"))]
	if len(strings.TrimRight(digits, "0")) > 9 {
		return nil, fmt.Errorf("%q is finer than a nanosecond", clip([]byte(text)))
	}
	return int(at.UnixNano()), nil
}
