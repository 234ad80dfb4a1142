package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"
)

// TestHostileNames: whatever a file and its name have, no command prints a character that
// a terminal obeys, and no page or report has markup of the file.
func TestHostileNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files cannot have such names")
	}
	const evil = "\x1b]0;x\x07\x1b[2J\x7f\u009b31m</script><script>alert(1)</script>`touch x`$(touch x)'\"\n\rX"
	line := func(fields map[string]any) string {
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	header := func(model string, args ...any) string {
		return line(map[string]any{"leadline": 1, "history": evil, "model": model, "args": args})
	}
	event := func(typ string, more map[string]any) string {
		more["process"], more["type"] = evil+"A", typ
		return line(more)
	}
	read := event("invoke", map[string]any{"op": evil, "method": "read"}) + event("ok", map[string]any{"op": evil, "result": evil})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"violation":    header("register", 0) + read,
		"linearizable": header("register", evil) + read,
		"model":        header(evil, evil) + read,
		"method":       header("register", 0) + event("invoke", map[string]any{"method": evil, "args": []any{evil}}),
		"kv": header("kv") + event("invoke", map[string]any{"method": "put", "args": []any{evil, evil}}) + event("ok", map[string]any{}) +
			event("invoke", map[string]any{"method": "get", "args": []any{evil}}) + event("ok", map[string]any{"result": map[string]any{evil: evil}}),
		"exception": header("queue") + event("invoke", map[string]any{"method": "dequeue"}) + event("ok", map[string]any{"exception": evil}),
		"key":       header("register", 0) + line(map[string]any{evil: 1}),
		"events":    read,
		"cut":       "{\"leadline\":1,\"" + strings.ReplaceAll(evil, "\n", ""),
		"edn":       "{:process \"\x1b[2J\u009b\" :type :invoke :f :\x1b[2J\u009bread :value \"\x1b[2J\"}\n",
		"csv":       "a\x1b[2J\u009b,b,c\n1\x1b[2J,2,\u009b\n",
		"saved": "# object: --new \x1b[2J\u009b.x\n# program: { a(\x1b[2J) }\n# schedule: 0 1\x1b[2J\n# | \x1b[2J\u009b step\n" +
			header("register", 0) + read,
		"limo": "# @object atomic-\x1b[2J\u009bstack\n[\x1b[2J] call push(1)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+"\x1b[2J\u009b"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 13 {
		t.Fatal(files, err)
	}
	for _, command := range []string{"check", "check -v", "check -o json", "check -o timeline", "check --order program", "family --exact-depth",
		"check --map process=process,type=type,f=method,value=args", "check --format limo", "check --format jepsen", "explain", "view",
		"convert", "family", "family --count", "tables", "tables -o html",
		"map", "replay", "replay --subject queue", "stress --from", "safety --new x.N --declared"} {
		for _, file := range append([]string{dir}, files...) {
			var out, errs bytes.Buffer
			status := run(append(strings.Fields(command), file), strings.NewReader(""), &out, &errs)
			if command == "view" && bytes.Contains(out.Bytes(), []byte("</script><script>alert")) || command == "tables -o html" && bytes.Contains(out.Bytes(), []byte("<script>alert")) {
				t.Errorf("%s %q: markup of the file", command, file)
			}
			for _, text := range []string{out.String(), errs.String()} {
				if at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); at >= 0 {
					t.Errorf("%s %q: status %d, a control character in %q", command, file, status, text[max(0, at-60):min(len(text), at+20)])
				}
			}
			if status == statusInternal {
				t.Errorf("%s %q: %s", command, file, &errs)
			}
		}
	}
}
