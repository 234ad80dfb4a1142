package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/leadline/leadline/replay/batch"
)

// natsServer starts a server that is not embedded.
func natsServer(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.JetStream, o.NoLog, o.NoSigs = "127.0.0.1", true, true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s
}

// TestServer: nobody connects without the token.
func TestServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, fail := context.WithCancelCause(t.Context())
	s, err := serve(ctx, fail, dir, anyPort)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	url := "@" + filepath.Join(dir, "url")
	for _, c := range []struct {
		url  string
		want bool
	}{{url, true}, {"nats://" + s.Addr().String(), false}, {"nats://wrong@" + s.Addr().String(), false}} {
		q, err := connect(c.url)
		if (err == nil) != c.want {
			t.Errorf("%s: %v", c.url, err)
		}
		if err == nil {
			q.nc.Close()
		}
	}
	if _, messages, status := runProgram(t, nil, "worker", "--url", "nats://wrong@"+s.Addr().String()); status != batch.ExitBad ||
		!strings.Contains(messages, "connecting to NATS: ") {
		t.Errorf("a worker with a wrong token: status %d; %s", status, messages)
	}
	name := filepath.Join(dir, "url")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	before := readToken(name)
	if again := readToken(name); again != before || len(before) < 20 {
		t.Errorf("%q and %q", before, again)
	}
	if err := os.WriteFile(name, []byte("nats://@127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token := readToken(name); len(token) < 20 {
		t.Errorf("the token of a file that was cut is %q", token)
	}
}

// TestServerGone: a coordinator ends when its server is gone, with status 3, and a worker waits
// for it. The same command goes on with what the server has.
func TestServerGone(t *testing.T) {
	dir, store, log := write(t, map[string]string{"a.jsonl": many(40)}), t.TempDir(), filepath.Join(t.TempDir(), "log")
	s := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: store})
	at, env := s.Addr().(*net.TCPAddr), []string{slowVariable + "=50ms", logVariable + "=" + log, soonVariable + "=1s"}
	args := []string{"check", "--shards", "40", "--url", s.ClientURL(), dir}
	worker, _, _ := program(t, env, "worker", "--url", s.ClientURL())
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = worker.Process.Kill() // it waits for other shards
		_ = worker.Wait()         // by a signal
	}()
	cmd, out, messages := program(t, env, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(logged(t, log)) < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	s.Shutdown()
	s.WaitForShutdown()
	_ = cmd.Wait() // the status is looked at
	if status := cmd.ProcessState.ExitCode(); status != batch.ExitUnknown || out.Len() > 0 || !strings.Contains(messages.String(), "leadline-cluster check: the queue: ") {
		t.Errorf("status %d; %s", status, messages)
	}
	natsServer(t, server.Options{Port: at.Port, StoreDir: store})
	got, again, status := runProgram(t, env, args...)
	want, wanted := expected(t, dir)
	if status != wanted {
		t.Errorf("status %d; %s", status, again)
	}
	compare(t, got, want)
	if first := logged(t, log)["h0"]; first != 1 {
		t.Errorf("a history whose result was stored was checked %d times", first)
	}
}

// TestTLS: a server of NATS with TLS and a password is used.
func TestTLS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SSL_CERT_FILE is not read")
	}
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
	s := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: t.TempDir(), Username: "someone", Password: "secret", TLSTimeout: 60,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}})
	url := "tls://someone:secret@" + s.Addr().String()
	file, trusted := filepath.Join(dir, "a.jsonl"), []string{"SSL_CERT_FILE=" + filepath.Join(dir, "ca.pem")}
	got, messages, status := runProgram(t, trusted, "check", "--url", url, "--workers", "1", file)
	if status != batch.ExitOK {
		t.Errorf("status %d; %s", status, messages)
	}
	want, _ := expected(t, file)
	compare(t, got, want)
	for _, c := range []struct {
		env []string
		url string
	}{{nil, url}, {trusted, strings.Replace(url, "secret", "wrong", 1)}} {
		_, messages, status := runProgram(t, c.env, "check", "--url", c.url, file)
		if status != batch.ExitBad || !strings.Contains(messages, "connecting to NATS") {
			t.Errorf("%s: status %d; %s", c.url, status, messages)
		}
	}
}

// TestOtherInput: shards of different inputs are not merged, nor is a shard whose lines are
// missing.
func TestOtherInput(t *testing.T) {
	for _, c := range []struct {
		second shardResult
		want   string
	}{{shardResult{Entries: 2, Input: 1}, "read different inputs"},
		{shardResult{Entries: 1, Input: 2}, "read different inputs"},
		{shardResult{Entries: 1, Input: 1}, "EOF"}} {
		var out bytes.Buffer
		k := coordinator{job: job{Shards: 2}, scratch: write(t, map[string]string{"0": "", "1": ""}), out: &out, stderr: io.Discard,
			results: []*shardResult{{Entries: 1, Input: 1}, &c.second}}
		if _, err := k.merge(); err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%+v: %v; %q", c.second, err, &out)
		}
	}
}

func TestUsage(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 1, false), "bad.map": "process"})
	for _, c := range []struct{ args, want string }{
		{"", "no command is given; see leadline-cluster --help"},
		{"chek", `unknown command "chek"`},
		{"check", "no file or directory given"},
		{"check --nothing x", "unknown flag: --nothing"},
		{"check --workers -1 x", "--workers must be 0 to 1024"},
		{"check --shards 0 x", "--shards must be 1 to 512"},
		{"check -", "standard input can be read once"},
		{"check --memory 1 x", "--memory must be at least 1MiB"},
		{"check --order none x", `"--order" flag: want realtime, program`},
		{"check --model nothing x", "nothing"},
		{"check --format nothing x", `unknown format "nothing"`},
		{"check --map @" + dir + "/none x", "reading the mapping"},
		{"check --map @" + dir + "/bad.map x", `"process" is not NAME=EXPRESSION`},
		{"check --max-depth 0 x", "--max-depth must be at least 1"},
		{"check --timeout -1s x", "--timeout must not be negative"},
		{"check --store s --url nats://127.0.0.1:1 x", "--store and --listen are for the embedded server"},
		{"check --url nats://127.0.0.1:1:1 x", "connecting to NATS"},
		{"check --url @" + dir + "/none x", "no such file"},
		{"check --listen nowhere x", "nowhere"},
		{"check --store " + dir + "/a.jsonl x", "not a directory"},
		{"worker", "no --url given"},
		{"worker x", "takes no arguments"},
		{"version x", `unknown command "x"`},
		{"worker --jobs 0", "--jobs must be 1 to 1024"},
	} {
		var out, messages bytes.Buffer
		if status := run(strings.Fields(c.args), strings.NewReader(""), &out, &messages); status != batch.ExitBad {
			t.Errorf("%s: status %d", c.args, status)
		}
		if all := out.String() + messages.String(); !strings.Contains(all, c.want) {
			t.Errorf("%s: %q, want %q", c.args, all, c.want)
		}
	}
	for _, args := range []string{"help", "check --help", "worker --help", "version", "--version"} {
		var out, messages bytes.Buffer
		if status := run(strings.Fields(args), nil, &out, &messages); status != batch.ExitOK || !strings.Contains(out.String(), "leadline-cluster") || messages.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q", args, status, &out, &messages)
		}
	}
}
