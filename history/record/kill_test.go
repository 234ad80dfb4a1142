package record_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/record"
)

// childFile names the file to which the test binary, run as a child, records
// until it is killed.
const (
	childFile = "LEADLINE_RECORD_TO"
	childMode = "LEADLINE_RECORD_MODE"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(childFile); file != "" {
		fmt.Fprintln(os.Stderr, recordForEver(file))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func recordForEver(file string) error {
	o := options()
	if _, err := fmt.Sscan(os.Getenv(childMode), &o.Order, &o.Compress); err != nil {
		return err
	}
	o.FlushEvery, o.Buffer = 2*time.Millisecond, 64
	w := os.Stdout
	if file != "-" {
		var err error
		if w, err = os.Create(file); err != nil {
			return err
		}
	}
	r, err := record.New(w, o)
	if err != nil {
		return err
	}
	s := newStore(false)
	for number := range 2 {
		p := r.Process()
		go func() {
			random := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(number)))
			for turn := 0; ; turn++ {
				s.use(p, random, number+2*turn, 8)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
	idle := r.Process()
	idle.CallInts("get", 1) // and never returns
	_ = r.Process()
	for {
		if err := r.Err(); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func child(t *testing.T, file string, order record.Order, compress record.Compression) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+file, fmt.Sprintf("%s=%d %d", childMode, order, compress))
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKill kills recording programs at random moments. The file has the history
// up to some moment.
func TestKill(t *testing.T) {
	random := newRandom(t)
	for _, order := range []record.Order{record.Stamps, record.ProgramOrder} {
		for _, compress := range []record.Compression{record.None, record.Zstd, record.Gzip} {
			for range 3 {
				file := filepath.Join(t.TempDir(), "recorded")
				cmd := child(t, file, order, compress)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for {
					if info, err := os.Stat(file); err == nil && info.Size() > 0 {
						break
					}
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				checkRest(t, content, order)
			}
		}
	}
}

// checkRest checks the file of a program that was killed, or whose last write
// was torn.
func checkRest(t *testing.T, content []byte, order record.Order) {
	t.Helper()
	text := expand(t, content)
	if order == record.ProgramOrder {
		text = upTo(text, " is complete\n")
	}
	if !strings.Contains(upTo(text, "\n"), `"type"`) {
		t.Log("nothing was flushed")
		return
	}
	if order == record.Stamps { // all events up to some stamp, and no more
		at := 0
		for line := range strings.Lines(text) {
			if line[len(line)-1] == '\n' && strings.Contains(line, `"type"`) {
				if !strings.Contains(line, fmt.Sprintf(`"at":%d,`, at)) {
					t.Fatalf("event %d is %s", at, line)
				}
				at++
			}
		}
	}
	for h := range codec.Decode(bytes.NewReader(content), "rest", codec.Options{}) {
		if last := text[strings.LastIndex(text, "\n")+1:]; h != nil && last != "" && last[0] == '{' && !json.Valid([]byte(last)) {
			t.Error("a file that is cut and ordered by stamps is read as a history")
		}
	}
	histories := 0
	for h, err := range codec.Decode(strings.NewReader(upTo(text, "\n")), "rest", codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		histories++
		if !accepts(t, h, order) {
			t.Errorf("not linearizable: %d operations, %d pending", len(h.Ops), h.Pending())
		}
		t.Logf("%d operations, %d pending", len(h.Ops), h.Pending())
	}
	if histories != 1 {
		t.Errorf("%d histories", histories)
	}
}

// upTo returns text up to the last occurrence of end, or "" if there is none.
func upTo(text, end string) string {
	i := strings.LastIndex(text, end)
	if i < 0 {
		return ""
	}
	return text[:i+len(end)]
}

// expand decompresses as much as possible.
func expand(t *testing.T, content []byte) string {
	t.Helper()
	var r io.Reader = bytes.NewReader(content)
	switch {
	case bytes.HasPrefix(content, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return ""
		}
		r = z
	case bytes.HasPrefix(content, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	text, err := io.ReadAll(r)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	return string(text)
}

// TestTorn cuts recordings anywhere, like a kill in the middle of a write.
func TestTorn(t *testing.T) {
	random := newRandom(t)
	for _, order := range []record.Order{record.Stamps, record.ProgramOrder} {
		for _, compress := range []record.Compression{record.None, record.Zstd, record.Gzip} {
			o := options()
			o.Order, o.Compress, o.Buffer, o.FlushEvery = order, compress, 32, time.Millisecond
			var b bytes.Buffer
			r, err := record.New(&b, o)
			if err != nil {
				t.Fatal(err)
			}
			s := newStore(false)
			for range 5 {
				useBy(s, 3, 20, random, r.Process)
				if err := r.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				content := b.Bytes()[:random.IntN(b.Len()+1)]
				checkRest(t, content, order)
			}
		}
	}
}

// TestPipe reads from a program that keeps recording, and then kills it.
func TestPipe(t *testing.T) {
	for _, compress := range []record.Compression{record.None, record.Zstd, record.Gzip} {
		cmd := child(t, "-", record.Stamps, compress)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		whole := io.TeeReader(out, &content)
		lines := 0
		for in := bufio.NewScanner(decompressed(t, whole)); lines < 500 && in.Scan(); lines++ {
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, whole); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if lines != 500 {
			t.Fatalf("read %d lines", lines)
		}
		checkRest(t, content.Bytes(), record.Stamps)
	}
}

// decompressed decompresses a stream whose beginning is available.
func decompressed(t *testing.T, r io.Reader) io.Reader {
	t.Helper()
	in := bufio.NewReader(r)
	magic, err := in.Peek(2)
	if err != nil {
		t.Fatal(err)
	}
	switch string(magic) {
	case "\x1f\x8b":
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		return z
	case "\x28\xb5":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	return in
}
