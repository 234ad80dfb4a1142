package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// serverPayload is the largest message of the embedded server, in bytes.
const serverPayload = 4 << 20

// serve starts an embedded server that keeps its files in dir. It returns its URL, with a
// token, and writes it to the file url there. Clients need the token to connect.
func serve(dir, listen string) (*server.Server, string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	if err := lock(filepath.Join(dir, "lock")); err != nil {
		return nil, "", fmt.Errorf("%s is in use: %w", dir, err)
	}
	probe, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, "", err
	}
	at := probe.Addr().(*net.TCPAddr)
	if err := probe.Close(); err != nil {
		return nil, "", err
	}
	token, err := readToken(filepath.Join(dir, "token"))
	if err != nil {
		return nil, "", err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "leadline", Host: at.IP.String(), Port: at.Port, Authorization: token, MaxPayload: serverPayload,
		JetStream: true, StoreDir: dir, NoSigs: true,
	})
	if err != nil {
		return nil, "", fmt.Errorf("starting the server: %w", err)
	}
	log := &serverLog{}
	s.SetLoggerV2(log, false, false, false)
	s.Start()
	if log.fatal == nil && !s.ReadyForConnections(time.Minute) {
		log.fatal = errors.New("it does not accept connections")
	}
	if log.fatal != nil {
		s.Shutdown()
		return nil, "", fmt.Errorf("starting the server: %w", log.fatal)
	}
	url := strings.Replace(s.ClientURL(), "://", "://"+token+"@", 1)
	return s, url, os.WriteFile(filepath.Join(dir, "url"), []byte(url+"\n"), 0o600)
}

// readToken returns the token in a file, which it creates.
func readToken(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !os.IsNotExist(err) {
		return "", err
	}
	token := rand.Text()
	return token, os.WriteFile(name, []byte(token+"\n"), 0o600)
}

// A serverLog keeps the reason why a server does not start.
type serverLog struct{ fatal error }

func (l *serverLog) Fatalf(format string, v ...any) {
	if l.fatal == nil {
		l.fatal = fmt.Errorf(format, v...)
	}
}
func (*serverLog) Errorf(string, ...any)  {}
func (*serverLog) Warnf(string, ...any)   {}
func (*serverLog) Noticef(string, ...any) {}
func (*serverLog) Debugf(string, ...any)  {}
func (*serverLog) Tracef(string, ...any)  {}
