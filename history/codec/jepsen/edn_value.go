package jepsen

import (
	"cmp"
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

// number returns the number in text: an integer, in decimal or as 0x1F, 017 or
// 2r101, the first three with or without N; a ratio; a float; or a decimal, with M.
func (e *ednReader) number(text string) history.Value {
	body := strings.TrimLeft(text, "+-")
	sign := text[:len(text)-len(body)]
	digits, base := integerDigits(body)
	switch {
	case len(sign) > 1:
		return e.noNumber(text)
	case base != 0:
		return e.integer(text, cmp.Or(sign, "+")+digits, base)
	case strings.Contains(body, "/"):
		return e.ratio(text)
	}
	return e.float(text)
}

// integerDigits returns the digits and the base of an integer without a sign. It does
// not check the digits. The base is 0 if body does not look like an integer.
func integerDigits(body string) (digits string, base int) {
	plain := strings.ToLower(strings.TrimSuffix(body, "N"))
	hex, isHex := strings.CutPrefix(plain, "0x")
	before, after, hasBase := strings.Cut(strings.ToLower(body), "r")
	switch {
	case isHex:
		return hex, 16
	case hasBase && len(before) <= 2 && before[0] != '0':
		base, _ = strconv.Atoi(before) // 0 if it is not a number
		return after, base
	case strings.Trim(plain, "0123456789") != "":
		return "", 0
	case len(plain) > 1 && plain[0] == '0':
		return plain[1:], 8
	}
	return plain, 10
}

// integer parses the digits of text, which may follow a sign.
func (e *ednReader) integer(text, digits string, base int) history.Value {
	n, err := strconv.ParseInt(digits, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		e.wrong("integer %s does not fit 64 bits", scan.Clip([]byte(text)))
	case err != nil:
		return e.noNumber(text)
	}
	return history.IntValue(n)
}

// ratio returns a ratio in lowest terms, since it is only compared.
func (e *ednReader) ratio(text string) history.Value {
	above, below, _ := strings.Cut(text, "/")
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
