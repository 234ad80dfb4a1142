import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Records histories of classes of java.util.concurrent in leadline's native format (JSON Lines):
 *
 *   java benchdata/juc/Recorder.java --class ConcurrentHashMap --ops 14 --threads 2 --count 1000 | leadline check -
 *
 * Programs are drawn at random in the manner of Violat (Emmi and Enea, CAV 2019, section 3), run on
 * threads that start together, and observed through one counter: an operation draws a number before
 * the call and another after the return, so that the order of the numbers is the order of the events.
 * A call may still be stretched by what happens between number and call; that only widens its
 * interval, so a history that is not linearizable is one of the object's, never of the recorder's.
 */
public class Recorder {
    static final String USAGE = """
        Usage: java Recorder.java --class CLASS [flags]
          --class CLASS       what to record; --list names the classes
          --ops N|M-N         calls per program (default 14)
          --threads N|M-N     threads per program (default 2)
          --count N           histories to write, 0 for as many as --programs give (default 1000)
          --programs N        programs to run at most, 0 for no limit (default 0)
          --executions N      executions of each program (default 20)
          --seed N            of the plan: programs, modes, delays (default 1)
          --mode MODE         delays around calls: plain (none), spin (short random spins), yield
                              (the processor is offered to others), slow (as spin, and within calls
                              whenever an argument or element is compared, printed or iterated
                              over), or any (one of these, drawn per program; default)
          --values N|M-N      values and keys are 0 to N-1, N drawn per program (default 3-4)
          --capacity N        of ArrayBlockingQueue (default 20), LinkedBlockingQueue and
                              LinkedBlockingDeque (default: unbounded)
          --untrusted METHOD  programs with exactly one call of this non-core method, as size or
                              replace/3, among core ones, spread over the threads at random; "all"
                              takes the non-core methods in turn, --programs and --count for each
          --program TEXT      this program instead of drawn ones, --programs times, each with a mode:
                              'get(1); containsValue(1) || put(1,1); put(0,1)'; ints are the arguments
          --list              lists the classes and their methods
        Of one program, equal executions (same order of events, same results) are one history. Its name
        is CLASS/SEED[/METHOD-ARITY]/PROGRAM.HISTORY/MODE/TIMESofEXECUTIONS. No drawn program is run twice.
        The seed determines the plan, not how the threads interleave: histories differ from run to run.
        Histories are written as soon as their program is done.
        """;

    // ---- The classes and their methods ----

    /** What happens when a method is called. What a view shows must be read before this returns. */
    interface Body<T> { Object on(T object, Object[] args) throws Exception; }

    /**
     * A method. Each letter of params is a parameter: an (e)lement, (k)ey or (v)alue, all small ints,
     * or a (c)ollection or (m)ap of two. Core methods are the trusted ones of Figure 6 of "Exposing
     * Non-Atomic Methods of Concurrent Objects".
     */
    record Method(String name, String params, boolean reads, boolean core, int weight, Body<Object> body) {
        String signature() { return name + "/" + params.length(); }
    }

    static final Object VOID = new Object();

    @SuppressWarnings("unchecked")
    static <T> Method method(String name, String params, boolean reads, boolean core, int weight, Body<T> body) {
        return new Method(name, params, reads, core, weight, (Body<Object>) body);
    }

    // Violat draws trusted mutators three times as often as anything else.
    static <T> Method core(String name, String params, Body<T> body) { return method(name, params, false, true, 3, body); }

    static <T> Method coreReader(String name, String params, Body<T> body) { return method(name, params, true, true, 1, body); }

    static <T> Method writer(String name, String params, Body<T> body) { return method(name, params, false, false, 1, body); }

    static <T> Method reader(String name, String params, Body<T> body) { return method(name, params, true, false, 1, body); }

    static List<Method> collection() {
        return List.of(
            Recorder.<Collection<Object>>writer("addAll", "c", (c, a) -> c.addAll(list(a[0]))),
            Recorder.<Collection<Object>>writer("removeAll", "c", (c, a) -> c.removeAll(list(a[0]))),
            Recorder.<Collection<Object>>writer("retainAll", "c", (c, a) -> c.retainAll(list(a[0]))),
            Recorder.<Collection<Object>>writer("clear", "", (c, a) -> { c.clear(); return VOID; }),
            Recorder.<Collection<Object>>reader("containsAll", "c", (c, a) -> c.containsAll(list(a[0]))),
            Recorder.<Collection<Object>>reader("size", "", (c, a) -> c.size()),
            Recorder.<Collection<Object>>reader("isEmpty", "", (c, a) -> c.isEmpty()),
            Recorder.<Collection<Object>>reader("toArray", "", (c, a) -> c.toArray()),
            Recorder.<Collection<Object>>reader("toString", "", (c, a) -> c.toString()));
    }

