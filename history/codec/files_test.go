package codec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files, given as pairs of path and content, to a new directory and returns
// that.
func tree(t *testing.T, files ...string) string {
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	known = "(known are native, violat, jepsen, kv, etcd, polylin, limo, jepsen-json, etcd-report, s2)"
	other = "; other records need a mapping: leadline map FILE prints one to fill in for --map"
)

func TestFiles(t *testing.T) {
	dir := tree(t,
		"b.jsonl", small, "a/z.json", `{"schema":{},"events":[]}`, "a/empty", "", "a/notes.txt", "hello",
		"c.gz", string(gzipped(small)), "c.zst", string(zstdded(small)), "d/labels.jsonl", `{"file":1}`, "broken.gz", "\x1f\x8bxxxxxxxx")
	if err := os.Symlink(filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "link")); err != nil {
		t.Logf("no symbolic links here: %v", err)
		os.WriteFile(filepath.Join(dir, "link"), []byte(small), 0o666)
	}
	rel := func(path string) string {
		r, err := filepath.Rel(dir, path)
		if err != nil {
			return path
		}
		return filepath.ToSlash(r)
	}
	var got []string
	opts := Options{
		Stdin:   strings.NewReader(small),
		Skipped: func(name string, why error) { got = append(got, "skip "+rel(name)+": "+why.Error()) },
	}
	missing, empty := filepath.Join(dir, "missing"), filepath.Join(dir, "d")
	for f, err := range Files([]string{dir, "-", missing, empty, filepath.Join(dir, "a", "notes.txt")}, opts) {
		if err != nil {
			got = append(got, "error "+rel(f.Name)+": "+strings.ReplaceAll(err.Error(), dir, "DIR"))
			continue
		}
		got = append(got, rel(f.Name))
	}
	want := []string{
		"error a/empty: DIR/a/empty: the file is empty", "skip a/notes.txt: no known format " + known + other, "a/z.json", "b.jsonl",
		"error broken.gz: DIR/broken.gz: gzip: invalid header", "c.gz", "c.zst", "skip d/labels.jsonl: no known format " + known + other, "link",
		"-", "error missing: DIR/missing: no such file or directory", "skip d/labels.jsonl: no known format " + known + other,
		"error d: DIR/d: the directory holds no histories", "a/notes.txt",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFileHistories(t *testing.T) {
	dir := tree(t, "good", small, "empty", "", "other", "hello", "none", "{\"leadline\":1}\n")
	for name, want := range map[string]string{
		"good": "", "empty": "DIR/empty: the file is empty", "other": "DIR/other: no known format " + known + other,
		"none": "DIR/none:1: history has no events", "gone": "DIR/gone: no such file or directory",
	} {
		for f, err := range Files([]string{filepath.Join(dir, "good")}, Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			f.Name = filepath.Join(dir, name)
			var got []string
			for h, err := range f.Histories() {
				switch {
				case err != nil:
					got = append(got, strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(dir), "DIR"))
				case h.File != f.Name:
					t.Errorf("%s: file %q", name, h.File)
				}
				if name == "gone" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("error %v is not fs.ErrNotExist", err)
				}
			}
			if strings.Join(got, "; ") != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

// TestFilesLink: a directory may be named by a symbolic link.
func TestFilesLink(t *testing.T) {
	dir := tree(t, "real/b", small, "real/a", small)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "real"), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	var got []string
	for f, err := range Files([]string{link}, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Name)
	}
	if !slices.Equal(got, []string{filepath.Join(link, "a"), filepath.Join(link, "b")}) {
		t.Errorf("got %q", got)
	}
}

// TestFilesStop: the caller may stop at any file. A wrong format is reported before the
// first one.
func TestFilesStop(t *testing.T) {
	dir := tree(t, "a", small, "b", small, "c/d", small)
	for stop := 1; stop <= 3; stop++ {
		n := 0
		for range Files([]string{dir, dir}, Options{}) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d files, want %d", n, stop)
		}
	}
	n := 0
	for _, err := range Files([]string{dir, dir}, Options{Format: "edn"}) {
		n++
		if err == nil || err.Error() != fmt.Sprintf("unknown format %q; %s", "edn", strings.Trim(known, "()")) {
			t.Errorf("error %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
}
