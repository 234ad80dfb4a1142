// Leadline-cluster checks recorded histories with several processes, on one machine or on
// several. It has shards of the input in a queue of NATS JetStream (nats.io). It is a module
// of its own, so that leadline does not depend on NATS.
//
//	leadline-cluster check [flags] FILE|DIR...
//	leadline-cluster worker --url URL [flags]
//	leadline-cluster version
//
// # Build it
//
// In a clone, at its root, with a workspace outside of the repository, which stays as it is:
//
//	export GOWORK=$(mktemp -d)/go.work
//	go work init ./cmd/leadline-cluster
//	go work edit -replace github.com/leadline/leadline="$PWD"
//	go install ./cmd/leadline-cluster
//	unset GOWORK
//
// Before the last of them, go test ./cmd/leadline-cluster tests it.
//
// # When to use which
//
//   - One machine: leadline check. It uses all processors, and --resume goes on after a stop.
//   - One machine, and histories that may end their process, for example for lack of memory:
//     leadline-cluster check. A worker that ends is started again.
//   - Kubernetes or Slurm: leadline check --shard in an Indexed Job or in an array. Nothing
//     else is needed; see deploy/kubernetes.yaml and deploy/slurm.sh beside the source.
//   - Other machines with a common file system: leadline-cluster check on one of them, and
//     leadline-cluster worker on the others.
//
// # One machine
//
// The file testdata/example.jsonl has two histories of a register that is 0 at first.
// They are called overlapping and stale:
//
//	A  |--- write(1): ok ---|        A  |- write(1): ok -|
//	B      |--- read(): 0 ---|       B                     |- read(): 0 -|
//
// One command starts a coordinator with a server in its process, and a worker:
//
//	$ leadline-cluster check testdata/example.jsonl | cut -d, -f1,2,10
//	{"file":"testdata/example.jsonl","history":"overlapping","verdict":"linearizable"
//	{"file":"testdata/example.jsonl","history":"stale","verdict":"not-linearizable"
//
// The output equals that of leadline check --output json with the same flags, byte for byte, and
// the exit status has the same meaning: 0 all linearizable, 1 some not, 2 bad usage or input,
// 3 some unknown or interrupted, 4 an internal error. The lines are written when all shards
// are checked.
//
// # Shards
//
// Entry k of the input, counted over all files, belongs to shard k modulo --shards. So each
// shard reads the whole input and checks its part. Reading takes a sixth to a third of the
// time of checking short histories, and little of the time for long ones: use as many shards as
// there are workers, or twice as many if the workers are not equally fast. By default there is
// one shard for each worker on this machine, which is one worker that uses all processors.
//
// A worker that is silent for 30 s is taken to be lost, and its shard goes to another one. It
// keeps a journal in its --store, so that a worker that was killed and started again goes
// on where it was. When 4 workers have ended during a shard, the shard is given up: no line
// is written, and the exit status is 4. Leadline check --shard with the number in the
// message shows why.
//
// # Several machines
//
// The embedded server listens on 127.0.0.1 only, unless --listen says otherwise:
//
//	host1$ leadline-cluster check --listen 10.0.0.1:4222 --shards 8 --store /var/tmp/leadline /nfs/histories
//	leadline-cluster: serving at 10.0.0.1:4222; workers need this program and --url @/var/tmp/leadline/url
//	host2$ leadline-cluster worker --url @url --store /var/tmp/leadline-worker
//
// The file url has the address with a token, which the server requires. Copy it to the
// other machines; whoever has it may use the server. The embedded server has no TLS: use
// it in networks that you trust, or through a tunnel.
//
// Workers read the input by the paths of the coordinator. A path that is not absolute is
// relative to the directory in which the coordinator was started. All shards must find the
// same histories in the same files; otherwise the command fails. It also fails, with the
// name of the machine, when a worker cannot read its directory or write its --store.
//
// With --url, the coordinator and the workers use an existing server or cluster of
// NATS with JetStream instead. TLS and passwords are those of NATS: a URL
// tls://host:4222, or one with user:password@ or token@. On Linux, SSL_CERT_FILE in the
// environment names a file with the certificates of other authorities. The account needs the
// stream LEADLINE_SHARDS and the bucket leadline-results, which the coordinator creates, and
// the subjects leadline.>. If the server goes away, the coordinator ends with status 3, and
// workers wait for it until they are interrupted.
//
// All workers must run the same executable file as the coordinator, so that verdicts of
// different versions are not mixed. Other workers get no shards, and wait.
//
// # Going on
//
// Results of shards stay on the server for seven days. The embedded server keeps them in
// --store, and by default in a temporary directory that is removed at the end. To continue
// after an interrupt or a crash, run the same command again with the same --store or --url: it
// checks only what has no result yet. Other flags, another program, or files that have changed
// make another job, with results of its own.
package main
