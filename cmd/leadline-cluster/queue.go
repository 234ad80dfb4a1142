package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// Tests replace these.
var (
	// tries is how many workers may end during a shard before it is given up.
	tries = 4
	// ackWait is how long a worker may be silent before its shard is given to another one.
	ackWait = 30 * time.Second
)

// A queue has the shards that are to be checked, and the results of the others.
type queue struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	program string                // only workers that run the same one take shards
	stored  jetstream.ObjectStore // results
}

// connect returns a queue. url may be @FILE, since a command line would show a token to all
// users of the machine.
func connect(url string, options ...nats.Option) (*queue, error) {
	url, err := flagkind.Text(url)
	if err != nil {
		return nil, err
	}
	program, err := batch.Program()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(strings.TrimSpace(url), append(options, nats.Name("leadline-cluster"), nats.MaxReconnects(-1),
		nats.ReconnectWait(250*time.Millisecond))...)
	if err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	js, err := jetstream.New(nc)
	return &queue{nc: nc, js: js, program: program[:16]}, err
}

// create creates what the queue needs, unless it exists.
func (q *queue) create(ctx context.Context) (err error) {
	if _, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: shardStream, Subjects: []string{shardSubject + ".>"}, Retention: jetstream.WorkQueuePolicy, MaxAge: keep,
	}); err != nil {
		return fmt.Errorf("creating the stream of shards: %w", err)
	}
	if q.stored, err = q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: resultBucket, TTL: keep}); err != nil {
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
	if q.stored, err = q.js.ObjectStore(ctx, resultBucket); err != nil {
		return nil, err
	}
	return q.js.Consumer(ctx, shardStream, q.program)
}

// A shard is a message to a worker.
type shard struct {
	Job  job
	Part int // from 0
}

// publish adds a shard to the queue, unless it is there.
func (q *queue) publish(ctx context.Context, key string, s shard) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	subject := strings.Join([]string{shardSubject, q.program, key, strconv.Itoa(s.Part)}, ".")
	_, err = q.js.Publish(ctx, subject, text, jetstream.WithExpectLastSequencePerSubject(0))
	for _, there := range []jetstream.ErrorCode{jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant} {
		if errors.Is(err, &jetstream.APIError{ErrorCode: there}) {
			return nil
		}
	}
	return err
}

// withdraw removes the shards of a job that no worker has finished.
func (q *queue) withdraw(ctx context.Context, key string) error {
	stream, err := q.js.Stream(ctx, shardStream)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, jetstream.WithPurgeSubject(strings.Join([]string{shardSubject, q.program, key, "*"}, ".")))
}

// object returns the name of the object with the lines of a shard. Its description is the
// result without them.
func object(key string, part int) string { return fmt.Sprintf("%s/%d", key, part) }

// result returns the result of a shard, or nil if none is stored.
func (q *queue) result(ctx context.Context, key string, part int) (*shardResult, error) {
	info, err := q.stored.GetInfo(ctx, object(key, part))
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	r := &shardResult{size: info.Size}
	return r, json.Unmarshal([]byte(info.Description), r)
}

// store stores the result of a shard.
func (q *queue) store(ctx context.Context, key string, part int, r *shardResult, lines io.Reader) error {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = q.stored.Put(ctx, jetstream.ObjectMeta{Name: object(key, part), Description: string(text)}, lines)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
