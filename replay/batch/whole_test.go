package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestWholeFile: a file has its old content until the new one is complete.
func TestWholeFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	content := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
	if err := WriteWhole(name, []byte("one")); err != nil {
		t.Fatal(err)
	}
	content("one")
	write := func() *WholeFile {
		file, err := CreateWhole(name)
		if err == nil {
			_, err = file.WriteString("two")
		}
		if err != nil {
			t.Fatal(err)
		}
		content("one")
		return file
	}
	failed := errors.New("failed")
	if err := write().Finish(failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	content("one")
	if err := write().Finish(nil); err != nil {
		t.Error(err)
	}
	content("two")
	if _, err := os.Stat(PartName(name)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the part is left: %v", err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "f")} {
		if _, err := CreateWhole(bad); err == nil {
			t.Errorf("%s is created", bad)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := WriteWhole(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	if err := WriteWhole(link, []byte("three")); err != nil {
		t.Error(err)
	}
	content("three")
}
