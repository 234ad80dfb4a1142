// Leadline-cluster checks recorded histories with many processes, on one machine or
// on several. Its queue is NATS JetStream (nats.io). It is a module of its own, so
// that leadline does not depend on NATS.
//
//	leadline-cluster check [flags] FILE|DIR|bucket:NAME|-...
//	leadline-cluster stress [flags] -- ARGUMENT...
//	leadline-cluster worker --url URL [flags]
//	leadline-cluster version
//
// # One machine
//
// The file testdata/example.jsonl has two histories of a register that is 0 at first.
// They are called overlapping and stale:
//
//	A  |--- write(1): ok ---|        A  |- write(1): ok -|
//	B      |--- read(): 0 ---|       B                     |- read(): 0 -|
//
// One command starts a coordinator with a server in its process, and two workers:
//
//	$ leadline-cluster check testdata/example.jsonl | cut -d, -f1,2,10
//	{"file":"testdata/example.jsonl","history":"overlapping","verdict":"linearizable"
//	{"file":"testdata/example.jsonl","history":"stale","verdict":"not-linearizable"
//
// The output has the lines of leadline check --output json, in the order of the
// input, and the exit status has the same meaning: 0 all linearizable, 1 some not, 2 bad
// usage or input, 3 some unknown or interrupted, 4 an internal error. For the arguments, and for which
// files are skipped, see leadline help batches. If standard error is a terminal, or with
// --progress, it shows a table of the workers and their rates.
//
// On a single machine, leadline check is simpler and faster. Workers are useful if a
// history may end its process, for example for lack of memory, and for a run that
// continues after its coordinator has ended (see Store).
//
// Measured on 2 processors, from start to end, with one worker process and with two:
//
//	150 histories of a multiset, 3000 operations each, 10 threads    3.9 s    2.25 s    1.7 times
//	400 histories of a register, 4000 operations each (136 MB)       4.15 s   2.7 s     1.5 times
//
// The CPU time is 3.4 s and 3.9 s. That of leadline check --jobs 1 is 2.6 s and 2.3 s:
// the coordinator and the server use some, too.
//
// # Several machines
//
// The embedded server listens on 127.0.0.1 only, unless --listen says otherwise:
//
//	host1$ leadline-cluster check --listen 10.0.0.1:4222 --store /var/tmp/leadline histories/
//	leadline-cluster: serving at 10.0.0.1:4222; workers need --url @/var/tmp/leadline/url
//	host2$ leadline-cluster worker --url @url
//
// The file url has the address with a token, which the server requires. Copy it to the
// other machines; whoever has it may use the server. The embedded server has no TLS: use
// it in networks that you trust, or through a tunnel.
//
// With --url, the coordinator and the workers use an existing server or cluster of
// NATS with JetStream instead. TLS and credentials are those of NATS: a URL
// tls://host:4222 or one with user:password@ or token@, and the flags --creds, --nkey,
// --tlsca, --tlscert and --tlskey. --replicas says how many servers keep each
// message. The account needs the streams LEADLINE_TASKS and LEADLINE_RESULTS, the
// bucket leadline-data, which the coordinator creates, and the subjects
// leadline.>.
//
// If the server is out of reach, the coordinator says so and tries again. After
// --patience, which is a minute by default, it ends with status 3. The results stay on
// the server: run the same command again when it is back. Workers wait for their server
// until they are interrupted.
//
// All workers must run the same executable file as the coordinator, so that verdicts of
// different versions are not mixed. Other workers get no tasks.
//
// # Tasks and results
//
// A message has one file, or up to 64 small ones: files of a directory, or members of
// an archive. The content is in the message or, from 512 KiB on, in the bucket
// leadline-data. Workers need no access to the directories of the coordinator. A file is
// not divided: one worker checks all histories in it. To spread the histories of a large
// file, split it, or make an archive of them.
//
// A worker acknowledges a message after its result is stored. While a check runs, it
// reports three times within --ack-wait that it is alive. If it does not, the message
// goes to another worker. A message of several files is then divided, so that a file
// that ends its worker does so alone. After --tries workers have ended or were lost, the
// file is given up: its line has the verdict unknown and says why, and the exit status
// is 4.
//
// The key of a result is a hash of the content of the files, the settings, and the
// program. There is one result for a key: if two workers finish one task, the first
// result counts. Equal files are checked once. The output depends on the stored
// results only, so it has one line for each history, whichever processes were killed.
//
// # Store
//
// Tasks and results stay on the server for --keep, which is seven days by default.
// The embedded server keeps them in --store, and by default in a temporary directory
// that is removed at the end. To continue after an interrupt or a crash, run the same
// command again with the same --store or --url: it prints everything from the beginning,
// but checks only what has no result yet. An unknown verdict, for example for lack of
// time, is a result, too: --retry-unknown checks it again.
//
// # Object store
//
// An argument bucket:NAME is a bucket of the JetStream object store, and
// bucket:NAME/PATH one object, a directory, or a member of an archive there:
//
//	nats object put logs run1.tar.zst
//	leadline-cluster check --url nats://host:4222 bucket:logs
//
// The names of the objects must be relative paths without . and .. in them.
//
// # Stress
//
// A search for methods that are not atomic is repeated with other seeds:
//
//	leadline-cluster stress --seeds 50 -- --new example.com/queue.New --effort quick
//
// Each task is one run of leadline stress --output json with these arguments and a
// seed. Each line of the output begins with the seed. Workers take such tasks if they
// are started with --stress PROGRAM, which is the path of leadline; those that the
// coordinator starts have it from --leadline. They run it in their working directory,
// which must have the module that --new names. One run uses several processors, so
// the coordinator starts one worker unless --workers says otherwise.
//
// The key of such a result is a hash of the arguments, of leadline's program and of the
// Go files of the module in the coordinator's working directory. So after a change there
// the same command runs all seeds again. After changes elsewhere, as in a module that a
// replace directive names, use another --store.
//
// Such a worker builds and runs the code that tasks name. Use it only with a server where
// you trust everybody who may publish.
package main
