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
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
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

// TestServer: two servers do not share a directory, and nobody connects without the
// token.
func TestServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, url, err := serve(dir, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	if _, _, err := serve(dir, "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("a second server: %v", err)
	}
	for _, c := range []struct {
		url  string
		want bool
	}{{url, true}, {"nats://" + s.Addr().String(), false}, {"nats://wrong@" + s.Addr().String(), false}} {
		connection := connection{url: c.url}
		q, err := connection.connect()
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
	for _, name := range []string{"url", "token"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestServerGone: a coordinator ends when its server does not come back, with status 3.
// The same command goes on with what the server has.
func TestServerGone(t *testing.T) {
	dir, store, log := write(t, map[string]string{"a.jsonl": many(40)}), t.TempDir(), filepath.Join(t.TempDir(), "log")
	s := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: store})
	args := []string{"check", "--workers", "1", "--shards", "40", "--ack-wait", "1s", "--patience", "2s", dir, "--url"}
	cmd, out, messages := program(t, []string{slowVariable + "=50ms", logVariable + "=" + log}, append(args, s.ClientURL())...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(logged(t, log)) < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	s.Shutdown()
	s.WaitForShutdown()
	_ = cmd.Wait() // the status is looked at
	if status := cmd.ProcessState.ExitCode(); status != batch.ExitUnknown || out.Len() > 0 || strings.Count(messages.String(), "is out of reach: ") != 1 ||
		!strings.Contains(messages.String(), "the queue was out of reach for 2s: ") {
		t.Errorf("status %d; %s", status, messages)
	}
	s = natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: store})
	got, again, status := runProgram(t, []string{logVariable + "=" + log}, append(args, s.ClientURL())...)
	want, wanted := expected(t, dir)
	if status != wanted {
		t.Errorf("status %d; %s", status, again)
	}
	compare(t, got, want)
	if first := logged(t, log)["h0"]; first != 1 {
		t.Errorf("a history whose result was stored was checked %d times", first)
	}
}

// TestServerAbsent: a coordinator waits for a server that is not there yet. It ends with
// status 3 if that does not come.
func TestServerAbsent(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 1, false)})
	var out, messages bytes.Buffer
	status := run([]string{"check", "--url", "nats://127.0.0.1:1", "--patience", "100ms", dir}, nil, &out, &messages)
	if text := messages.String(); status != batch.ExitUnknown || out.Len() > 0 || strings.Count(text, "the queue is out of reach: ") != 1 ||
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
	natsServer(t, server.Options{Port: at.Port, StoreDir: t.TempDir()})
	if line, err := lines.ReadString('\n'); err != nil || line != "leadline-cluster: the queue is back\n" {
		t.Errorf("%q, %v", line, err)
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	want, _ := expected(t, dir)
	compare(t, stdout.String(), want)
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
	s := natsServer(t, server.Options{Port: server.RANDOM_PORT, StoreDir: t.TempDir(), Username: "someone", Password: "secret", TLSTimeout: 60,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}})
	url := "tls://someone:secret@" + s.Addr().String()
	file := filepath.Join(dir, "a.jsonl")
	got, messages, status := runProgram(t, nil, "check", "--url", url, "--tlsca", filepath.Join(dir, "ca.pem"), "--workers", "1", file)
	if status != batch.ExitOK {
		t.Errorf("status %d; %s", status, messages)
	}
	want, _ := expected(t, file)
	compare(t, got, want)
	for _, bad := range [][]string{
		{"--url", url}, {"--url", strings.Replace(url, "secret", "wrong", 1), "--tlsca", filepath.Join(dir, "ca.pem")},
	} {
		_, messages, status := runProgram(t, nil, append([]string{"check", file}, bad...)...)
		if status != batch.ExitBad || !strings.Contains(messages, "connecting to NATS") {
			t.Errorf("%v: status %d; %s", bad, status, messages)
		}
	}
}

// TestOtherInput: shards of different inputs are not merged, nor is a shard whose lines are
// missing.
func TestOtherInput(t *testing.T) {
	for _, c := range []struct {
		second shardResult
		want   string
	}{{shardResult{Entries: 2, Names: 1}, "the workers read different inputs"},
		{shardResult{Entries: 1, Names: 2}, "the workers read different inputs"},
		{shardResult{Entries: 1, Names: 1}, "EOF"}} {
		var files []*os.File
		for i, r := range []shardResult{{Entries: 1, Names: 1}, c.second} {
			name := filepath.Join(t.TempDir(), strconv.Itoa(i))
			if err := writeResult(name, &r); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files = append(files, f)
		}
		var out bytes.Buffer
		coordinator := coordinator{job: job{Shards: 2}, s: streams{nil, &out, io.Discard}}
		if _, err := coordinator.merge(files); err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%+v: %v; %q", c.second, err, &out)
		}
	}
}

// writeResult writes the result of a shard without lines.
func writeResult(name string, r *shardResult) error {
	text := `{"Entries":` + strconv.Itoa(r.Entries) + `,"Names":` + strconv.Itoa(int(r.Names)) + "}\n"
	return os.WriteFile(name, []byte(text), 0o600)
}

func TestUsage(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": history("a", 1, false), "bad.map": "process"})
	for _, c := range []struct{ args, want string }{
		{"", "Commands:"},
		{"chek", `no command "chek"`},
		{"check", "no file or directory given"},
		{"check --nothing x", "unknown flag: --nothing"},
		{"check --workers -1 x", "--workers must be 0 to 1024"},
		{"check --shards 0 x", "--shards must be 1 to 512"},
		{"check -", "standard input can be read once"},
		{"check --ack-wait 1ms x", "--ack-wait and --patience must be at least 100ms"},
		{"check --tries 0 x", "--tries must be at least 1"},
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
		{"check --creds " + dir + "/none x", "no such file"},
		{"check --listen nowhere x", "nowhere"},
		{"check --store " + dir + "/a.jsonl x", "not a directory"},
		{"worker", "no --url given"},
		{"worker x", "takes no arguments"},
		{"version x", "takes no arguments"},
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

// TestSlowRequest: a request that fails after longer than patience is tried again.
func TestSlowRequest(t *testing.T) {
	var messages bytes.Buffer
	c := &coordinator{patience: 100 * time.Millisecond, s: streams{err: &messages}}
	tries := 0
	err := c.persist(t.Context(), func() error {
		if tries++; tries > 1 {
			return nil
		}
		time.Sleep(2 * c.patience)
		return context.DeadlineExceeded
	})
	if err != nil || tries != 2 || !strings.Contains(messages.String(), "the queue is back") {
		t.Errorf("%d tries, %v; %s", tries, err, &messages)
	}
}
