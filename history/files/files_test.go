package files

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/leadline/leadline/history"
)

func TestCompress(t *testing.T) {
	text := []byte(`{"leadline":1}` + "\n" + strings.Repeat("# nothing\n", 1000))
	for name, magic := range map[string]string{"a.gz": "\x1f\x8b", "a.zst": "\x28\xb5\x2f\xfd", "a.jsonl": "{", "gz": "{"} {
		var b bytes.Buffer
		w, err := Compress(&b, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), magic) {
			t.Errorf("%s begins with %q", name, b.Bytes()[:4])
		}
		in, err := Open(context.Background(), &b, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(in)
		if err != nil || !bytes.Equal(back, text) {
			t.Errorf("%s: %d bytes come back, %v", name, len(back), err)
		}
		in.Close()
	}
}

// archives returns a directory with a file, and the same files in a tar and a zip archive.
func archives(t *testing.T) fstest.MapFS {
	t.Helper()
	var tarred, zipped bytes.Buffer
	tw, zw := tar.NewWriter(&tarred), zip.NewWriter(&zipped)
	for _, name := range []string{"one", "sub/two", "skip"} {
		if err := tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(name)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(tw, name)
		w, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, name)
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"dir/one": {Data: []byte("one")}, "dir/skip": {Data: []byte("skip")}, "dir/sub/two": {Data: []byte("sub/two")},
		"a.tar": {Data: tarred.Bytes()}, "a.zip": {Data: zipped.Bytes()}, "skip": {Data: []byte("skip")},
	}
}

// TestWalk: each place yields its files, with their content, without those that Look refuses.
func TestWalk(t *testing.T) {
	fsys := archives(t)
	look := func(f Found) error {
		if !strings.HasSuffix(f.Name, "skip") || f.Argument {
			return nil
		}
		return ErrSkip
	}
	for path, want := range map[string][]string{
		"dir": {"one", "sub/two"}, "a.tar": {"one", "sub/two"}, "a.zip": {"one", "sub/two"},
		"a.tar/sub": {"sub/two"}, "a.zip/one": {"one"}, "skip": {"skip"},
		"dir/skip/x": {"the file above it is not an archive"}, "none": {"file does not exist"}, "a.zip/skip": {"the archive holds no histories"},
	} {
		var got []string
		for f, err := range Walk([]string{path}, Options{FS: fsys, Look: look}) {
			if e := (*history.Error)(nil); errors.As(err, &e) {
				got = append(got, e.Msg)
				continue
			}
			in, err := f.Input()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(in)
			if in.Close(); err != nil || !strings.HasSuffix(f.Name, string(text)) {
				t.Errorf("%s: %s has %q, %v", path, f.Name, text, err)
			}
			got = append(got, string(text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
