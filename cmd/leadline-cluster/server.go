package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/leadline/leadline/replay/batch"
)

// serverPayload is the largest message of the embedded server, in bytes.
const serverPayload = 4 << 20

// serve starts an embedded server that keeps its files in dir. Its URL, with a token that
// clients need, is in the file url there. An error of the server cancels the context by fail.
func serve(ctx context.Context, fail context.CancelCauseFunc, dir, listen string) (*server.Server, error) {
	probe, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	address := probe.Addr().(*net.TCPAddr)
	if err := probe.Close(); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "url")
	token := readToken(name)
	s, err := server.NewServer(&server.Options{
		ServerName: "leadline", Host: address.IP.String(), Port: address.Port, Authorization: token, MaxPayload: serverPayload,
		JetStream: true, StoreDir: dir, NoSigs: true,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	failed := func(err error) {
		fail(&statusError{fmt.Errorf("the embedded server: %w", err), batch.ExitBad})
	}
	s.SetLoggerV2(&serverLog{failed}, false, false, false)
	s.Start()
	if ctx.Err() == nil && !s.ReadyForConnections(time.Minute) {
		failed(errors.New("it does not accept connections"))
	}
	if err := context.Cause(ctx); err != nil {
		s.Shutdown()
		return nil, err
	}
	at := strings.Replace(s.ClientURL(), "://", "://"+token+"@", 1)
	return s, os.WriteFile(name, []byte(at+"\n"), 0o600)
}

// readToken returns the token in the URL that an earlier server has left in a file, or a new
// one.
func readToken(name string) string {
	text, _ := os.ReadFile(name) // a file that cannot be read is not written, either
	u, err := url.Parse(strings.TrimSpace(string(text)))
	if token := rand.Text(); err != nil || len(u.User.Username()) != len(token) {
		return token
	}
	return u.User.Username()
}

// A serverLog calls failed when the server does not start, or cannot use its files.
type serverLog struct{ failed func(error) }

func (l *serverLog) Fatalf(format string, v ...any) { l.failed(fmt.Errorf(format, v...)) }

func (l *serverLog) Errorf(_ string, v ...any) {
	for _, v := range v {
		var file *fs.PathError
		if err, ok := v.(error); ok && errors.As(err, &file) {
			l.failed(err)
		}
	}
}

func (*serverLog) Warnf(string, ...any)   {}
func (*serverLog) Noticef(string, ...any) {}
func (*serverLog) Debugf(string, ...any)  {}
func (*serverLog) Tracef(string, ...any)  {}
