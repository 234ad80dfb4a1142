package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/replay/batch"
)

// Names in JetStream. A subject ends in the program, the key of the job and the shard.
const (
	shardStream, shardSubject = "LEADLINE_SHARDS", "leadline.shard"
	resultBucket              = "leadline-results"
	// keep is how long the server keeps shards and results.
	keep = 7 * 24 * time.Hour
)

// A connection says how to reach NATS.
type connection struct {
	url       string // or @FILE
	creds, ca string
}

func (c *connection) declare(flags *pflag.FlagSet) {
	flags.StringVar(&c.url, "url", "", "`URL` of a NATS server, as nats://host:4222, several separated by commas, or @FILE for a file that has it")
	flags.StringVar(&c.creds, "creds", "", "`file` with credentials of NATS: a JWT and its key")
	flags.StringVar(&c.ca, "tlsca", "", "`file` with the certificates of the authorities that the server's certificate is checked against")
}

// A queue has the shards that are to be checked, and the results of the others.
type queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	program string // only workers that run the same one take shards
	results jetstream.ObjectStore
}

// connect returns a queue.
func (c *connection) connect(more ...nats.Option) (*queue, error) {
	// A command line would show the token to all users of the machine.
	url, err := flagkind.Text(c.url)
	if err != nil {
		return nil, err
	}
	options := []nats.Option{nats.Name("leadline-cluster"), nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond)}
	if c.creds != "" {
		creds, err := filepath.Abs(c.creds) // it is read again later, when a worker may be elsewhere
		if err == nil {
			_, err = os.Stat(creds)
		}
		if err != nil {
			return nil, err
		}
		options = append(options, nats.UserCredentials(creds))
	}
	if c.ca != "" {
		options = append(options, nats.RootCAs(c.ca))
	}
	program, err := batch.Program()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(strings.TrimSpace(url), append(options, more...)...)
	if err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	js, err := jetstream.New(nc)
	return &queue{nc: nc, js: js, program: program[:16]}, err
}

// create creates what the queue needs, unless it exists.
func (q *queue) create(ctx context.Context, ackWait time.Duration) (err error) {
	if _, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: shardStream, Subjects: []string{shardSubject + ".>"}, Retention: jetstream.WorkQueuePolicy, MaxAge: keep,
	}); err != nil {
		return fmt.Errorf("creating the stream of shards: %w", err)
	}
	if q.results, err = q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: resultBucket, TTL: keep}); err != nil {
		return fmt.Errorf("creating the bucket of results: %w", err)
	}
	if _, err = q.js.CreateOrUpdateConsumer(ctx, shardStream, jetstream.ConsumerConfig{
		Durable: q.program, FilterSubject: shardSubject + "." + q.program + ".>",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: -1,
	}); err != nil {
		return fmt.Errorf("creating the consumer of shards: %w", err)
	}
	return nil
}

// find returns the consumer of shards, which a coordinator has created.
func (q *queue) find(ctx context.Context) (c jetstream.Consumer, err error) {
	if q.results, err = q.js.ObjectStore(ctx, resultBucket); err != nil {
		return nil, err
	}
	return q.js.Consumer(ctx, shardStream, q.program)
}

func (q *queue) subject(key string, part int) string {
	return strings.Join([]string{shardSubject, q.program, key, strconv.Itoa(part)}, ".")
}

// publish adds a shard to the queue, unless it is there.
func (q *queue) publish(ctx context.Context, key string, part int, j *job) error {
	text, err := json.Marshal(task{*j, part})
	if err != nil {
		return err
	}
	_, err = q.js.Publish(ctx, q.subject(key, part), text, jetstream.WithExpectLastSequencePerSubject(0))
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return nil
	}
	return err
}

// withdraw removes the shards of a job that no worker has finished.
func (q *queue) withdraw(ctx context.Context, key string) error {
	stream, err := q.js.Stream(ctx, shardStream)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject(shardSubject+"."+q.program+"."+key+".*"))
}

// A task is a message to a worker.
type task struct {
	Job  job
	Part int // from 0
}

// object returns the name of the object with the result of a shard.
func object(key string, part int) string { return fmt.Sprintf("%s/%d", key, part) }

// stored returns whether the result of a shard is stored, and why it has no lines.
func (q *queue) stored(ctx context.Context, key string, part int) (ok bool, failed string, err error) {
	info, err := q.results.GetInfo(ctx, object(key, part))
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return false, "", nil
	case err != nil:
		return false, "", err
	}
	return true, info.Description, nil
}

// store stores the result of a shard.
func (q *queue) store(ctx context.Context, key string, part int, failed string, content io.Reader) error {
	_, err := q.results.Put(ctx, jetstream.ObjectMeta{Name: object(key, part), Description: failed}, content)
	return err
}

// passes reports whether the error may be temporary: the server, or the queue there, is
// out of reach.
func passes(err error) bool {
	for _, e := range []error{nats.ErrTimeout, context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, nats.ErrConnectionReconnecting, nats.ErrNoServers,
		jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrBucketNotFound, jetstream.ErrConsumerDeleted, jetstream.ErrNoHeartbeat} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	var network *net.OpError
	var address *net.AddrError
	var name *net.DNSError
	switch {
	case errors.As(err, &api):
		return api.Code >= 500
	case errors.As(err, &address):
		return false
	case errors.As(err, &name):
		return !name.IsNotFound
	}
	return errors.As(err, &network)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
