// Package net has a stand-in for net.Pipe, which instrumented code calls instead. Other functions of net reach
// the world outside.
//
//	client, server := net.Pipe()
package net

import (
	"io"
	"net"
	"os"

	pipe "github.com/leadline/leadline/history/explore/shim/io"
	"github.com/leadline/leadline/history/explore/shim/time"
)

// A conn is one end of a pipe.
type conn struct {
	in, out     *pipe.Half
	read, write deadline
}

// Pipe returns the two ends of a connection.
func Pipe() (net.Conn, net.Conn) {
	a, b := pipe.NewHalf(), pipe.NewHalf()
	return &conn{in: a, out: b}, &conn{in: b, out: a}
}

// Pick returns the second function, and keeps an import of the first one in use.
func Pick(_, f func() (net.Conn, net.Conn)) func() (net.Conn, net.Conn) { return f }

// A deadline ends reads or writes. The lock of the Half guards it.
type deadline struct {
	passed bool
	timer  *time.Timer
}

func (d *deadline) late() error {
	if d.passed {
		return os.ErrDeadlineExceeded
	}
	return nil
}

func (d *deadline) set(h *pipe.Half, at time.Time) {
	h.Change(func() {
		if d.timer != nil {
			d.timer.Stop()
		}
		d.timer, d.passed = nil, false
		if left := time.Until(at); !at.IsZero() && left <= 0 {
			d.passed = true
		} else if !at.IsZero() {
			var own *time.Timer
			own = time.AfterFunc(left, func() { h.Change(func() { d.passed = d.passed || d.timer == own }) })
			d.timer = own
		}
	})
}

func fault(op string, err error) error {
	if err != nil && err != io.EOF && err != io.ErrClosedPipe {
		err = &net.OpError{Op: op, Net: "pipe", Err: err}
	}
	return err
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.in.Read(b, c.read.late)
	return n, fault("read", err)
}

func (c *conn) Write(b []byte) (int, error) {
	n, err := c.out.Write(b, c.write.late)
	return n, fault("write", err)
}

func (c *conn) Close() error {
	c.in.CloseRead(io.ErrClosedPipe)
	c.out.CloseWrite(io.EOF)
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	c.read.set(c.in, t)
	c.write.set(c.out, t)
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.read.set(c.in, t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.write.set(c.out, t)
	return nil
}

type addr struct{}

func (addr) Network() string { return "pipe" }
func (addr) String() string  { return "pipe" }

func (c *conn) LocalAddr() net.Addr  { return addr{} }
func (c *conn) RemoteAddr() net.Addr { return addr{} }
