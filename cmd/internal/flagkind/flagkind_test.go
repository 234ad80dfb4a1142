package flagkind

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/codec"
)

// TestMapping: a mapping in a file is read once, up to 64 KiB, and an error has its line.
func TestMapping(t *testing.T) {
	dir := t.TempDir()
	const good = "process=p,type=t,f=f"
	write := func(text string) string {
		file := filepath.Join(dir, "m")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return "@" + file
	}
	full := good + "\n" + strings.Repeat("#", mostText-len(good)-1)
	for text, want := range map[string]string{
		good:            "",
		good + "\n":     "",
		"\uFEFF" + good: "",
		full:            "",
		full + "#":      dir + "/m: it has more than 64 KiB",
		"a\x00":         "it is not text",
		"a\xff":         "it is not text",
		"":              dir + "/m:",
		"# who\nprocess=p\n\ntype=t, f=f\ncolour=c": dir + `/m:5: unknown name "colour"`,
		"process": dir + `/m:1: "process" is not NAME=EXPRESSION`,
	} {
		var o codec.Options
		if err := Mapping(&o, []string{write(text)}); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	for value, want := range map[string]string{"": "is written @FILE", good: "", "my.map": "is written @FILE", "a=b": "mapping: unknown name", "@" + dir + "/none": "reading the mapping"} {
		var o codec.Options
		if err := Mapping(&o, []string{value}); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", value, err, want)
		}
	}
}

// TestEndless: a device without an end takes no memory.
func TestEndless(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	if _, err := Text("@/dev/zero"); err == nil || !strings.Contains(err.Error(), "more than 64 KiB") {
		t.Errorf("/dev/zero: %v", err)
	}
}
