package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/replay"
	"golang.org/x/term"
)

// terminal returns the terminal that w writes to, or nil.
func terminal(w io.Writer) *os.File {
	if c, ok := w.(*output.Writer); ok {
		w = c.W
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// terminalWidth returns the number of columns of the terminal that w writes to,
// or 0 if that is not a terminal. COLUMNS overrides what the terminal reports.
func terminalWidth(w io.Writer) int {
	f := terminal(w)
	if f == nil {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80 // the terminal does not report it
}

// textWidth returns the width for running text: that of the terminal, but at most 100.
func textWidth(w io.Writer) int {
	if width := terminalWidth(w); width > 0 {
		return max(40, min(width, 100))
	}
	return 100
}

// useColor reports whether to write to w in colour.
func useColor(w io.Writer) bool {
	return terminal(w) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows"
}

// verdictColors are the parameters of the escape sequences for verdicts.
var verdictColors = map[string]string{
	replay.Linearizable.String():        "32",   // green
	replay.NotLinearizable.String():     "1;31", // red
	consistency[replay.Linearizable]:    "32",
	consistency[replay.NotLinearizable]: "1;31",
	replay.Undecided.String():           "33",   // yellow
	"invalid":                           "1;35", // magenta
	"internal error":                    "1;35",
}

// padVerdict returns the verdict, padded to its column, in colour if color is set.
func padVerdict(verdict string, color bool) string {
	text := verdict + strings.Repeat(" ", max(0, 16-len(verdict)))
	if code := verdictColors[verdict]; color && code != "" {
		return "\033[" + code + "m" + text + "\033[0m"
	}
	return text
}
