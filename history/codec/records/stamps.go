package records

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/codec/scan"
)

var errArguments = errors.New(`ns takes a stamp or a duration, and the unit of plain numbers: "s", "ms", "us" or "ns"`)

// nanoseconds is the function ns(X, UNIT).
func nanoseconds(args ...any) (any, error) {
	if len(args) == 1 {
		return nanosecondsOf(args[0], "ns")
	}
	return nanosecondsOf(args[0], args[1])
}

// nanosecondsOf returns the stamp or duration x in nanoseconds. x is
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
	return strings.Trim(text, "0123456789") == ""
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
			return nil, fmt.Errorf("%q is not a stamp", scan.Clip([]byte(number)))
		}
		places += n
	}
	digits, isNegative := strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || !areDigits(whole) || !areDigits(fraction) {
		return nil, fmt.Errorf("%q is not a stamp: a number, a date of RFC 3339 or a duration such as 4.5ms", scan.Clip([]byte(number)))
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		places += len(whole)
		whole = strings.TrimRight(whole, "0")
		places -= len(whole)
	}
	if places -= len(fraction); places < 0 {
		return nil, fmt.Errorf("%s is finer than a nanosecond; ns(FIELD, UNIT) has the unit of numbers, ns unless it is given", scan.Clip([]byte(number)))
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
		return nil, fmt.Errorf("%s in nanoseconds does not fit 64 bits", scan.Clip([]byte(number)))
	}
	if !isNegative {
		n = -n
	}
	return n, nil
}

// readStamp reads a text.
func readStamp(text string, places int) (any, error) {
	if scan.IsDate(text) {
		n, err := scan.NanosecondsAt(text)
		return int(n), err
	}
	if strings.HasSuffix(text, "s") || strings.HasSuffix(text, "m") || strings.HasSuffix(text, "h") {
		if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
			return int(d), nil
		}
	}
	return scaled(text, places)
}
