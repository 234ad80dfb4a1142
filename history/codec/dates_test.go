package codec

import "testing"

// TestDates: dates with their zones, and durations, are read exactly.
func TestDates(t *testing.T) {
	const noon = 1795867200000000000 // 2026-11-28T12:00:00Z
	for text, want := range map[string]int{
		"2026-11-28T12:00:00Z": noon, "2026-11-28 12:00:00.000 UTC": noon, "2026-11-28 12:00:00GMT": noon, "2026-11-28 14:00:00+02": noon,
		"2026-11-28T13:30:00,000000007+0130": noon + 7, "2026-11-28 10:00:00.5 -0200": noon + 5e8, "2026-11-28 12:00:00 +0000 UTC": noon,
		"2026-11-28t12:00:00.25z": noon + 25e7, "2026-11-28T13:00:00+01:00": noon,
		"4.5ms": 4500000, "0.440 ms": 440000, "1m 0.5s": 60500000000,
	} {
		if got, err := nanosecondsOf(text, "ns"); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"2026-11-28 12:00:00", "2026-11-28 12:00:00 CET", "2026-11-28 12:00:00 +2", "2026-11-28", "2026-11-28 25:00:00Z",
		"2026-11-28 12:00:00.0000000001Z", "28/Nov/2026:12:00:00 +0000", "4.5 apples"} {
		if got, err := nanosecondsOf(text, "ns"); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
