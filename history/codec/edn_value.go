package codec

import (
	"cmp"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
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
		e.wrong("integer %s does not fit 64 bits", clip([]byte(text)))
	case err != nil:
		return e.noNumber(text)
	}
	return history.IntValue(n)
}

// noNumber records that text is not a number. Reading can go on after it.
func (e *ednReader) noNumber(text string) history.Value {
	e.wrong("%s is not a number", clip([]byte(text)))
	return history.NullValue
}

// ratio returns a ratio as a string in lowest terms, since it is only compared.
func (e *ednReader) ratio(text string) history.Value {
	above, below, _ := strings.Cut(text, "/")
	if strings.Trim(strings.TrimLeft(above, "+-"), "0123456789") != "" || below == "" || strings.Trim(below, "0123456789") != "" {
		return e.noNumber(text)
	}
	if len(text) > 40 {
		e.wrong("ratio %s has terms of more than 64 bits", clip([]byte(text)))
		return history.NullValue
	}
	if strings.Trim(below, "0") == "" {
		e.wrong("ratio %s has no value", text)
		return history.NullValue
	}
	r, ok := new(big.Rat).SetString(strings.TrimPrefix(text, "+"))
	switch {
	case !ok:
		return e.noNumber(text)
	case r.IsInt():
		return e.integer(r.Num().String(), r.Num().String(), 10)
	}
	return history.StringValue(r.RatString())
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
		e.wrong("number %s does not fit a 64-bit float", clip([]byte(text)))
	case decimal && len(significant) > maxDecimals:
		e.wrong("decimal %s has more digits than a 64-bit float", clip([]byte(text)))
	}
	return history.FloatValue(f)
}
