package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/replay/batch"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names in JetStream. Subjects end in the program, the kind of task and its key.
const (
	taskStream, taskSubject     = "LEADLINE_TASKS", "leadline.task"
	resultStream, resultSubject = "LEADLINE_RESULTS", "leadline.result"
	aliveSubject                = "leadline.alive" // workers say what they do
	dataBucket                  = "leadline-data"  // large files and results
)

// The kinds of tasks.
const (
	checkKind  = "check"
	stressKind = "stress"
)

// A connection says how to reach NATS.
type connection struct {
	url                            string // or @FILE
	creds, nkey, ca, cert, certKey string
}

// address returns the URL, which may be in a file. A command line would show the token
// in it to all users of the machine.
func (c *connection) address() (string, error) {
	text, err := flagkind.Text(c.url)
	return strings.TrimSpace(text), err
}

// options returns the options of NATS that the flags ask for.
func (c *connection) options() ([]nats.Option, error) {
	options := []nats.Option{nats.Name("leadline-cluster"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond)}
	if c.creds != "" {
		if _, err := os.Stat(c.creds); err != nil {
			return nil, err
		}
		options = append(options, nats.UserCredentials(c.creds))
	}
	if c.nkey != "" {
		o, err := nats.NkeyOptionFromSeed(c.nkey)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	if c.ca != "" {
		options = append(options, nats.RootCAs(c.ca))
	}
	if (c.cert == "") != (c.certKey == "") {
		return nil, errors.New("--tlscert and --tlskey need each other")
	}
	if c.cert != "" {
		options = append(options, nats.ClientCert(c.cert, c.certKey))
	}
	return options, nil
}

// A queue holds the tasks and their results.
type queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	program string // only workers that run the same one take tasks
	kind    string
	tasks   jetstream.Stream
	results jetstream.Stream
	data    jetstream.ObjectStore
	url     string // of the server, with its token
	spool   string // directory of the embedded server for large files, or ""
}

// connect connects to NATS.
func connect(kind, url string, options ...nats.Option) (*queue, error) {
	program, err := batch.Program()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(program))
	return &queue{nc: nc, js: js, kind: kind, program: hex.EncodeToString(sum[:8])}, nil
}

// A storage says how the server keeps things.
type storage struct {
	replicas int
	keep     time.Duration
	ackWait  time.Duration
	tries    int
}

// create creates the streams and the bucket that the queue needs, unless they exist.
func (q *queue) create(ctx context.Context, s storage) error {
	var err error
	if q.tasks, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: taskStream, Subjects: []string{taskSubject + ".>"}, Retention: jetstream.WorkQueuePolicy,
		Replicas: s.replicas, MaxAge: s.keep, AllowDirect: true,
	}); err != nil {
		return fmt.Errorf("creating the stream of tasks: %w", err)
	}
	if q.results, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: resultStream, Subjects: []string{resultSubject + ".>"},
		Replicas: s.replicas, MaxAge: s.keep, AllowDirect: true,
	}); err != nil {
		return fmt.Errorf("creating the stream of results: %w", err)
	}
	if q.data, err = q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: dataBucket, TTL: s.keep, Replicas: s.replicas,
	}); err != nil {
		return fmt.Errorf("creating the bucket of data: %w", err)
	}
	_, err = q.js.CreateOrUpdateConsumer(ctx, taskStream, jetstream.ConsumerConfig{
		Durable: q.consumerName(), FilterSubject: q.subject(taskSubject, "*"), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: s.ackWait, MaxDeliver: s.tries + spareTries, MaxAckPending: -1,
		Metadata: map[string]string{triesKey: strconv.Itoa(s.tries)},
	})
	if err != nil {
		return fmt.Errorf("creating the consumer of tasks: %w", err)
	}
	return nil
}

const (
	// spareTries is how often a task is delivered to report that it failed.
	spareTries = 16
	// triesKey is the name in the metadata of the consumer of how often a task is
	// tried.
	triesKey = "leadline_tries"
)