    static List<Method> queue() {
        return join(List.of(
            Recorder.<Queue<Object>>core("offer", "e", (q, a) -> q.offer(a[0])),
            Recorder.<Queue<Object>>core("poll", "", (q, a) -> q.poll()),
            Recorder.<Queue<Object>>coreReader("peek", "", (q, a) -> q.peek()),
            // Not core in the paper, but as frequent as offer, so that there is something to remove.
            Recorder.<Queue<Object>>method("add", "e", false, false, 3, (q, a) -> q.add(a[0])),
            Recorder.<Queue<Object>>writer("remove", "", (q, a) -> q.remove()),
            Recorder.<Queue<Object>>writer("remove", "e", (q, a) -> q.remove(a[0])),
            Recorder.<Queue<Object>>reader("element", "", (q, a) -> q.element()),
            Recorder.<Queue<Object>>reader("contains", "e", (q, a) -> q.contains(a[0]))), collection());
    }

    static List<Method> blockingQueue() {
        return join(queue(), List.of(
            Recorder.<BlockingQueue<Object>>writer("put", "e", (q, a) -> { q.put(a[0]); return VOID; }),
            Recorder.<BlockingQueue<Object>>writer("take", "", (q, a) -> q.take()),
            Recorder.<BlockingQueue<Object>>reader("remainingCapacity", "", (q, a) -> q.remainingCapacity())));
    }

    static List<Method> deque() {
        return List.of(
            Recorder.<Deque<Object>>writer("addFirst", "e", (d, a) -> { d.addFirst(a[0]); return VOID; }),
            Recorder.<Deque<Object>>writer("addLast", "e", (d, a) -> { d.addLast(a[0]); return VOID; }),
            Recorder.<Deque<Object>>writer("offerFirst", "e", (d, a) -> d.offerFirst(a[0])),
            Recorder.<Deque<Object>>writer("offerLast", "e", (d, a) -> d.offerLast(a[0])),
            Recorder.<Deque<Object>>writer("push", "e", (d, a) -> { d.push(a[0]); return VOID; }),
            Recorder.<Deque<Object>>writer("pop", "", (d, a) -> d.pop()),
            Recorder.<Deque<Object>>writer("pollFirst", "", (d, a) -> d.pollFirst()),
            Recorder.<Deque<Object>>writer("pollLast", "", (d, a) -> d.pollLast()),
            Recorder.<Deque<Object>>writer("removeFirst", "", (d, a) -> d.removeFirst()),
            Recorder.<Deque<Object>>writer("removeLast", "", (d, a) -> d.removeLast()),
            Recorder.<Deque<Object>>writer("removeFirstOccurrence", "e", (d, a) -> d.removeFirstOccurrence(a[0])),
            Recorder.<Deque<Object>>writer("removeLastOccurrence", "e", (d, a) -> d.removeLastOccurrence(a[0])),
            Recorder.<Deque<Object>>reader("getFirst", "", (d, a) -> d.getFirst()),
            Recorder.<Deque<Object>>reader("getLast", "", (d, a) -> d.getLast()),
            Recorder.<Deque<Object>>reader("peekFirst", "", (d, a) -> d.peekFirst()),
            Recorder.<Deque<Object>>reader("peekLast", "", (d, a) -> d.peekLast()));
    }

    static List<Method> sortedSet() {
        return join(List.of(
            Recorder.<NavigableSet<Object>>core("add", "e", (s, a) -> s.add(a[0])),
            Recorder.<NavigableSet<Object>>core("remove", "e", (s, a) -> s.remove(a[0])),
            Recorder.<NavigableSet<Object>>coreReader("contains", "e", (s, a) -> s.contains(a[0])),
            Recorder.<NavigableSet<Object>>writer("pollFirst", "", (s, a) -> s.pollFirst()),
            Recorder.<NavigableSet<Object>>writer("pollLast", "", (s, a) -> s.pollLast()),
            Recorder.<NavigableSet<Object>>reader("first", "", (s, a) -> s.first()),
            Recorder.<NavigableSet<Object>>reader("last", "", (s, a) -> s.last()),
            Recorder.<NavigableSet<Object>>reader("lower", "e", (s, a) -> s.lower(a[0])),
            Recorder.<NavigableSet<Object>>reader("floor", "e", (s, a) -> s.floor(a[0])),
            Recorder.<NavigableSet<Object>>reader("ceiling", "e", (s, a) -> s.ceiling(a[0])),
            Recorder.<NavigableSet<Object>>reader("higher", "e", (s, a) -> s.higher(a[0])),
            Recorder.<NavigableSet<Object>>reader("headSet", "e", (s, a) -> text(s.headSet(a[0]))),
            Recorder.<NavigableSet<Object>>reader("tailSet", "e", (s, a) -> text(s.tailSet(a[0]))),
            Recorder.<NavigableSet<Object>>reader("subSet", "ee",
                (s, a) -> text(s.subSet(a[0], a[1])))), collection());
    }

