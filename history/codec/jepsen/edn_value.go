package jepsen

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// maxDecimals is the largest number of digits for which different decimals become
// different 64-bit floats.
const maxDecimals = 15

// number returns the number in text: an integer, with or without N; a float; or a decimal, with M.
// A ratio is a string, "1/3", unless it is an integer. What Clojure reads besides and never prints
// (0x1F, 2r101, 017) is none.
func (e *ednReader) number(text string) history.Value {
	digits := strings.TrimSuffix(text, "N")
	whole := strings.TrimLeft(digits, "+-")
	above, below, isRatio := strings.Cut(text, "/")
	switch {
	case isRatio:
		return e.ratio(text, above, below)
	case strings.Trim(whole, "0123456789") != "":
		return e.float(text)
	case len(whole) > 1 && whole[0] == '0':
		return e.noNumber(text)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		e.wrong("integer %s does not fit 64 bits", scan.Clip([]byte(text)))
	case err != nil:
		return e.noNumber(text)
	}
	return history.IntValue(n)
}

// ratio returns a ratio in lowest terms, since it is only compared.
func (e *ednReader) ratio(text, above, below string) history.Value {
	n, err := strconv.ParseInt(above, 10, 64)
	d, err2 := strconv.ParseInt(below, 10, 64)
	if err != nil || err2 != nil || d <= 0 || n == math.MinInt64 {
		return e.noNumber(text)
	}
	a, b := max(n, -n), d
	for b != 0 {
		a, b = b, a%b
	}
	if n, d = n/a, d/a; d == 1 {
		return history.IntValue(n)
	}
	return history.StringValue(fmt.Sprintf("%d/%d", n, d))
}

// noNumber records that text is not a number. Reading can go on after it.
func (e *ednReader) noNumber(text string) history.Value {
	e.wrong("%s is not a number", scan.Clip([]byte(text)))
	return history.NullValue
}

// float parses a float or a decimal. A decimal with so many digits that different ones
// become the same 64-bit float is a problem.
func (e *ednReader) float(text string) history.Value {
	digits, decimal := strings.CutSuffix(text, "M")
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(strings.TrimLeft(digits, "+-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power := strings.TrimLeft(exponent, "+-")
	if whole == "" || strings.Trim(whole+fraction+power, "0123456789") != "" ||
		scientific && (power == "" || len(exponent)-len(power) > 1) {
		return e.noNumber(text)
	}
	f, ok := history.ParseFloat(digits)
	significant := strings.Trim(whole+fraction, "0")
	switch {
	case !ok:
		e.wrong("number %s does not fit a 64-bit float", scan.Clip([]byte(text)))
	case decimal && len(significant) > maxDecimals:
		e.wrong("decimal %s has more digits than a 64-bit float", scan.Clip([]byte(text)))
	}
	return history.FloatValue(f)
}
