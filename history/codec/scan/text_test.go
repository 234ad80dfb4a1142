package scan

import (
	"strconv"
	"testing"
)

func TestParseInt(t *testing.T) {
	words := []string{"", "-", "+", "0", "-0", "+0", "7", "-7", "+7", "007", "--1", "1-", "1_0", "0x1", " 1", "1.5", "\xff",
		"999999999999999999", "-999999999999999999", "9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "-9223372036854775809", "+9223372036854775807", "000000000000000000000012"}
	for _, word := range words {
		want, err := strconv.ParseInt(word, 10, 64)
		if n, ok := ParseInt([]byte(word)); ok != (err == nil) || ok && n != want {
			t.Errorf("ParseInt(%q) = %d, %v; strconv has %d, %v", word, n, ok, want, err)
		}
		plain := err == nil && strconv.FormatInt(want, 10) == word
		if n, ok := PlainInt([]byte(word)); ok != plain || ok && n != want {
			t.Errorf("PlainInt(%q) = %d, %v, not %d, %v", word, n, ok, want, plain)
		}
	}
}
