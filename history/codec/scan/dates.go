package scan

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// IsDate reports whether text begins as a date does.
func IsDate(text string) bool {
	return len(text) > 10 && text[4] == '-' && text[7] == '-' && strings.ContainsRune("Tt ", rune(text[10]))
}

// zonedDate matches a date with its zone: Z, UTC, GMT, an offset in hours, or in hours and minutes,
// or both, as Go prints times.
var zonedDate = regexp.MustCompile(`^(.*:\d\d(?:\.\d+)?) ?(?:([+-]\d\d)(?::?(\d\d))?)?(?: ?(?:UTC|GMT|Z))?$`)

// NanosecondsAt reads a date of RFC 3339, also with a blank between day and time, with
// a comma before the fraction, and with other notations of the zone.
func NanosecondsAt(text string) (int64, error) {
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
			return 0, fmt.Errorf(`%q has no time zone; add it, as in ns(FIELD + "Z")`, Clip([]byte(text)))
		}
		return 0, fmt.Errorf("%q is not a date of RFC 3339, with the zone Z, UTC, GMT or +02:00; date(FIELD, LAYOUT) reads others", Clip([]byte(text)))
	}
	if at.Year() < 1678 || at.Year() > 2261 {
		return 0, fmt.Errorf("%q in nanoseconds does not fit 64 bits", Clip([]byte(text)))
	}
	_, fraction, _ := strings.Cut(date, ".")
	digits := fraction[:len(fraction)-len(strings.TrimLeft(fraction, "0123456789"))]
	if len(strings.TrimRight(digits, "0")) > 9 {
		return 0, fmt.Errorf("%q is finer than a nanosecond", Clip([]byte(text)))
	}
	return at.UnixNano(), nil
}
