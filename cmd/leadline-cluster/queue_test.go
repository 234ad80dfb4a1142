package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// testQueue returns a queue on a server of its own, and the directory of that.
func testQueue(t *testing.T) (*queue, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	server, url, err := serve(dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Shutdown(); server.WaitForShutdown() })
	q, err := connect(checkKind, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.nc.Close)
	if err := q.create(t.Context(), storage{replicas: 1, keep: time.Hour, ackWait: 500 * time.Millisecond, tries: 2}); err != nil {
		t.Fatal(err)
	}
	return q, dir
}

// TestServer: two servers do not share a directory, and nobody connects without the
// token.
func TestServer(t *testing.T) {
	q, dir := testQueue(t)
	if _, _, err := serve(dir, "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("a second server: %v", err)
	}
	if _, err := connect(checkKind, "nats://"+q.nc.ConnectedAddr()); err == nil {
		t.Error("connected without the token")
	}
	w, err := connect(checkKind, "nats://wrong@"+q.nc.ConnectedAddr(), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.find(t.Context()); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("a worker with a wrong token: %v", err)
	}
	for _, name := range []string{"url", "token"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestSpool: no copy of a large file is left after an interrupt, or after the next start
// of a server whose coordinator was killed.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	spool := filepath.Join(dir, spoolName)
	if err := os.MkdirAll(spool, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(spool, "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server, _, err := serve(dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.WaitForShutdown()
	defer server.Shutdown()
	r := newReader(settings{}, 8)
	r.spool = spool
	f, err := r.content(strings.NewReader("large"))
	if err != nil || filepath.Dir(f.spool) != spool {
		t.Fatalf("a large file is in %q, %v", f.spool, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = (&coordinator{}).each(ctx, func(yield func(*part) bool) { yield(&part{task: &task{Files: []file{f}}}) }, nil)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(spool); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestFirstResult: the first result of a task stays, also if it is large.
func TestFirstResult(t *testing.T) {
	q, _ := testQueue(t)
	if r, err := q.result(t.Context(), "none"); r != nil || err != nil {
		t.Errorf("a result that is not there: %v, %v", r, err)
	}
	for _, message := range []string{"small", strings.Repeat("large", serverPayload/4)} {
		key := message[:5]
		first, second := fault(1, errors.New("first "+message)), fault(1, errors.New("second "+message))
		for _, r := range []*result{first, second} {
			if err := q.storeResult(t.Context(), key, r); err != nil {
				t.Fatal(err)
			}
		}
		r, err := q.result(t.Context(), key)
		if err != nil || !bytes.Equal(r.lines, first.lines) {
			t.Errorf("%s: %v, %d bytes, want %d", key, err, len(r.lines), len(first.lines))
		}
	}
}

// TestLost: a task whose last delivery has ended, or that somebody has removed, is
// found and published again, and given up in the end.
func TestLost(t *testing.T) {
	q, _ := testQueue(t)
	c := &coordinator{queue: q, tries: 2, keep: time.Hour}
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	one := &task{Files: []file{{data: []byte("x")}}}
	type answer struct {
		r   *result
		err error
	}
	answers := make(chan answer)
	go func() {
		r, err := c.obtain(t.Context(), one.key(), one)
		answers <- answer{r, err}
	}()
	published := 0
	for {
		select {
		case a := <-answers:
			if a.err != nil || a.r.Files[0].Entries[0].Status != batch.Internal || published != 3 {
				t.Errorf("%v, %v after %d times", a.r, a.err, published)
			}
			if r, err := q.result(t.Context(), one.key()); r == nil || err != nil {
				t.Errorf("the result is not stored: %v", err)
			}
			return
		default:
		}
		info, err := q.tasks.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if info.State.Msgs > 0 {
			published++
			if err := q.dropTask(t.Context(), one.key()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestSplitResult: the coordinator joins the results of a task that was divided, now and
// when it reads them again.
func TestSplitResult(t *testing.T) {
	q, _ := testQueue(t)
	c := &coordinator{queue: q, tries: 2, keep: time.Hour}
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := &task{}
	for _, text := range []string{history("a", 1, false), history("b", 2, true), history("c", 3, false)} {
		all.Files = append(all.Files, file{data: []byte(text), sum: [32]byte{byte(len(text))}})
	}
	ctx, stop := context.WithCancel(t.Context())
	w := newWorker(q, 1, "", io.Discard)
	if err := w.do(ctx, all.key(), all.encode(), 2, 2); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- w.run(ctx) }()
	defer func() { stop(); <-ended }()
	joined, err := c.whole(t.Context(), all.key(), all)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := c.stored(t.Context(), all.key())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := w.checkFiles(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*result{joined, stored} {
		if !bytes.Equal(r.lines, whole.lines) || len(r.Files) != 3 {
			t.Errorf("%d files:\n%s\nwant\n%s", len(r.Files), r.lines, whole.lines)
		}
	}
}

// TestObjects: a bucket is a file system, and its histories are checked.
func TestObjects(t *testing.T) {
	q, dir := testQueue(t)
	store, err := q.js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "logs"})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"a.jsonl": history("a", 2, true), "run/1/b.jsonl": history("b", 1, false), "run/c.jsonl": history("c", 3000, false)}
	for name, text := range files {
		if _, err := store.PutString(t.Context(), name, text); err != nil {
			t.Fatal(err)
		}
	}
	root, err := fs.Sub(newObjectFS(t.Context(), q.js), "logs")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(root, "a.jsonl", "run/1/b.jsonl", "run/c.jsonl"); err != nil {
		t.Error(err)
	}
	local := write(t, files)
	want := strings.ReplaceAll(expected(t, local), local, "bucket:logs")
	url := "@" + filepath.Join(dir, "url")
	got, messages, status := runProgram(t, nil, "check", "--url", url, "--workers", "1", "bucket:logs")
	if status != statusNot {
		t.Errorf("status %d; %s", status, messages)
	}
	compare(t, got, want)
	if _, err := store.PutString(t.Context(), "run", ""); err != nil {
		t.Fatal(err)
	}
	_, messages, status = runProgram(t, nil, "check", "--url", url, "bucket:logs")
	if status != statusBad || strings.Contains(messages, "panic") {
		t.Errorf("status %d; %s", status, messages)
	}
	for _, name := range []string{"../x", "/x", "a.jsonl/x"} {
		b := &bucket{store, map[string]*node{".": {name: "logs"}}}
		err := b.add(&jetstream.ObjectInfo{ObjectMeta: jetstream.ObjectMeta{Name: "a.jsonl"}})
		if err == nil {
			err = b.add(&jetstream.ObjectInfo{ObjectMeta: jetstream.ObjectMeta{Name: name}})
		}
		if err == nil {
			t.Errorf("the object %q has a place", name)
		}
	}
}

// TestCutMessages: a message that was cut or changed is an error.
func TestCutMessages(t *testing.T) {
	one := &task{Settings: settings{Model: "queue"}, Files: []file{{data: []byte("abc")}, {data: []byte("defg")}}}
	message := one.encode()
	back, err := decodeTask(message)
	if err != nil || back.Settings.Model != "queue" || string(back.Files[1].data) != "defg" {
		t.Fatalf("%v, %v", back, err)
	}
	r := fault(2, errors.New("some"))
	results := r.encode()
	for n := range message {
		if _, err := decodeTask(message[:n]); err == nil {
			t.Errorf("a task of %d of %d bytes is read", n, len(message))
		}
	}
	for n := range results {
		if _, err := decodeResult(results[:n]); err == nil {
			t.Errorf("a result of %d of %d bytes is read", n, len(results))
		}
	}
	for _, header := range []any{
		task{Files: []file{{Size: -1}}}, task{Files: []file{{Size: 1 << 40}}}, task{Files: []file{{Object: "x"}}},
		result{Files: []fileResult{{Entries: []entryResult{{Size: -1}}}}}, result{Files: []fileResult{{Entries: []entryResult{{Size: 9}}}}},
	} {
		var err error
		if _, ok := header.(task); ok {
			_, err = decodeTask(pack(header, []byte("data")))
		} else {
			_, err = decodeResult(pack(header, []byte("data")))
		}
		if err == nil {
			t.Errorf("%+v is read", header)
		}
	}
}

// TestKey: a key depends on the content and all settings.
func TestKey(t *testing.T) {
	seen := map[string]string{}
	add := func(what string, one task) {
		if other, ok := seen[one.key()]; ok {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[one.key()] = what
	}
	files := []file{{sum: [32]byte{1}}, {sum: [32]byte{2}}}
	add("base", task{Files: files})
	add("one file", task{Files: files[:1]})
	add("another order", task{Files: []file{files[1], files[0]}})
	add("arguments", task{Files: files, Stress: []string{"x"}})
	for _, s := range []settings{{Format: "kv"}, {Map: "m"}, {ProgramOrder: true}, {Model: "queue"}, {Times: true},
		{Options: replay.Options{MaxDepth: 1}}, {Options: replay.Options{Budget: replay.Budget{Time: 1}}}, {Explain: true}} {
		add(fmt.Sprintf("%+v", s), task{Settings: s, Files: files})
	}
}

// TestNoWorkers: that nobody works on waiting tasks is said once.
func TestNoWorkers(t *testing.T) {
	var out bytes.Buffer
	c := &coordinator{waiting: map[string][]*waiter{}}
	table := newTable(&out, false, c)
	table.warn()
	c.waiting["x"] = nil
	table.heard(alive{ID: "other"}, false, time.Now())
	table.warn()
	table.warn()
	const want = "leadline-cluster: waiting for workers that run this program; 1 run another version of it\n"
	if out.String() != want {
		t.Errorf("%q", &out)
	}
	table.warned = false
	table.heard(alive{ID: "own"}, true, time.Now())
	if table.warn(); out.String() != want {
		t.Errorf("%q", &out)
	}
}

// TestServerGone: a coordinator ends when its server does not come back, with status 3.
// The same command goes on with what the server has.
func TestServerGone(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("%03d.jsonl", i)] = history("h"+strconv.Itoa(i), 2, false)
	}
	dir, store, log := write(t, files), t.TempDir(), filepath.Join(t.TempDir(), "log")
	start := func() (s *server.Server, args []string) {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: store, NoLog: true, NoSigs: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("the server does not start")
		}
		return s, []string{"check", "--url", s.ClientURL(), "--workers", "1", "--patience", "5s", dir}
	}
	s, args := start()
	cmd, _, messages := program(t, []string{slowVariable + "=50ms", logVariable + "=" + log}, args...)
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, stdout, 1); err != nil {
		t.Fatal(err, messages)
	}
	s.Shutdown()
	s.WaitForShutdown()
	if _, err := io.Copy(io.Discard, stdout); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at
	if status := cmd.ProcessState.ExitCode(); status != statusUnknown || strings.Count(messages.String(), "is out of reach: ") != 1 ||
		!strings.Contains(messages.String(), "the queue was out of reach for 5s: ") {
		t.Errorf("status %d; %s", status, messages)
	}
	s, args = start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	got, again, status := runProgram(t, []string{logVariable + "=" + log}, args...)
	if status != statusOK {
		t.Errorf("status %d; %s", status, again)
	}
	compare(t, got, expected(t, dir))
	if first := logged(t, log)["h0"]; first != 1 {
		t.Errorf("the history whose result was printed was checked %d times", first)
	}
}

// TestServerAbsent: a coordinator waits for a server that is not there yet. It ends with
// status 3 if that does not come.
func TestServerAbsent(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 1, false)})
	var out, messages bytes.Buffer
	status := run([]string{"check", "--url", "nats://127.0.0.1:1", "--patience", "100ms", dir}, nil, &out, &messages)
	if text := messages.String(); status != statusUnknown || out.Len() > 0 || strings.Count(text, "the queue is out of reach: ") != 1 ||
		!strings.Contains(text, "the queue was out of reach for 100ms: connecting to NATS: ") {
		t.Errorf("status %d; %s", status, text)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().(*net.TCPAddr)
	listener.Close()
	cmd, stdout, _ := program(t, nil, "check", "--url", "nats://"+at.String(), "--workers", "1", "--patience", "10m", dir)
	cmd.Stderr = nil
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "the queue is out of reach: ") {
		t.Errorf("%q, %v", line, err)
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: at.Port, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	if line, err := lines.ReadString('\n'); err != nil || line != "leadline-cluster: the queue is back\n" {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	compare(t, stdout.String(), expected(t, dir))
}

// TestTLS: a server of NATS with TLS and a password is used.
func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"ca.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		"a.jsonl": history("a", 2, false)})
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
		NoLog: true, NoSigs: true, Username: "someone", Password: "secret", TLSTimeout: 60,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	url := "tls://someone:secret@" + s.Addr().String()
	file := filepath.Join(dir, "a.jsonl")
	got, messages, status := runProgram(t, nil, "check", "--url", url, "--tlsca", filepath.Join(dir, "ca.pem"), "--workers", "1", file)
	if status != statusOK {
		t.Errorf("status %d; %s", status, messages)
	}
	compare(t, got, expected(t, file))
	for _, bad := range [][]string{
		{"--url", url}, {"--url", strings.Replace(url, "secret", "wrong", 1), "--tlsca", filepath.Join(dir, "ca.pem")},
	} {
		_, messages, status := runProgram(t, nil, append([]string{"check", file}, bad...)...)
		if status != statusBad || !strings.Contains(messages, "connecting to NATS") {
			t.Errorf("%v: status %d; %s", bad, status, messages)
		}
	}
}

// TestTable: the table has each worker, and one that is silent is lost.
func TestTable(t *testing.T) {
	c := &coordinator{waiting: map[string][]*waiter{"x": nil}}
	c.done.Store(7)
	table := newTable(io.Discard, true, c)
	start := time.Now()
	for i, a := range []alive{{ID: "b", Jobs: 2, Busy: 1, Files: 1, Histories: 10}, {ID: "a", Jobs: 1, Histories: 5}, {ID: "b", Jobs: 2, Busy: 2, Files: 3, Histories: 30}} {
		table.heard(a, true, start.Add(time.Duration(i)*time.Second))
	}
	var out bytes.Buffer
	table.write(&out, start.Add(lostAfter+3*time.Second/2))
	const want = `
  worker    busy  files  histories  per second
       a    lost      0          5           0
       b  2 of 2      3         30          10
     all  2 of 2      3         35          10
7 tasks done, 1 waiting
`
	if out.String() != want[1:] {
		t.Errorf("%s", &out)
	}
}