    static List<Method> map() {
        return List.of(
            Recorder.<ConcurrentMap<Object, Object>>core("put", "kv", (m, a) -> m.put(a[0], a[1])),
            Recorder.<ConcurrentMap<Object, Object>>core("remove", "k", (m, a) -> m.remove(a[0])),
            Recorder.<ConcurrentMap<Object, Object>>coreReader("get", "k", (m, a) -> m.get(a[0])),
            Recorder.<ConcurrentMap<Object, Object>>coreReader("containsKey", "k", (m, a) -> m.containsKey(a[0])),
            Recorder.<ConcurrentMap<Object, Object>>writer("remove", "kv", (m, a) -> m.remove(a[0], a[1])),
            Recorder.<ConcurrentMap<Object, Object>>writer("putIfAbsent", "kv", (m, a) -> m.putIfAbsent(a[0], a[1])),
            Recorder.<ConcurrentMap<Object, Object>>writer("replace", "kv", (m, a) -> m.replace(a[0], a[1])),
            Recorder.<ConcurrentMap<Object, Object>>writer("replace", "kvv",
                (m, a) -> m.replace(a[0], a[1], a[2])),
            Recorder.<ConcurrentMap<Object, Object>>writer("putAll", "m", (m, a) -> { m.putAll(entries(a[0])); return VOID; }),
            Recorder.<ConcurrentMap<Object, Object>>writer("clear", "", (m, a) -> { m.clear(); return VOID; }),
            Recorder.<ConcurrentMap<Object, Object>>reader("getOrDefault", "kv", (m, a) -> m.getOrDefault(a[0], a[1])),
            Recorder.<ConcurrentMap<Object, Object>>reader("containsValue", "v", (m, a) -> m.containsValue(a[0])),
            Recorder.<ConcurrentMap<Object, Object>>reader("size", "", (m, a) -> m.size()),
            Recorder.<ConcurrentMap<Object, Object>>reader("isEmpty", "", (m, a) -> m.isEmpty()),
            Recorder.<ConcurrentMap<Object, Object>>reader("keySet", "", (m, a) -> text(m.keySet())),
            Recorder.<ConcurrentMap<Object, Object>>reader("values", "", (m, a) -> text(m.values())),
            Recorder.<ConcurrentMap<Object, Object>>reader("entrySet", "", (m, a) -> text(m.entrySet())),
            Recorder.<ConcurrentMap<Object, Object>>reader("toString", "", (m, a) -> m.toString()));
    }

    static List<Method> hashMap() {
        return join(map(), List.of(
            Recorder.<ConcurrentHashMap<Object, Object>>reader("contains", "v", (m, a) -> m.contains(a[0])),
            Recorder.<ConcurrentHashMap<Object, Object>>reader("mappingCount", "", (m, a) -> m.mappingCount()),
            Recorder.<ConcurrentHashMap<Object, Object>>reader("keys", "", (m, a) -> Collections.list(m.keys()).toArray()),
            Recorder.<ConcurrentHashMap<Object, Object>>reader("elements", "", (m, a) -> Collections.list(m.elements()).toArray())));
    }

    static List<Method> sortedMap() {
        return join(map(), List.of(
            Recorder.<NavigableMap<Object, Object>>writer("pollFirstEntry", "", (m, a) -> text(m.pollFirstEntry())),
            Recorder.<NavigableMap<Object, Object>>writer("pollLastEntry", "", (m, a) -> text(m.pollLastEntry())),
            Recorder.<NavigableMap<Object, Object>>reader("firstEntry", "", (m, a) -> text(m.firstEntry())),
            Recorder.<NavigableMap<Object, Object>>reader("lastEntry", "", (m, a) -> text(m.lastEntry())),
            Recorder.<NavigableMap<Object, Object>>reader("firstKey", "", (m, a) -> m.firstKey()),
            Recorder.<NavigableMap<Object, Object>>reader("lastKey", "", (m, a) -> m.lastKey()),
            Recorder.<NavigableMap<Object, Object>>reader("lowerKey", "k", (m, a) -> m.lowerKey(a[0])),
            Recorder.<NavigableMap<Object, Object>>reader("floorKey", "k", (m, a) -> m.floorKey(a[0])),
            Recorder.<NavigableMap<Object, Object>>reader("ceilingKey", "k", (m, a) -> m.ceilingKey(a[0])),
            Recorder.<NavigableMap<Object, Object>>reader("higherKey", "k", (m, a) -> m.higherKey(a[0])),
            Recorder.<NavigableMap<Object, Object>>reader("headMap", "k", (m, a) -> text(m.headMap(a[0]))),
            Recorder.<NavigableMap<Object, Object>>reader("tailMap", "k", (m, a) -> text(m.tailMap(a[0]))),
            Recorder.<NavigableMap<Object, Object>>reader("subMap", "kk",
                (m, a) -> text(m.subMap(a[0], a[1])))));
    }

