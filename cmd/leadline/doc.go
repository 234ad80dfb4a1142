// Leadline checks recorded histories of concurrent objects for linearizability,
// and measures their depth: how few operations have to be put in order to find a
// witness, an order of the operations that explains every result.
//
//	leadline check|explain|view|family|convert [flags] FILE|DIR|-...
//	leadline tables [flags] [FILE|DIR|-...]
//	leadline map FILE|-
//	leadline record --simulate MODEL|--subject NAME [flags]
//	leadline stress --subject NAME|--new CONSTRUCTOR [flags]
//	leadline safety --new CONSTRUCTOR|--package PATH [flags]
//	leadline explore [flags] [PACKAGE...]
//	leadline replay --subject NAME|--new CONSTRUCTOR [flags] FILE|SCHEDULE
//	leadline composed [flags] PACKAGE...
//	leadline models [MODEL...]
//	leadline formats|manual|version
//	leadline completion bash|zsh|fish|powershell
//	leadline help [COMMAND|TOPIC]
//
// # Checking
//
// A history records which process called which method, when, and with what
// result. Check reads histories from files, directories (all files below them,
// sorted by name), archives (tar, zip) and standard input (-), plain or compressed.
// For each history it reports whether some order of its operations that respects
// real time has the recorded results:
//
//	$ leadline check benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst
//	linearizable      depth 3      6 ops   4 procs  c=4  cp=12   150 orders     benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst
//	1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid
//
// More examples:
//
//	leadline check --model queue recorded.jsonl.zst  # for files that name no model
//	leadline check --timeout 10s --jobs 4 dir/       # all files below a directory
//	leadline check -q dir/                           # only what is not linearizable
//	leadline check -v recorded.jsonl                 # with the witness
//	leadline check -o json dir/ >results.jsonl       # for programs; see Batches
//
// A line has:
//   - the verdict: linearizable, not-linearizable, unknown or invalid;
//   - the witness depth, which is the smallest d such that a strong d-hitting
//     family has a witness; "depth > 5" if families of depth 5 are known to have
//     none (see --max-depth); "by search" or "by monitor" if no depth could be
//     tried; the cause of an unknown verdict; "-" if it is not linearizable;
//   - the number of operations and the number of processes;
//   - the level of concurrency c, which is the most operations that are open at once, and
//     cp, the number of pairs of concurrent operations, or "-" for both if a history with
//     order edges is too long;
//   - the number of orders (linear extensions) of the operations that real time allows, if
//     it can be counted quickly. One of them has to explain all results;
//   - the number of pending operations, if there are any.
//
// Depth grows with pending operations, so read the two together. After several
// histories, check prints a table of totals, which counts only the depths of
// histories without pending operations.
//
// For a history that is not linearizable, check names the first response that no
// order explains. It also names results that would have made the history
// linearizable, had they been different. The methods with these results need not be
// at fault: a broken mutator shows in a later, correct read. If a monitor decided,
// check names a few operations that no order explains together, whatever else is in
// the history. The command in the last line explains the first such history in full;
// see Explaining. --explain=false omits all this.
//
//	$ leadline check benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0103.json.zst
//	not-linearizable  -           14 ops   7 procs  c=2  cp=12   13 orders      benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0103.json.zst
//	    no order explains the response of 9 peek(): null (process 4, line 1)
//	    linearizable if 8 poll(): 1 (process 4, line 1) had returned null
//	    not linearizable by themselves: the first 5 of 28 events; 3 of 14 operations
//	    more: leadline explain benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0103.json.zst
//	1 history: 0 linearizable, 1 not linearizable, 0 unknown, 0 invalid
//
// With -v each linearizable history is followed by its witness, with the state after each
// step, and lines have the time of the check. --output timeline draws the operations that
// matter for each verdict; see Explaining.
//
// --order program checks sequential consistency instead: a witness has to respect
// only the order of each process's own operations and the edges in the file. Lines
// then have consistent or not-consistent, and reports say "sequentially consistent".
// The words that programs read stay the same, such as verdict in JSON. The check is fast
// if the history is linearizable, too. Otherwise a thousand operations may be too many.
//
// # Explaining
//
// Explain checks histories like check, with the same flags, and writes the reason
// for each verdict in sentences:
//
//	leadline explain recorded.jsonl
//	leadline explain --history h17 --core small.jsonl recorded.jsonl
//
//	$ leadline explain benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0103.json.zst
//	benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0103.json.zst: 14 operations, 7 processes,
//	ArrayBlockingQueue:20
//	Not linearizable: no order of the operations that respects real time gives the recorded results.
//
//	Up to event 4 of 28, some order explains all results. None explains event 5, the response of
//	    9 peek(): null (process 4, line 1)
//	It overlaps 1 operation:
//	    4 addAll([1, 2]), still open then
//	Just before that response the object can be in one state only:
//	    [2]   peek() returns 2
//	But it returned null.
//
//	These 3 of its 14 operations are not linearizable by themselves:
//	      process  id
//	      2         4  |------------------->   addAll([1, 2]): open
//	  *   4         8      |---|               poll(): 1
//	  !   4         9              |---|       peek(): null
//	   ! no order explains its response
//	   * with another result, the history would be linearizable
//	   > open until the end
//
//	It would be linearizable with other results:
//	    if 8 poll() (process 4, line 1) had returned null instead of 1
//
// For a history that is not linearizable, explain writes:
//   - the first response that no order explains, and the operations that overlap it;
//   - the states in which the object can be just before that response, and what
//     the operation returns there;
//   - what is missing, extra or out of order in a result that lists elements, in place of
//     two long lists: "10 is missing, 2 comes before 1";
//   - whether a value was found that no operation puts there, as in "99 is never enqueued";
//   - a minimal sub-history that is not linearizable by itself, drawn over time. If only some
//     elements of a set, keys or elements of lists matter, it and the states are restricted
//     to these. If it is
//     too large for that, and a monitor found a few operations that are not linearizable by
//     themselves, these are drawn;
//   - other results with which the history would be linearizable;
//   - the parts that were not computed, and why.
//
// In the drawing, each operation has a line. Only the order of the events counts;
// the distance between two of them means nothing. A legend explains the marks. For a
// linearizable history, explain shows the witness with the state after each step, and
// the operations that its schedule index delays. For an unknown verdict, it gives the
// cause and what may help.
//
// --core FILE writes the minimal sub-histories to a file, for which check reports
// not-linearizable. Results that list elements have there only those that matter. The exit status means the same as for check.
//
// # View
//
// View checks histories like check, with the same flags, and writes a page about
// them for a browser. The page is one file and needs no network:
//
//	leadline view recorded.jsonl >view.html
//	leadline view -o view.html dir/
//
// The page has a lane for each process and a bar for each operation, in the order of
// events, or in real time if the events have time stamps. A bar that is open at its end
// never returned. The key ? lists the keys, which zoom, move, find and filter. Screen
// readers find the operations in a table.
//   - If the history is linearizable, a point in each bar shows when it takes effect.
//     A list has this order with the state after each step. The operations that the
//     schedule index delays are marked.
//   - If it is not, the parts of the explanation are marked, and buttons lead to
//     them. Everything after the shortest prefix that fails is shaded.
//   - Pages about several histories begin with a list, which can be searched,
//     filtered and sorted.
//
// A page holds at most 20,000 histories, and 100 MiB of compressed histories. It
// holds 4 MiB of states for each witness; if there are more, it has the states after
// some of the steps, with a note.
//
// # Tables
//
// Tables prints Tables 1 to 3 and Figure 4 of the paper "Checking Linearizability
// Using Hitting Families" (PPoPP 2019), and a table of linearizability depths with
// their bounds (see package hitting). They are about the given histories, or about the bundled
// ones of java.util.concurrent, beside the paper's numbers where it has any. Without --timeout the tables are the same
// on every run. A percentage is 100.0 only if all histories count, and 0.0 only if none does.
//
// For files and directories there are two more tables, with a row for each model in
// each archive: a directory that an argument names, or the directory of
// a file that an argument names. They include sequential histories and those
// with pending operations, which the tables of the paper leave out and count. "Not
// found" counts linearizable histories whose depth needs more work than the bounds allow.
//
//	leadline tables                           # beside the paper's numbers
//	leadline tables --output markdown dir/    # of your own histories
//	leadline tables --svg figure4.svg
//	leadline tables --max-depth 10            # more columns of depths
//
// # Models
//
// A sequential specification defines what the object should do. --model names it,
// or the file does. Arguments of a model follow a colon: --model
// ArrayBlockingQueue:20, --model register:0. Leadline models lists all models
// and the bundled objects, and leadline models NAME lists the methods of one:
//
//	$ leadline models mutex
//	mutex: a lock; locking it while it is held has to wait
//	    lock|acquire()
//	    unlock|release()
//	    tryLock|try_lock|tryAcquire() -> bool
//	    isLocked|is_locked() -> bool
//	unlock of a free mutex never returns: a history in which it does is not linearizable.
//	Any thread may unlock; the model does not know who locked.
//
// # Families
//
// Family prints the strong d-hitting family of a history's poset, for d = --depth:
// each distinct schedule, with its first index <chain, (tuple)>. With --count it
// prints the sizes of the families for d = 1 up to --max-depth:
//
//	$ leadline family --depth 1 benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst
//	benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst  <0, ()>  5 4 2 0 3 1
//	benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst  <1, ()>  5 4 0 1 2 3
//	benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst  <2, ()>  5 2 0 3 1 4
//	benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst  <3, ()>  4 2 0 3 1 5
//
//	$ leadline family --count --max-depth 5 benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0070.json.zst
//	d=1: 7        d=2: 82       d=3: 759      d=4: 5658     d=5: 34243    benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0070.json.zst
//
// With --witnesses it also prints how many schedules the poset has in all, and how many of
// them are witnesses. That needs a model. Neither is found by listing schedules, but a number
// is "?" if it is 2^64 or more, if more than 64 operations overlap one after another without
// a moment at which none is open, or if it exceeds --timeout or --memory. This is Figure 2.
// The paper prints three of its threads and describes the other four:
//
//	$ leadline family --count --max-depth 1 --witnesses replay/decide/testdata/figure2.jsonl
//	d=1: 3        all: 33       witnesses: 8        replay/decide/testdata/figure2.jsonl#threads-1-to-3
//	d=1: 7        all: 1004640  witnesses: 134400   replay/decide/testdata/figure2.jsonl#reconstruction
//
// With --exact-depth it prints the linearizability depth of each history, the smallest d
// with a d-tuple all of whose strongly hitting schedules are witnesses (Definition 4.2).
// That needs a model, and much more work than the witness depth of check. Where it is not
// found, the line has the cause instead: time, memory, work (many sets of states), open (more
// than 64 operations open at once, or in all if there are order edges) or engine (no states):
//
//	$ leadline family --exact-depth benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst
//	depth 4   benchdata/corpora/juc-labelled/ArrayBlockingQueue/h0330.json.zst
//
// # Simulated histories
//
// Record makes histories of any length with a known verdict: threads use an atomic
// object, and each operation takes effect at one moment between its invocation and
// its response. Record writes events as it makes them. A seed always gives the same
// history:
//
//	$ leadline record --simulate queue --threads 2 --ops 4 --seed 9
//	{"leadline":1,"model":"queue"}
//	# leadline record --simulate queue --threads 2 --ops 4 --seed 9
//	# linearizable
//	{"process":0,"type":"invoke","method":"enqueue","args":[1]}
//	{"process":1,"type":"invoke","method":"enqueue","args":[2]}
//	{"process":1,"type":"ok"}
//	{"process":1,"type":"invoke","method":"enqueue","args":[3]}
//	{"process":0,"type":"ok"}
//	{"process":0,"type":"invoke","method":"dequeue"}
//	{"process":0,"type":"ok","result":2}
//	{"process":1,"type":"ok"}
//
// For example:
//
//	leadline record --simulate kv --threads 16 --ops 100000 --seed 1 -o kv.jsonl.zst
//	leadline record --simulate queue --fault wrong@50 | leadline check -
//
// Almost --threads operations are open at any time. --mix draws insertions, removals,
// looks and updates; an update is cas, a counter's getAndIncrement or a mutex's tryLock.
//
// With --fault the history is not linearizable. After the given percentage of the
// operations, all open ones return. Then wrong@50 adds one operation, alone, with a
// wrong result: a value removed long ago, or never written, or the wrong answer to
// whether a set has an element. swap@50 inserts two values one after the other and
// later, alone again, removes them in the wrong order. Sets, counters and mutexes
// have no such order. With a fault near the end, the history may have more than
// --ops operations.
//
// With --subject instead of --simulate, threads use a real object, one of those
// that leadline models lists, and package history/record records them. It
// writes ten times a second, so that the history can be checked while it is
// recorded, or after the recorder was killed. With --ops 0 and no --time, it
// records until it is interrupted:
//
//	leadline record --subject queue --ops 0 --time 10s | leadline check -
//
// --order program omits the stamps that order events in real time, because taking
// them may hide a fault. Check such histories with check --order program.
//
// # Composed operations
//
// Composed lists functions of Go packages that call several operations on the same
// concurrent collection. Each operation is atomic, but often the function is not:
//
//	$ leadline composed ./replay/composed/extract/testdata/cache
//	replay/composed/extract/testdata/cache/cache.go:10:17: (*Cache).Length: c.lengths (sync.Map)
//	    replay/composed/extract/testdata/cache/cache.go:11:24: Load
//	    replay/composed/extract/testdata/cache/cache.go:15:12: LoadOrStore
//	1 package, 1 function with several operations on a collection
//
// Collections are sync.Map, the maps of xsync, concurrent-map, haxmap and
// cornelk/hashmap, and hand-written maps, sets and queues with a lock.
//
// --check runs each of these functions in the scheduler of stress, in an instrumented copy of its
// package. The module has to require leadline. Beside the function, an environment runs one or two
// operations of the same collection, and all schedules with up to two preemptions are explored:
//
//	$ leadline composed --check ./replay/composed/extract/testdata/cache
//	replay/composed/extract/testdata/cache/cache.go:10:17: (*Cache).Length: c.lengths (sync.Map): not atomic
//
//	  (*Cache).Length("a")
//
//	    the method                           the environment
//	    Load (cache.go:11): not found
//	                                         LoadOrStore("a", 2): 2, false
//	    LoadOrStore (cache.go:15): found 2
//	    returns 1
//	                                         then the collection holds {"a": 2}
//
//	  If the method were atomic and ran
//	    - before the environment's operations: LoadOrStore("a", 2) would return 1, true
//	    - after LoadOrStore("a", 2): the method would return 2
//
//	The environment is open: it uses a collection at any time, whatever locks the program holds.
//	1 function: 1 not atomic, 0 without a violation, 0 not checked
//
// The program may do less than this environment: whether its other functions run these operations at
// the same time is for you to judge. A lock that all of them hold does not keep the environment out. The receiver is made by a constructor or is the zero value; strings
// are "a", "b", and so on, numbers 1, and functions return a constant or change their argument. The
// environment uses the keys and values that the function uses, constants of the function, and
// different values. A function that never returns after a second operation, or that cannot be called,
// is not checked, and the reason is printed. To choose arguments, keys and values, test the
// function in Go: see go doc ./replay/composed.
//
// The status is 1 if a function is not atomic, 3 if one was not checked, and 2 if a package does not compile.
// With --output json, each function is a line; check is null without --check.
// See go doc ./replay/composed/extract.
//
// # Command line
//
// --quiet omits the messages about files in directories that were left out; check then
// also omits histories that are linearizable. A file labels.jsonl, which has the known
// verdicts of a directory, never causes a message.
//
// On a terminal, verdicts have colours, and lines and tables fit its width. Below 120
// columns, a line of check omits c, cp and the orders, and below 90 the processes.
// NO_COLOR=1 or TERM=dumb turns colours off; COLUMNS overrides the width. Long work shows
// on stderr how far it is.
//
// Help prints the flags of a command and the section of this manual about it, or about
// another topic: leadline help exit status.
//
// One of these lines makes a shell complete commands, flags and their values:
//
//	source <(leadline completion bash)      # in ~/.bashrc, after the package bash-completion
//	source <(leadline completion zsh)       # in ~/.zshrc, after compinit
//	leadline completion fish | source       # in ~/.config/fish/config.fish
//	leadline completion powershell | Out-String | Invoke-Expression  # in $PROFILE
//
// # JSON
//
// With --output json, check prints one object per history, each on its own line. The file
// cmd/leadline/schema.json of leadline's source is a JSON schema of these lines, and of those
// of the other commands. version is 1, and 2 for an object of stress; it grows when a key goes or
// changes its meaning, while keys may be added at any time. A missing value is null, except as said
// below:
//
//	$ leadline check --output json replay/decide/testdata/figure2.jsonl
//	{"file":"replay/decide/testdata/figure2.jsonl","history":"threads-1-to-3","format":"native","model":"ConcurrentLinkedQueue","ops":6,"pending":0,"processes":3,"c":3,"cp":8,"verdict":"linearizable","cause":null,"depth":1,"schedule_index":{"chain":2,"tuple":[]},"replayed":null,"engine":"families","deeper_than":null,"depth_cause":null,"witness":[2,0,4,1,3,5],"prefix":null,"unexplained":null,"states":null,"core":null,"blame":null,"explanation_cause":null,"conflict":null,"errors":null,"version":1}
//	{"file":"replay/decide/testdata/figure2.jsonl","history":"reconstruction","format":"native","model":"ConcurrentLinkedQueue","ops":14,"pending":0,"processes":7,"c":7,"cp":47,"verdict":"linearizable","cause":null,"depth":1,"schedule_index":{"chain":2,"tuple":[]},"replayed":null,"engine":"families","deeper_than":null,"depth_cause":null,"witness":[12,10,8,6,2,0,4,1,9,13,3,5,7,11],"prefix":null,"unexplained":null,"states":null,"core":null,"blame":null,"explanation_cause":null,"conflict":null,"errors":null,"version":1}
//
// With --order program, order is "program" and the verdict is about sequential
// consistency; otherwise order is absent. About the other keys:
//   - witness and the tuple of schedule_index have the file's own identifiers of
//     operations.
//   - deeper_than and depth_cause are set if a linearizable history has no depth.
//     deeper_than is the largest depth that is known to be too small. depth_cause is
//     deeper (than --max-depth), time, memory, cancelled, schedules (the budget of
//     enumeration was used up), or engine (no engine computes depths of such a history).
//     A crashed client makes a history deeper, because its lost operation has to be
//     delayed after all others. But at each depth, depth also tries the history without
//     all pending operations that may be left out.
//   - replayed counts the schedules of families that were replayed at each depth, for
//     histories with order edges.
//   - errors lists the faults of an invalid history, each with its line, or null, and a
//     message. If the file is at fault rather than a history, then history, model and
//     ops are null. After an internal error the verdict is unknown, and errors has it.
//
// ordered_by is "index" or "time" if these, and not the lines, order the events; see
// leadline help formats. unterminated is true if the last line of a text file has no
// newline, and was read as a whole line.
//
// These keys are absent where they do not apply: ordered_by, unterminated, order, impossible,
// missing, extra, out_of_order, more_states, states_of_core, core_parts, core_elements, initial,
// initial_next, waits, marks, edges, core_marks, core_edges, and without --verbose elapsed_ns.
//
// These keys explain why a history is not linearizable:
//   - prefix is the number of events of its shortest prefix that is not
//     linearizable either. unexplained is the operation whose response ends it, and
//     impossible, if present, is why no state at all gives its result, or which value
//     it found that no operation puts there.
//   - missing, extra and out_of_order say how its result differs from all that it may have
//     returned, if it lists elements. out_of_order has pairs of elements that the result has
//     in this order, and the object in the other. More elements may be out of order.
//   - states are the states in which the object can be just before that response. If
//     there are more than 16, more_states is true. If the object has parts, as a map
//     has, only the part concerned is shown. If states_of_core is true, only the
//     operations in core were run, because all of them allow too many states.
//   - core has the operations of a minimal sub-history that is not linearizable by
//     itself. Operations are left out only if their absence cannot be the reason.
//     core_marks and core_edges are what it fails with besides real time: operations
//     that are known to have happened, and orders, if need be through others. core_parts
//     and core_elements, if present, are what core is restricted to, and states as well:
//     elements of a set, or keys of registers and elements of the lists there. The other
//     ones are left out of its arguments and results.
//   - blame has the smallest groups of up to three results that make the history
//     linearizable if they are replaced. An entry has the operation, the recorded
//     result, up to five allowed ones and the number of its group. It is [] if there
//     are no such groups. If explanation_cause has blame, the list may be incomplete:
//     there may be other groups, or smaller ones. Results are values of the native format.
//   - waits, if present, has the calls that never returned, with where they wait, for what,
//     and who holds it. In blame, their recorded result is null.
//   - initial, if present, is a --model with another initial value, with which the whole
//     history is linearizable: first reads find a value that nothing wrote before. With
//     initial_next, only its beginning is, and that operation would be unexplained.
//   - marks and edges take the place of prefix and unexplained if real time alone (or,
//     with --order program, the order within each process alone) can be explained. They
//     are the operations that are known to have happened, and the orders in the file,
//     that rule out every order.
//   - explanation_cause says why parts are missing: its keys are prefix, states, core,
//     blame, initial and difference; a cause is time, memory, work, cancelled or a sentence. If it has
//     core, core is a sub-history that fails, but may not be minimal. An internal error
//     in an explanation costs only the part in which it happens, and is the cause.
//
// engine is what decided: families (also the only order of a history without overlaps),
// monitor (distinct values in a queue, stack and the like, in polynomial time) or search.
// conflict has operations that a monitor found to be in conflict: they are not linearizable
// by themselves.
//
// Tables prints one object per table and line:
//
//	{"table":"totals","title":"Distinct schedules in all","columns":["source","class","non-sequential", ...],"rows":[{"class":"all", ...}],"notes":null}
//
// table names the table: table1, table2, totals, table3, figure4, depths, archives
// or distributions. columns has the names of the columns in order. Each row is an object with all of them as keys;
// source is leadline or paper. Numbers are JSON numbers. What other formats show as a
// range is an array of two: the least and the most ops or processes. A number that is not
// known is null. In the row of all classes, class is "all", and in the row of all archives,
// archive is "all". notes has the lines below the table, or is null.
//
// # Bounds
//
//   - --timeout bounds the time for one history.
//   - An explanation also has a bound of work, which does not depend on the machine: 4,194,304
//     units and 8,192 for each operation, from 1,600 operations on 16,777,216 and 256 for each,
//     or four times the work of the verdict if that is more. A unit is a step of a search. A
//     time limit beyond 32 s raises it in proportion. Parts for which it does not suffice are
//     missing, with the cause work.
//   - --memory bounds the whole process, all jobs together. It reserves 15 MiB
//     for the program itself (half of the bound, if that is below 30 MiB), and
//     a sixteenth of the rest for what is allocated between two checks of the
//     bound. A history that does not fit while it is read is a fault of its file.
//   - --max-history protects against inputs that would fill the memory: longer
//     histories and lines are faults, and so are files that expand more than a
//     thousandfold. 0 turns this off.
//
// A history that is not decided is unknown, with a cause: depth, schedules, time,
// memory or cancelled.
//
// Long histories of stacks, deques and priority queues whose values repeat are hard, most of
// all if clients lose responses. Insert distinct values: then it is known which operation took
// or read what.
//
// # Exit status
//
//	0  all histories are linearizable
//	1  some are not linearizable
//	2  bad usage or bad input
//	3  some are unknown, or the command was interrupted, whatever it found before
//	4  an internal error; the message says what to send
//
// When several hold, the status is the first of 4, 2, 1, 3, 0; an interrupted batch is
// incomplete, so that it never ends with 1. View and tables show
// histories: for them, no verdict changes the status. For stress, 1 means that there are
// violations or crashes, and 3 that no execution of any program of an object could be
// judged.
//
// An interrupt (SIGINT or SIGTERM) ends a command, even while it waits for input. The
// command prints the results and totals of what it has read; a second interrupt
// ends it at once. Files of a directory that are not histories are left out, and
// reported on stderr; the last line counts them. Files that are missing, unreadable, empty
// or larger than the limits allow are faults: the last line counts them by reason, and the
// status is 2. It is also 2 if the output cannot be written.
package main
