package corpora_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
)

// TestManifest compares the files with the sums of MANIFEST, both ways.
func TestManifest(t *testing.T) {
	manifest, err := corpora.FS.ReadFile("MANIFEST")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(manifest)); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			sum, name, ok := strings.Cut(line, "  ")
			if !ok {
				t.Fatalf("not a line of sums: %q", line)
			}
			sums[name] = sum
		}
	}
	err = fs.WalkDir(corpora.FS, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == "MANIFEST" {
			return err
		}
		content, err := corpora.FS.ReadFile(path)
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != sums[path] {
			t.Errorf("%s has the sum %s, MANIFEST says %q", path, got, sums[path])
		}
		delete(sums, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range sums {
		t.Errorf("MANIFEST names %s, which is not there", name)
	}
}