    /** Of a view or an entry: its toString; null of null. */
    static String text(Object o) { return o == null ? null : o.toString(); }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object o) { return (List<Object>) o; }

    @SuppressWarnings("unchecked")
    static Map<Object, Object> entries(Object o) { return (Map<Object, Object>) o; }

    static <T> List<T> join(List<T> a, List<T> b) { return Stream.concat(a.stream(), b.stream()).toList(); }

    /** A class: how it is constructed (capacity 0: without one) and what it has. */
    interface Constructor { Object with(int capacity); }

    record Subject(String name, int capacity, boolean takesCapacity, Constructor constructor, List<Method> methods) {
        /** The method of this name and number of arguments; a bare name means the only non-core one. */
        Method untrusted(String wanted) {
            List<Method> found = methods.stream().filter(m -> !m.core()
                && (m.signature().equals(wanted) || m.name().equals(wanted))).toList();
            if (found.size() == 1) return found.get(0);
            String why = found.isEmpty() ? "no such non-core method" : "say which: " + found.stream()
                .map(Method::signature).collect(Collectors.joining(" or "));
            throw new BadUsage("--untrusted " + wanted + ": " + why + "; --list names the methods of " + name);
        }
    }

    static final List<Subject> SUBJECTS = List.of(
        new Subject("ArrayBlockingQueue", 20, true, n -> new ArrayBlockingQueue<Object>(n), blockingQueue()),
        new Subject("ConcurrentHashMap", 0, false, n -> new ConcurrentHashMap<Object, Object>(), hashMap()),
        new Subject("ConcurrentLinkedDeque", 0, false, n -> new ConcurrentLinkedDeque<Object>(), join(queue(), deque())),
        new Subject("ConcurrentLinkedQueue", 0, false, n -> new ConcurrentLinkedQueue<Object>(), queue()),
        new Subject("ConcurrentSkipListMap", 0, false, n -> new ConcurrentSkipListMap<Object, Object>(), sortedMap()),
        new Subject("ConcurrentSkipListSet", 0, false, n -> new ConcurrentSkipListSet<Object>(), sortedSet()),
        new Subject("LinkedBlockingDeque", 0, true,
            n -> n == 0 ? new LinkedBlockingDeque<Object>() : new LinkedBlockingDeque<Object>(n), join(blockingQueue(), deque())),
        new Subject("LinkedBlockingQueue", 0, true,
            n -> n == 0 ? new LinkedBlockingQueue<Object>() : new LinkedBlockingQueue<Object>(n), blockingQueue()),
        new Subject("LinkedTransferQueue", 0, false, n -> new LinkedTransferQueue<Object>(), blockingQueue()),
        new Subject("PriorityBlockingQueue", 0, false, n -> new PriorityBlockingQueue<Object>(), blockingQueue()));

    // ---- Programs ----

    enum Mode { plain, spin, yield, slow }

    record Call(Method method, Object[] args) {
        /** How many elements it adds at most. */
        int adds() {
            return switch (method.name()) {
                case "add", "addFirst", "addLast", "offer", "offerFirst", "offerLast", "push", "put" -> 1;
                case "addAll" -> list(args[0]).size();
                default -> 0;
            };
        }

        /** How many elements it removes at most, where any is too many to count. */
        int removes() {
            return switch (method.name()) {
                case "clear", "removeAll", "retainAll" -> 1_000_000;
                default -> method.reads() || adds() > 0 ? 0 : 1;
            };
        }

        public String toString() { return method.name() + Arrays.toString(args); }
    }

    record Program(List<List<Call>> threads, Mode mode, long seed) {
        Stream<Call> calls() { return threads.stream().flatMap(List::stream); }

        /**
         * Whether a put or a take may have to wait, which nobody would end. Judged without running it: all that
         * can be added must have room, and what a take finds must have been added by its own thread before it,
         * more than all other calls together can remove.
         */
        boolean mayBlock(int capacity) {
            boolean put = calls().anyMatch(c -> c.method().name().equals("put") && c.method().params().equals("e"));
            boolean take = calls().anyMatch(c -> c.method().name().equals("take"));
            if ((put || take) && capacity > 0 && calls().mapToInt(Call::adds).sum() > capacity) return true;
            int removed = calls().mapToInt(Call::removes).sum(); // by the take itself too
            for (List<Call> thread : threads) {
                int added = 0;
                for (Call c : thread) {
                    if (c.method().name().equals("take") && added < removed) return true;
                    added += c.adds();
                }
            }
            return false;
        }

        boolean onlyReads() { return calls().allMatch(c -> c.method().reads()); }
    }

    /** Draws programs, none of them twice. */
    static final class Plan {
        final Options options;
        final SplittableRandom random;
        final Method untrusted; // or null
        final List<Method> drawn = new ArrayList<>(); // each as often as it weighs
        final Set<String> seen = new HashSet<>();

        Plan(Options options, Method untrusted) {
            this.options = options;
            this.untrusted = untrusted;
            this.random = new SplittableRandom(options.seed);
            for (Method m : options.subject.methods())
                if (untrusted == null || m.core()) drawn.addAll(Collections.nCopies(m.weight(), m));
        }

        /** The next program, or null if many draws gave nothing new. */
        Program next() {
            if (options.program != null) return program(given(options.program), random.split());
            for (int tries = 0; tries < 10_000; tries++) {
                Program p = draw(random.split());
                if (!p.onlyReads() && !p.mayBlock(options.capacity) && seen.add(p.threads().toString())) return p;
            }
            return null;
        }

        Program draw(SplittableRandom r) {
            int threads = options.threads.draw(r), values = options.values.draw(r);
            int ops = Math.max(threads, options.ops.draw(r)), odd = untrusted == null ? -1 : r.nextInt(ops);
            List<List<Call>> calls = new ArrayList<>();
            for (int t = 0; t < threads; t++) calls.add(new ArrayList<>());
            for (int i = 0, place = 0; i < ops; i++) {
                Method m = i == odd ? untrusted : drawn.get(r.nextInt(drawn.size()));
                // Every thread gets a call; the rest in turn, or at random where shapes matter more.
                place = i < threads || untrusted == null ? i % threads : r.nextInt(threads);
                Object[] args = m.params().chars().mapToObj(kind -> argument((char) kind, values, r)).toArray();
                calls.get(place).add(new Call(m, args));
            }
            return program(calls, r);
        }

        /** The threads of a text. */
        List<List<Call>> given(String text) {
            List<List<Call>> threads = new ArrayList<>();
            for (String thread : text.split("\\|\\|")) {
                List<Call> calls = new ArrayList<>();
                for (String call : thread.split(";")) {
                    Matcher parts = Pattern.compile("(\\w+)\\(([-\\d, ]*)\\)").matcher(call.strip());
                    if (!parts.matches()) throw new BadUsage("--program: " + call + " is no call with ints");
                    Object[] args = Arrays.stream(parts.group(2).split(",")).map(String::strip).filter(a -> !a.isEmpty()).map(Integer::valueOf).toArray();
                    Method method = options.subject.methods().stream()
                        .filter(m -> m.name().equals(parts.group(1)) && m.params().length() == args.length && m.params().matches("[ekv]*"))
                        .findFirst().orElseThrow(() -> new BadUsage("--program: no such method: " + call));
                    calls.add(new Call(method, args));
                }
                threads.add(calls);
            }
            return threads;
        }

        Program program(List<List<Call>> calls, SplittableRandom r) {
            Mode mode = options.mode != null ? options.mode : Mode.values()[r.nextInt(Mode.values().length)];
            if (mode == Mode.slow) calls.forEach(thread -> thread.replaceAll(c -> new Call(c.method(), Arrays.stream(c.args()).map(Slow::of).toArray())));
            return new Program(calls, mode, r.nextLong());
        }

        static Object argument(char kind, int values, SplittableRandom r) {
            switch (kind) {
                case 'c': return List.of(r.nextInt(values), r.nextInt(values));
                case 'm': {
                    // Two keys where there are two; iterated in ascending order, as the models have it.
                    int key = r.nextInt(values), other = values < 2 ? key : (key + 1 + r.nextInt(values - 1)) % values;
                    Map<Object, Object> map = new TreeMap<>();
                    map.put(key, r.nextInt(values));
                    map.put(other, r.nextInt(values));
                    return map;
                }
                default: return r.nextInt(values);
            }
        }
    }

    // ---- Execution ----

    /** What was seen of one execution; equal ones are one history. Event i is order[i], -1-n of a return. */
    record Run(byte[] order, Object[] results) {
        @Override public boolean equals(Object o) {
            return o instanceof Run r && Arrays.equals(order, r.order) && Arrays.deepEquals(results, r.results);
        }

        @Override public int hashCode() { return 31 * Arrays.hashCode(order) + Arrays.deepHashCode(results); }
    }

    /** A method that threw is not one that returned the exception. */
    record Thrown(String name) {}

    /** A number of executions of one program, and what each thread saw of them. */
    static final class Batch {
        final Program program;
        final int calls;
        final Object[] objects; // a fresh one for each execution
        final AtomicLong clock = new AtomicLong(); // the one source of stamps
        final AtomicInteger arrived = new AtomicInteger();
        final CountDownLatch done;
        volatile int released; // how many executions have begun
        final int[][] called, returned; // by thread, then execution and call
        final Object[][] results;

        Batch(Program program, Subject subject, int capacity, int executions) {
            int threads = program.threads().size();
            this.program = program;
            calls = (int) program.calls().count();
            objects = new Object[executions];
            for (int i = 0; i < executions; i++) objects[i] = subject.constructor().with(capacity);
            done = new CountDownLatch(threads);
            called = new int[threads][];
            returned = new int[threads][];
            results = new Object[threads][];
            for (int t = 0; t < threads; t++) {
                int n = executions * program.threads().get(t).size();
                called[t] = new int[n];
                returned[t] = new int[n];
                results[t] = new Object[n];
            }
        }

        /** The barrier before each execution: threads spin, so that they set out together. */
        void await(int execution) {
            if (arrived.incrementAndGet() == called.length) {
                arrived.set(0);
                released = execution + 1;
                return;
            }
            // Whoever spins may keep those from a processor that are waited for, surely so if there are too few.
            int patience = called.length <= Runtime.getRuntime().availableProcessors() ? 1000 : 20;
            for (int spins = 0; released <= execution; spins++)
                if (spins < patience) Thread.onSpinWait(); else Thread.yield();
        }

        void run(int thread) {
            Call[] calls = program.threads().get(thread).toArray(Call[]::new);
            int[] called = this.called[thread], returned = this.returned[thread];
            Object[] results = this.results[thread];
            Delay delay = new Delay(program.mode(), program.seed() + thread * 0x9e3779b97f4a7c15L);
            Delay.current.set(delay);
            for (int execution = 0, at = 0; execution < objects.length; execution++) {
                Object object = objects[execution];
                await(execution);
                for (Call call : calls) {
                    Object result;
                    delay.pass();
                    int begin = (int) clock.getAndIncrement();
                    delay.pass();
                    try {
                        result = call.method().body().on(object, call.args());
                    } catch (Exception e) {
                        result = new Thrown(e.getClass().getName());
                    }
                    delay.pass();
                    returned[at] = (int) clock.getAndIncrement();
                    called[at] = begin;
                    results[at++] = result;
                }
            }
            done.countDown();
        }

        /** What happened in one execution, with the calls numbered thread by thread. */
        Run observed(int execution) {
            int n = calls, base = execution * 2 * n, op = 0;
            byte[] order = new byte[2 * n];
            Object[] seen = new Object[n];
            for (int t = 0; t < called.length; t++) {
                int size = called[t].length / objects.length;
                for (int i = execution * size; i < (execution + 1) * size; i++, op++) {
                    order[called[t][i] - base] = (byte) op;
                    order[returned[t][i] - base] = (byte) (-1 - op);
                    seen[op] = results[t][i];
                }
            }
            return new Run(order, seen);
        }
    }

    /**
     * An int that takes its time when it is compared or printed, as objects of a caller's own class may: what the
     * object under test does before and after becomes visible as two steps, if it is two.
     */
    record Slow(int value) implements Comparable<Slow> {
        int slowly() {
            Delay.current.get().passInside();
            return value;
        }

        @Override public boolean equals(Object o) { return o instanceof Slow s && s.value == slowly(); }

        @Override public int hashCode() { return Integer.hashCode(value); }

        @Override public int compareTo(Slow s) { return Integer.compare(slowly(), s.value); }

        @Override public String toString() { return Integer.toString(slowly()); }

        /** Of an argument that Plan drew. */
        static Object of(Object argument) {
            if (argument instanceof List<?> list) return new SlowList(list.stream().map(Slow::of).toList());
            if (!(argument instanceof Map<?, ?> map)) return new Slow((Integer) argument);
            Map<Object, Object> slow = new TreeMap<>();
            map.forEach((k, v) -> slow.put(of(k), of(v)));
            return new SlowMap(slow);
        }
    }

    /** A list that takes its time between elements. */
    static final class SlowList extends AbstractList<Object> {
        final List<Object> list;

        SlowList(List<Object> list) { this.list = list; }

        @Override public Object get(int i) {
            Delay.current.get().passInside();
            return list.get(i);
        }

        @Override public int size() { return list.size(); }
    }

    /** A map that takes its time between entries. */
    static final class SlowMap extends AbstractMap<Object, Object> {
        final Map<Object, Object> map;

        SlowMap(Map<Object, Object> map) { this.map = map; }

        @Override public Set<Map.Entry<Object, Object>> entrySet() {
            return new AbstractSet<>() {
                @Override public Iterator<Map.Entry<Object, Object>> iterator() {
                    Iterator<Map.Entry<Object, Object>> entries = map.entrySet().iterator();
                    return new Iterator<>() {
                        @Override public boolean hasNext() { return entries.hasNext(); }

                        @Override public Map.Entry<Object, Object> next() {
                            Delay.current.get().passInside();
                            return entries.next();
                        }
                    };
                }

                @Override public int size() { return map.size(); }
            };
        }
    }

    /** Widens intervals. Cheap and without shared state, so that it does not itself synchronise threads. */
    static final class Delay {
        static final ThreadLocal<Delay> current = ThreadLocal.withInitial(() -> new Delay(Mode.plain, 1)); // of who does not run programs
        final Mode mode;
        long state;

        Delay(Mode mode, long seed) {
            this.mode = mode;
            this.state = seed == 0 ? 1 : seed; // xorshift never leaves 0
        }

        /** Before, after and around calls. */
        void pass() {
            if (mode != Mode.plain) pass(mode == Mode.yield ? 64 : 128);
        }

        /** Where an argument is looked at, within calls. */
        void passInside() {
            if (mode == Mode.slow) pass(64);
        }

        /** With a chance of so many in 256. */
        private void pass(int chance) {
            state ^= state << 13; // xorshift
            state ^= state >>> 7;
            state ^= state << 17;
            int draw = (int) (state >>> 40) & 0xff;
            if (draw >= chance) return;
            if (mode == Mode.yield) Thread.yield();
            else for (int i = draw & 0x3f; i > 0; i--) Thread.onSpinWait();
        }
    }

    /** Threads that live as long as the recorder and wait, parked, for batches of as many threads. */
    static final class Crew {
        final List<BlockingQueue<Batch>> doors = new ArrayList<>();

        Crew(int threads) {
            for (int t = 0; t < threads; t++) {
                BlockingQueue<Batch> door = new LinkedBlockingQueue<>();
                int number = t;
                Thread worker = new Thread(() -> {
                    try {
                        while (true) door.take().run(number);
                    } catch (InterruptedException e) {
                        // nobody interrupts; the JVM's end ends daemons
                    }
                });
                worker.setDaemon(true);
                worker.start();
                doors.add(door);
            }
        }

        void run(Batch batch) throws InterruptedException {
            for (BlockingQueue<Batch> door : doors) door.put(batch);
            batch.done.await();
        }
    }

    /** Stamps are ints and objects are made beforehand, so executions come in batches of at most so many. */
    static final int BATCH = 2000;

    final Map<Integer, Crew> crews = new HashMap<>();

    /** The distinct executions, in the order of their first occurrence, and how often each occurred. */
    Map<Run, int[]> execute(Program program, Options options) throws InterruptedException {
        Map<Run, int[]> runs = new LinkedHashMap<>();
        Crew crew = crews.computeIfAbsent(program.threads().size(), Crew::new);
        for (int left = options.executions; left > 0; left -= BATCH) {
            Batch batch = new Batch(program, options.subject, options.capacity, Math.min(left, BATCH));
            crew.run(batch);
            for (int i = 0; i < batch.objects.length; i++)
                runs.computeIfAbsent(batch.observed(i), r -> new int[1])[0]++;
        }
        return runs;
    }

    // ---- Writing ----

    static String json(Object value) {
        if (value instanceof Object[] array) // as the Violat format prints arrays and Enumerations
            return '"' + Arrays.toString(array).replace(", ", ",") + '"';
        if (value instanceof List<?> list)
            return list.stream().map(Recorder::json).collect(Collectors.joining(",", "[", "]"));
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().map(e -> "\"" + e.getKey() + "\":" + json(e.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        // What is left needs no escapes: Integers, Booleans, null, and texts that Java prints of ints.
        return value instanceof String ? "\"" + value + '"' : String.valueOf(value);
    }

    static String history(String name, Options options, Program program, Run run) {
        StringBuilder b = new StringBuilder("{\"leadline\":1,\"history\":\"" + name + "\",\"model\":\"" + options.subject.name() + '"');
        if (options.capacity > 0) b.append(",\"args\":[").append(options.capacity).append(']');
        b.append("}\n");
        List<Call> calls = program.calls().toList();
        int[] process = new int[calls.size()];
        for (int t = 0, op = 0; t < program.threads().size(); t++)
            for (int i = 0; i < program.threads().get(t).size(); i++) process[op++] = t;
        for (byte event : run.order()) {
            int op = event < 0 ? -1 - event : event;
            b.append("{\"process\":").append(process[op]);
            if (event >= 0) {
                Call call = calls.get(op);
                b.append(",\"type\":\"invoke\",\"method\":\"").append(call.method().name()).append('"');
                if (call.args().length > 0) b.append(",\"args\":").append(json(Arrays.asList(call.args())));
            } else {
                Object result = run.results()[op];
                b.append(",\"type\":\"ok\"");
                if (result instanceof Thrown thrown) b.append(",\"exception\":\"").append(thrown.name()).append('"');
                else if (result != VOID) b.append(",\"result\":").append(json(result));
            }
            b.append("}\n");
        }
        return b.toString();
    }

    void record(Options options, Method untrusted, OutputStream out) throws IOException, InterruptedException {
        Plan plan = new Plan(options, untrusted);
        String prefix = options.subject.name() + "/" + options.seed + "/"
            + (untrusted == null ? "" : untrusted.name() + "-" + untrusted.params().length() + "/");
        long written = 0, programs = 0;
        while ((options.programs == 0 || programs < options.programs) && (options.count == 0 || written < options.count)) {
            Program program = plan.next();
            if (program == null) {
                System.err.println("Recorder: " + prefix + ": no further programs after " + programs + "; " + written + " histories written");
                break;
            }
            programs++;
            int number = 0;
            for (Map.Entry<Run, int[]> e : execute(program, options).entrySet()) {
                if (options.count > 0 && written == options.count) break;
                String name = prefix + programs + "." + ++number + "/" + program.mode() + "/" + e.getValue()[0] + "of" + options.executions;
                out.write(history(name, options, program, e.getKey()).getBytes(StandardCharsets.US_ASCII));
                written++;
            }
        }
    }

    // ---- The command line ----

    static final class BadUsage extends RuntimeException {
        BadUsage(String message) { super(message); }
    }

    /** From min to max, both included. */
    record Range(int min, int max) {
        int draw(SplittableRandom r) { return min + r.nextInt(max - min + 1); }

        static Range of(String flag, String text, int most) {
            String[] ends = text.split("-", 2);
            int min = (int) number(flag, ends[0], 1, most);
            return new Range(min, (int) number(flag, ends[ends.length - 1], min, most));
        }
    }

    static long number(String flag, String text, long min, long max) {
        try {
            long n = Long.parseLong(text);
            if (n >= min && n <= max) return n;
        } catch (NumberFormatException e) {
            // said below
        }
        throw new BadUsage(flag + ": want an integer from " + min + " to " + max + ", got " + text);
    }

    static final class Options {
        Subject subject;
        Range ops = new Range(14, 14), threads = new Range(2, 2), values = new Range(3, 4);
        long count = 1000, programs, seed = 1;
        int executions = 20, capacity = -1;
        Mode mode; // null: drawn per program
        String untrusted, program;

        Options(List<String> args) {
            for (Iterator<String> i = args.iterator(); i.hasNext(); ) {
                String[] word = i.next().split("=", 2);
                if (word.length == 1 && !i.hasNext()) throw new BadUsage(word[0] + ": unknown, or without its value");
                set(word[0], word.length == 2 ? word[1] : i.next());
            }
            if (subject == null) throw new BadUsage("which --class?");
            if (capacity > 0 && !subject.takesCapacity()) throw new BadUsage("--capacity: " + subject.name() + " has none");
            if (capacity < 0) capacity = subject.capacity();
            if (ops.max() < threads.max()) throw new BadUsage("--ops: fewer than --threads");
        }

        void set(String flag, String value) {
            switch (flag) {
                case "--class" -> subject = SUBJECTS.stream().filter(s -> s.name().equals(value)).findFirst()
                    .orElseThrow(() -> new BadUsage("--class: " + value + " is none of those that --list names"));
                case "--ops" -> ops = Range.of(flag, value, 127); // calls are numbered by bytes
                case "--threads" -> threads = Range.of(flag, value, 64);
                case "--count" -> count = number(flag, value, 0, Long.MAX_VALUE);
                case "--programs" -> programs = number(flag, value, 0, Long.MAX_VALUE);
                case "--executions" -> executions = (int) number(flag, value, 1, Integer.MAX_VALUE);
                case "--seed" -> seed = number(flag, value, Long.MIN_VALUE, Long.MAX_VALUE);
                case "--values" -> values = Range.of(flag, value, 1000);
                case "--capacity" -> capacity = (int) number(flag, value, 1, 1_000_000);
                case "--untrusted" -> untrusted = value;
                case "--program" -> program = value;
                case "--mode" -> mode = value.equals("any") ? null : Arrays.stream(Mode.values())
                    .filter(m -> m.name().equals(value)).findFirst()
                    .orElseThrow(() -> new BadUsage("--mode: want plain, spin, yield, slow or any, got " + value));
                default -> throw new BadUsage(flag + ": no such flag");
            }
        }

        List<Method> untrustedMethods() {
            if (untrusted == null) return Collections.singletonList(null);
            if (!untrusted.equals("all")) return List.of(subject.untrusted(untrusted));
            return subject.methods().stream().filter(m -> !m.core()).toList();
        }
    }

    static void list() {
        for (Subject s : SUBJECTS) {
            System.out.println(s.name() + (s.capacity() > 0 ? ":" + s.capacity() : ""));
            for (Method m : s.methods())
                System.out.println(String.format("  %-24s %-6s %s", m.signature(), m.reads() ? "reads" : "writes", m.core() ? "core" : "").stripTrailing());
        }
    }

    public static void main(String[] args) throws InterruptedException {
        List<String> words = List.of(args);
        if (words.contains("--help") || words.contains("-h")) {
            System.out.print(USAGE);
            return;
        }
        if (words.contains("--list")) {
            list();
            return;
        }
        try {
            Options options = new Options(words);
            Recorder recorder = new Recorder();
            // Unbuffered: a history goes out in one write, as soon as it is known.
            OutputStream out = new FileOutputStream(FileDescriptor.out);
            for (Method untrusted : options.untrustedMethods()) recorder.record(options, untrusted, out);
        } catch (BadUsage e) {
            System.err.println("Recorder: " + e.getMessage() + "\nRecorder: see --help");
            System.exit(2);
        } catch (IOException e) { // as a rule, whoever read this has gone
            System.err.println("Recorder: writing: " + e.getMessage());
            System.exit(1);
        }
    }
}