// find waits until a coordinator has created what the queue needs, and returns the
// consumer.
func (q *queue) find(ctx context.Context) (jetstream.Consumer, error) {
	for {
		var c jetstream.Consumer
		var err error
		q.tasks, err = q.js.Stream(ctx, taskStream)
		if err == nil {
			q.results, err = q.js.Stream(ctx, resultStream)
		}
		if err == nil {
			q.data, err = q.js.ObjectStore(ctx, dataBucket)
		}
		if err == nil {
			c, err = q.js.Consumer(ctx, taskStream, q.consumerName())
		}
		switch {
		case err == nil:
			return c, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrPermissionViolation),
			errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
			return nil, err
		case q.nc.IsClosed(): // for example after a wrong token
			return nil, fmt.Errorf("connecting to NATS: %w", q.nc.LastError())
		}
		pause(ctx, 250*time.Millisecond)
	}
}

func (q *queue) consumerName() string { return q.kind + "-" + q.program }

func (q *queue) subject(first, key string) string {
	return strings.Join([]string{first, q.program, q.kind, key}, ".")
}

// publishTask adds a task to the queue, if it is not there.
func (q *queue) publishTask(ctx context.Context, key string, t *task) error {
	return q.publishOnce(ctx, q.subject(taskSubject, key), t.encode())
}

// dropTask removes a task.
func (q *queue) dropTask(ctx context.Context, key string) error {
	return q.tasks.Purge(ctx, jetstream.WithPurgeSubject(q.subject(taskSubject, key)))
}

// publishOnce stores a message unless there is one with its subject. It tries again
// while the server is out of reach.
func (q *queue) publishOnce(ctx context.Context, subject string, message []byte) error {
	return q.persist(ctx, func() error {
		_, err := q.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: message}, jetstream.WithExpectLastSequencePerSubject(0))
		var api *jetstream.APIError
		if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			return nil
		}
		return err
	})
}

// persist repeats do while the server is out of reach.
func (q *queue) persist(ctx context.Context, do func() error) error {
	for {
		err := do()
		var api *jetstream.APIError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case q.nc.IsClosed(), errors.Is(err, nats.ErrMaxPayload):
			return err
		case errors.As(err, &api) && api.Code < 500:
			return err
		case !passes(err) && api == nil:
			return err
		}
		pause(ctx, 250*time.Millisecond)
	}
}

// passes reports whether the error may be temporary.
func passes(err error) bool {
	for _, e := range []error{nats.ErrTimeout, context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, nats.ErrConnectionReconnecting} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// absent reports whether err says that a server does not accept connections. A wrong
// address, certificate or token is another error.
func absent(err error) bool {
	var address *net.AddrError
	var name *net.DNSError
	var network *net.OpError
	switch {
	case errors.As(err, &address):
		return false
	case errors.As(err, &name):
		return !name.IsNotFound
	case errors.As(err, &network):
		return network.Op == "dial" || network.Op == "read" || network.Op == "write"
	}
	return errors.Is(err, nats.ErrNoServers)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// inObject begins a message in place of a result that is in the bucket of data. The
// name of the object follows.
var inObject = []byte("in the bucket: ")

// storeResult stores the result of a task. If there is one already, that one stays.
func (q *queue) storeResult(ctx context.Context, key string, r *result) error {
	message := r.encode()
	if int64(len(message)) > q.payload() {
		sum := sha256.Sum256(message) // another result of the task gets another name
		name := "result-" + hex.EncodeToString(sum[:])
		if err := q.putObject(ctx, name, message); err != nil {
			return err
		}
		message = append(slices.Clone(inObject), name...)
	}
	return q.publishOnce(ctx, q.subject(resultSubject, key), message)
}

// payload returns how many bytes a message may have.
func (q *queue) payload() int64 { return q.nc.MaxPayload() - 4096 }

func (q *queue) putObject(ctx context.Context, name string, content []byte) error {
	return q.persist(ctx, func() error {
		_, err := q.data.PutBytes(ctx, name, content)
		return err
	})
}

// result returns the stored result of a task, or nil if there is none.
func (q *queue) result(ctx context.Context, key string) (r *result, err error) {
	err = q.persist(ctx, func() error {
		m, err := q.results.GetLastMsgForSubject(ctx, q.subject(resultSubject, key))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return err
		}
		message := m.Data
		if name, ok := bytes.CutPrefix(message, inObject); ok {
			if message, err = q.data.GetBytes(ctx, string(name)); err != nil {
				return err
			}
		}
		r, err = decodeResult(message)
		return err
	})
	return r, err
}

// dropResult removes the result of a task.
func (q *queue) dropResult(ctx context.Context, key string) error {
	return q.results.Purge(ctx, jetstream.WithPurgeSubject(q.subject(resultSubject, key)))
}
