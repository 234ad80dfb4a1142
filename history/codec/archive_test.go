package codec

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
)

// A testMember is a member of an archive in a test.
type testMember struct {
	name, content string
	kind          byte // of tar, 0 for a regular file
}

func tarred(t *testing.T, members []testMember) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.content)), Typeflag: m.kind, Linkname: "x"}
		if m.kind == 0 {
			h.Typeflag, h.Linkname = tar.TypeReg, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipped(t *testing.T, members []testMember) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		h.SetMode(0o644)
		switch m.kind {
		case tar.TypeDir:
			h.SetMode(fs.ModeDir | 0o755)
		case tar.TypeSymlink, tar.TypeLink:
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(m.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// list returns what Files yields: names with the number of histories, faults, and
// skipped files.
func list(t *testing.T, dir string, opts Options, paths ...string) []string {
	t.Helper()
	clean := func(text string) string {
		return strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(dir)+"/", "")
	}
	var got []string
	opts.Skipped = func(name string, why error) { got = append(got, "skip "+clean(name)) }
	for f, err := range Files(paths, opts) {
		if err != nil {
			got = append(got, clean(err.Error()))
			continue
		}
		line := clean(f.Name)
		for h, err := range f.Histories() {
			if err != nil {
				line += " " + clean(err.Error())
			} else if h.File != f.Name {
				line += " in " + h.File
			} else {
				line += " " + h.ID
			}
		}
		got = append(got, line)
	}
	return got
}

func sameLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func oneHistory(id string) string { return strings.Replace(small, `"h"`, `"`+id+`"`, 1) }

// TestArchives: tar, compressed or not, and zip are read in place like directories,
// from files, from an fs.FS and, but for zip, from standard input.
func TestArchives(t *testing.T) {
	members := []testMember{
		{"./runs/", "", tar.TypeDir}, {"./runs/b.jsonl", oneHistory("b"), 0}, {"runs/a.jsonl.gz", string(gzipped(oneHistory("a"))), 0},
		{"../../notes.txt", "hello", 0}, {"empty", "", 0}, {"runs/link", "", tar.TypeSymlink},
		{"inner.tar", tarred(t, []testMember{{"x", small, 0}}), 0}, {"{odd", oneHistory("odd"), 0}, {"packed.xz", "\xfd7zXZ\x00...", 0},
	}
	want := []string{
		"A/runs/b.jsonl b", "A/runs/a.jsonl.gz a", "skip A/notes.txt", "A/empty: the file is empty",
		"A/runs/link: a link in an archive, which is not followed", "A/inner.tar: an archive in an archive; unpack the outer one",
		"A/{odd odd", "A/packed.xz: compressed by xz; only gzip and zstd are read",
	}
	for name, content := range map[string]string{
		"logs.tar": tarred(t, members), "logs.tgz": string(gzipped(tarred(t, members))), "logs": string(zstdded(tarred(t, members))),
		"logs.zip": zipped(t, members),
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, name, content, "z/other.jsonl", oneHistory("z"))
			file := filepath.Join(dir, name)
			named := func(archive string) (lines []string) {
				for _, line := range want {
					lines = append(lines, strings.Replace(line, "A/", archive+"/", 1))
				}
				return lines
			}
			sameLines(t, list(t, dir, Options{}, file), named(name)...)
			sameLines(t, list(t, dir, Options{}, dir), append(named(name), "z/other.jsonl z")...)
			streamed := named("-")
			if name == "logs.zip" { // which has its directory at its end
				streamed = []string{"-: a zip archive that is compressed or comes from a stream; save it as a plain file"}
			}
			sameLines(t, list(t, dir, Options{Stdin: strings.NewReader(content)}, "-"), streamed...)
			fsys := fstest.MapFS{"d/" + name: {Data: []byte(content)}, "d/z": {Data: []byte(oneHistory("z"))}}
			sameLines(t, list(t, "d", Options{FS: fsys}, "d"), append(named(name), "z z")...)
			sameLines(t, list(t, "d", Options{FS: fsys}, "d/"+name+"/runs"), named(name)[0], named(name)[1], named(name)[4])
			sameLines(t, list(t, dir, Options{}, file+"/runs/a.jsonl.gz", file+"/none", filepath.Join(dir, "z/other.jsonl/x")),
				name+"/runs/a.jsonl.gz a", name+"/none: file does not exist", "z/other.jsonl/x: the file above it is not an archive")
			var count atomic.Int64
			list(t, dir, Options{Count: &count}, file)
			if size := int64(len(content)); count.Load() > size || count.Load() < size/2 {
				t.Errorf("%d of %d bytes are counted", count.Load(), size)
			}
		})
	}
}

// TestArchiveFaults: a fault of an archive is an error, and what comes before and after
// it is read.
func TestArchiveFaults(t *testing.T) {
	whole := tarred(t, []testMember{{"a", oneHistory("a"), 0}, {"b", oneHistory("b"), 0}})
	packed := zipped(t, []testMember{{"a", oneHistory("a"), 0}, {"b", oneHistory("b"), 0}})
	locked := strings.Replace(packed, "PK\x01\x02\x14\x03\x14\x00\x08", "PK\x01\x02\x14\x03\x14\x00\x09", 1)
	const ends = "logs: the archive is cut short: its end marker is missing"
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"end marker", whole[:4*512], []string{"logs/a a", "logs/b b", ends}},
		{"header", whole[:3*512-100], []string{"logs/a a", "logs: the archive is cut short: unexpected EOF"}},
		{"member", whole[:512+40], []string{"logs/a logs/a:1: history a has no events logs/a:1: the file is cut short: unexpected EOF", "logs: the archive is cut short: unexpected EOF"}},
		{"compressed", string(gzipped(whole))[:60], []string{"logs logs: the file is cut short: gzip: unexpected EOF"}},
		{"zip", packed[:len(packed)-10], []string{"logs: zip: not a valid zip file"}},
		{"compressed zip", string(zstdded(packed)), []string{"logs: a zip archive that is compressed or comes from a stream; save it as a plain file"}},
		{"no members", zipped(t, nil), []string{"logs: the file is empty: no files in the archive"}},
		{"nothing known", zipped(t, []testMember{{"a", "hello", 0}}), []string{"skip logs/a", "logs: the archive holds no histories"}},
		{"encrypted", locked, []string{"logs/a: zip: the member is encrypted", "logs/b b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, "logs", c.content)
			sameLines(t, list(t, dir, Options{}, filepath.Join(dir, "logs")), c.want...)
		})
	}
}

// TestInput: files and members are read decompressed, and a file that is gone is an error.
func TestInput(t *testing.T) {
	packed := string(gzipped(oneHistory("a")))
	dir := tree(t, "a.jsonl.gz", packed, "b.tar", tarred(t, []testMember{{"a.gz", packed, 0}, {"b", oneHistory("b"), 0}}), "c", oneHistory("c"))
	var got []string
	for f, err := range Files([]string{dir}, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		in, err := f.Input()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(content))
	}
	sameLines(t, got, oneHistory("a"), oneHistory("a"), oneHistory("b"), oneHistory("c"))
	for f := range Files([]string{filepath.Join(dir, "c")}, Options{}) {
		if err := os.Remove(f.Name); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Input(); err == nil || err.Error() != f.Name+": no such file or directory" {
			t.Error(err)
		}
	}
}

// TestSkip: files of a directory that are of no known format are skipped; a file that cannot be
// read is an error.
func TestSkip(t *testing.T) {
	dir := tree(t, "a.jsonl", oneHistory("a"), "empty", "", "notes", "hello", "real/b", oneHistory("b"),
		"twice", string(gzipped(string(gzipped(oneHistory("c"))))), "wide", "\xff\xfe{\x00}\x00\n\x00", "wider", "\xff\xfe\x00\x00{\x00\x00\x00", "z.bz2", "BZh91AY&SY")
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	const (
		link  = "link: a link to a directory, which is not followed; name it as an argument"
		empty = "empty: the file is empty"
		twice = "twice: compressed twice; only gzip and zstd are read, once"
		wide  = "wide: text in UTF-16; only UTF-8 is read"
		wider = "wider: text in UTF-32; only UTF-8 is read"
		bzip2 = "z.bz2: compressed by bzip2; only gzip and zstd are read"
	)
	sameLines(t, list(t, dir, Options{}, dir), "a.jsonl a", empty, link, "skip notes", "real/b b", twice, wide, wider, bzip2)
}

// TestClientFiles: a file of one of several clients is a fault, in a directory, as an
// argument and in an archive; other files with such names are read.
func TestClientFiles(t *testing.T) {
	const one = `{"ClientId":1,"Input":{"op":"get","key":"a"},"Call":1,"Output":{"value":"1"},"Return":2}` + "\n"
	const fault = ": it has the operations of one client; those of all clients are one history: "
	alone := filepath.ToSlash(filepath.Join("single", "client-7", "operations.json"))
	dir := tree(t, "r/client-1/operations.json", one, "r/client-12/operations.json", one, alone, one,
		"flat/client1.jsonl", one, "flat/client2.jsonl", one, "own/client-1.jsonl", oneHistory("x"), "own/client-2.jsonl", oneHistory("y"),
		"r.tar", tarred(t, []testMember{{name: "client-1/operations.json", content: one}}))
	p := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, test := range []struct {
		arg  string
		want []string
	}{
		{"r", []string{"r/client-1/operations.json" + fault + "cat r/client*/operations.json", "r/client-12/operations.json" + fault + "cat r/client*/operations.json"}},
		{"r/client-1", []string{"r/client-1/operations.json" + fault + "cat r/client*/operations.json"}},
		{"r/client-12/operations.json", []string{"r/client-12/operations.json" + fault + "cat r/client*/operations.json"}},
		{"flat", []string{"flat/client1.jsonl" + fault + "cat flat/client*.jsonl", "flat/client2.jsonl" + fault + "cat flat/client*.jsonl"}},
		{"single", []string{alone}},
		{"own", []string{"own/client-1.jsonl", "own/client-2.jsonl"}},
		{"r.tar", []string{"r.tar/client-1/operations.json" + fault + "unpack the archive and join its files"}},
	} {
		var got []string
		for f, err := range Files([]string{p(test.arg)}, Options{}) {
			text := f.Name
			if err != nil {
				text = strings.TrimSuffix(err.Error(), " | leadline check -")
			}
			got = append(got, strings.ReplaceAll(filepath.ToSlash(text), filepath.ToSlash(dir)+"/", ""))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.arg, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}
