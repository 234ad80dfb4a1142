import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Says of recorded histories whether they are linearizable, by exhaustive replay on the JDK's own objects:
 * a history is, if one of the orders that agree with its events gives on a fresh object, without
 * concurrency, the results that were recorded. It shares nothing with leadline, nor with Recorder's table
 * of methods (calls are made by reflection), and so can be held against both.
 */
public class Labels {
    static final String USAGE = """
        Usage: java Labels.java [flags] <HISTORIES
        HISTORIES is in leadline's native format, as Recorder writes it. Without flags, writes a line
        {"history": NAME, "linearizable": true|false} for each.
          --mutate SEED   instead of labels, writes copies of the histories with one result changed
          --count N       of each history, with --mutate (default 1); every second one linearizable, if any is
          --single N      instead of labels, of what "Recorder --untrusted" wrote, writes N histories for each
                          method, and what was tried to stderr; see the comment of class Single
        """;

    // ---- Histories ----

    /** An operation. A result is a JSON value, an exception or NONE; called and returned are lines of its history. */
    static final class Operation {
        Object process;
        String method, exception;
        List<Object> args = List.of();
        Object result = NONE;
        int called, returned;
    }

    static final Object NONE = new Object();

    static final class History {
        String name, model;
        List<Object> args = List.of();
        final List<String> lines = new ArrayList<>();
        final List<Operation> operations = new ArrayList<>(); // in the order of their calls

        History complete(Map<Object, Operation> open) throws IOException {
            if (!open.isEmpty()) throw new IOException(name + ": pending operations are not understood here");
            return this;
        }

        boolean concurrent(Operation a, Operation b) { return a.called < b.returned && b.called < a.returned; }
    }

    interface Consumer { void accept(History h) throws IOException; }

    @SuppressWarnings("unchecked")
    static void read(BufferedReader in, Consumer consumer) throws IOException {
        History history = null;
        Map<Object, Operation> open = new HashMap<>();
        int number = 0;
        for (String line; (line = in.readLine()) != null; ) {
            number++;
            if (line.isBlank() || line.startsWith("#")) continue;
            Map<String, Object> event;
            try {
                event = (Map<String, Object>) new Json(line).value();
            } catch (RuntimeException e) {
                throw new IOException("line " + number + ": " + e.getMessage());
            }
            if (event.containsKey("leadline")) {
                if (history != null) consumer.accept(history.complete(open));
                history = new History();
                history.name = (String) event.get("history");
                history.model = (String) event.get("model");
                history.args = (List<Object>) event.getOrDefault("args", List.of());
                history.lines.add(line);
                open.clear();
                continue;
            }
            String type = (String) event.get("type");
            if (history == null || !("invoke".equals(type) || "ok".equals(type)))
                throw new IOException("line " + number + ": only headers, calls and returns are understood here");
            int place = history.lines.size();
            if (type.equals("invoke")) {
                Operation op = new Operation();
                op.process = event.get("process");
                op.method = (String) event.get("method");
                op.args = (List<Object>) event.getOrDefault("args", List.of());
                op.called = place;
                open.put(op.process, op);
                history.operations.add(op);
            } else {
                Operation op = open.remove(event.get("process"));
                if (op == null) throw new IOException("line " + number + ": a return without a call");
                op.exception = (String) event.get("exception");
                op.result = event.getOrDefault("result", NONE);
                op.returned = place;
            }
            history.lines.add(line);
        }
        if (history != null) consumer.accept(history.complete(open));
    }

    /** As much of JSON as is in such histories. Integers only. */
    static final class Json {
        final String text;
        int at;

        Json(String text) { this.text = text; }

        char peek() {
            while (text.charAt(at) == ' ') at++;
            return text.charAt(at);
        }

        void expect(char c) {
            if (peek() != c) throw new IllegalArgumentException("want " + c + " at column " + (at + 1));
            at++;
        }

        boolean more(char end) {
            if (peek() == end) { at++; return false; }
            if (text.charAt(at) == ',') at++;
            return true;
        }

        Object value() {
            switch (peek()) {
                case '{': {
                    Map<String, Object> map = new TreeMap<>(); // as Recorder: iterated in ascending order
                    for (at++; more('}'); ) {
                        peek();
                        String key = string();
                        expect(':');
                        map.put(key, value());
                    }
                    return map;
                }
                case '[': {
                    List<Object> list = new ArrayList<>();
                    for (at++; more(']'); ) list.add(value());
                    return list;
                }
                case '"': return string();
                default: {
                    int from = at;
                    while (at < text.length() && ",]} ".indexOf(text.charAt(at)) < 0) at++;
                    String word = text.substring(from, at);
                    return switch (word) {
                        case "true" -> true;
                        case "false" -> false;
                        case "null" -> null;
                        default -> Long.parseLong(word);
                    };
                }
            }
        }

        String string() {
            expect('"');
            int end = text.indexOf('"', at);
            String s = text.substring(at, end);
            if (s.indexOf('\\') >= 0) throw new IllegalArgumentException("escapes are not understood here");
            at = end + 1;
            return s;
        }
    }

    // ---- Replay ----

    /** A class of java.util.concurrent, and its methods by name and number of arguments. */
    static final class Subject {
        static final Map<String, Subject> ALL = new HashMap<>();
        final Class<?> type;
        final Map<String, Method> methods = new HashMap<>();

        Subject(String name) {
            try {
                type = Class.forName("java.util.concurrent." + name);
            } catch (ClassNotFoundException e) {
                throw new IllegalArgumentException("no class " + name);
            }
            for (Method m : type.getMethods())
                if (!m.isBridge()) methods.putIfAbsent(m.getName() + "/" + m.getParameterCount(), m);
        }

        static Subject of(String name) { return ALL.computeIfAbsent(name, Subject::new); }

        Object construct(List<Object> args) {
            try {
                if (args.isEmpty()) return type.getConstructor().newInstance();
                return type.getConstructor(int.class).newInstance(((Long) args.get(0)).intValue());
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException(type + " of " + args, e);
            }
        }
    }

    /** One operation made ready for many calls. */
    static final class Prepared {
        final Method method;
        final Object[] args;
        final Operation operation;

        Prepared(Subject subject, Operation op) {
            operation = op;
            args = op.args.stream().map(Prepared::java).toArray();
            method = subject.methods.get(op.method + "/" + args.length);
            if (method == null) throw new IllegalArgumentException("no method " + op.method + " of " + args.length);
        }

        /** What Recorder passed: Integers, lists of them, sorted maps. */
        static Object java(Object json) {
            if (json instanceof Long n) return n.intValue();
            if (json instanceof List<?> list) return list.stream().map(Prepared::java).collect(Collectors.toList());
            if (json instanceof Map<?, ?> map) {
                Map<Object, Object> m = new TreeMap<>();
                map.forEach((k, v) -> m.put(Integer.valueOf((String) k), java(v)));
                return m;
            }
            return json;
        }

        /** Calls it and tells whether what came is what was recorded. */
        boolean agrees(Object object) {
            // What would wait has no place in this order.
            if (operation.method.equals("take") && ((Collection<?>) object).isEmpty()) return false;
            if (operation.method.equals("put") && object instanceof BlockingQueue<?> q && q.remainingCapacity() == 0) return false;
            try {
                Object result = method.invoke(object, args);
                if (operation.exception != null) return false;
                if (method.getReturnType() == void.class) return operation.result == NONE;
                return Objects.equals(json(result), operation.result);
            } catch (InvocationTargetException e) {
                return e.getCause().getClass().getName().equals(operation.exception);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        /** As Recorder writes it. */
        static Object json(Object result) {
            if (result == null || result instanceof Boolean) return result;
            if (result instanceof Number n) return n.longValue();
            if (result instanceof Enumeration<?> e) result = Collections.list(e).toArray();
            return result instanceof Object[] a ? Arrays.toString(a).replace(", ", ",") : result.toString();
        }
    }

    /**
     * Tries all orders, depth first, leaving one at the first wrong result. An object cannot be wound back, so
     * every turn back starts over with a fresh one.
     */
    static boolean linearizable(History h) {
        int n = h.operations.size();
        if (n > 64) throw new IllegalArgumentException(h.name + ": more than 64 operations");
        Subject subject = Subject.of(h.model);
        Prepared[] ops = h.operations.stream().map(op -> new Prepared(subject, op)).toArray(Prepared[]::new);
        long[] before = new long[n]; // those that must come first, as bits
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (h.operations.get(j).returned < h.operations.get(i).called) before[i] |= 1L << j;
        int[] order = new int[n], next = new int[n + 1];
        Object object = null; // in the state after order[0..depth), or null
        long done = 0;
        for (int depth = 0; depth < n; ) {
            int i = next[depth];
            while (i < n && ((done >> i & 1) == 1 || (before[i] & ~done) != 0)) i++;
            if (i == n) {
                if (depth == 0) return false;
                done &= ~(1L << order[--depth]);
                object = null;
                continue;
            }
            next[depth] = i + 1;
            if (object == null) {
                object = subject.construct(h.args);
                for (int k = 0; k < depth; k++) ops[order[k]].agrees(object);
            }
            if (ops[i].agrees(object)) {
                order[depth++] = i;
                next[depth] = 0;
                done |= 1L << i;
            } else {
                object = null;
            }
        }
        return true;
    }

    // ---- Mutation ----

    /**
     * Writes copies with one result changed to another of the same type, so that only replay can tell. Most such
     * changes show, so of every second copy many are tried until one leaves the history linearizable.
     */
    static void mutate(History h, int count, Random random, PrintStream out) {
        Set<String> seen = new HashSet<>();
        for (int copy = 1; copy <= count; copy++) {
            List<String> lines = null;
            for (int tries = 0; tries < 100; tries++) {
                List<String> next = mutated(h, copy, random);
                if (seen.contains(body(next))) continue;
                lines = next;
                if (copy % 2 == 1 || linearizable(parsed(lines))) break;
            }
            if (lines == null) return; // there are no more
            seen.add(body(lines));
            lines.forEach(out::println);
        }
    }

    static String body(List<String> lines) { return String.join("\n", lines.subList(1, lines.size())); }

    static History parsed(List<String> lines) {
        History[] parsed = new History[1];
        try {
            read(new BufferedReader(new StringReader(String.join("\n", lines))), h -> parsed[0] = h);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return parsed[0];
    }

    /** The lines of a copy. */
    static List<String> mutated(History h, int copy, Random random) {
        List<Operation> candidates = h.operations.stream().filter(op -> op.exception != null || op.result != NONE).toList();
        Operation op = candidates.get(random.nextInt(candidates.size()));
        Object was = op.exception != null ? NONE : op.result, now = was;
        while (Objects.equals(was, now)) now = other(op, was, random);
        List<String> lines = new ArrayList<>(h.lines);
        lines.set(0, lines.get(0).replace('"' + h.name + '"', '"' + h.name + "/" + copy + '"'));
        // In a line of Recorder's, as of leadline's own, the result comes last.
        String line = lines.get(op.returned);
        int from = line.indexOf(op.exception != null ? "\"exception\":" : "\"result\":");
        lines.set(op.returned, line.substring(0, from) + "\"result\":" + (now instanceof String ? "\"" + now + '"' : now) + "}");
        return lines;
    }

    static Object other(Operation op, Object was, Random random) {
        long small = random.nextInt(4);
        if (was instanceof Boolean b) return !b;
        if (was instanceof String s) {
            int[] digits = IntStream.range(0, s.length()).filter(i -> Character.isDigit(s.charAt(i))).toArray();
            if (digits.length == 0) return s.equals("{}") ? "{" + small + "=0}" : op.method.equals("entrySet") ? "[" + small + "=0]" : "[" + small + "]";
            int at = digits[random.nextInt(digits.length)];
            return s.substring(0, at) + small + s.substring(at + 1);
        }
        if (op.method.endsWith("Entry")) return small + "=" + random.nextInt(4);
        // An element, a count, or in their place null or an exception.
        boolean mayBeNull = was == null || op.method.matches("poll.*|peek.*|put|remove|replace|get|getOrDefault|lower.*|floor.*|ceiling.*|higher.*");
        return was instanceof Long && mayBeNull && op.exception == null && random.nextInt(4) == 0 && !op.args.isEmpty() ? null : small;
    }

    // ---- Histories of one untrusted call ----

    /**
     * Selects from what "Recorder --untrusted all --count 0" wrote, method by method. It leaves out the histories
     * whose untrusted call is concurrent with no other call, replays the rest, and keeps N:
     * of those that are not linearizable up to N/2, the ones with fewest operations first, then the most
     * frequent, then the first; for the rest, linearizable ones drawn uniformly with a fixed seed.
     *
     * To stderr goes, per method: class, method, programs, executions, distinct histories; of those with a
     * concurrent untrusted call, executions and distinct histories; and of these, not linearizable, executions
     * and distinct histories and programs; separated by tabs.
     */
    static final class Single {
        record Kept(History history, long times) {}

        final int keep;
        final PrintStream out;
        String model, method; // that what follows is of
        long executions, histories, concurrentExecutions, concurrentHistories, badExecutions, badHistories;
        Set<String> programs, badPrograms;
        List<Kept> bad, good;
        Random random;

        Single(int keep, PrintStream out) {
            this.keep = keep;
            this.out = out;
        }

        /** Names are CLASS/SEED/METHOD-ARITY/PROGRAM.HISTORY/MODE/TIMESofEXECUTIONS. */
        void add(History h) {
            String[] name = h.name.split("/");
            if (!name[2].equals(method) || !h.model.equals(model)) {
                end();
                model = h.model;
                method = name[2];
                executions = histories = concurrentExecutions = concurrentHistories = badExecutions = badHistories = 0;
                programs = new HashSet<>();
                badPrograms = new HashSet<>();
                bad = new ArrayList<>();
                good = new ArrayList<>();
                random = new Random(1);
            }
            String program = name[1] + "/" + name[3].substring(0, name[3].indexOf('.'));
            long times = Long.parseLong(name[5].substring(0, name[5].indexOf("of")));
            programs.add(program);
            executions += times;
            histories++;
            Operation untrusted = h.operations.stream().filter(op -> (op.method + "-" + op.args.size()).equals(method)).findFirst().orElseThrow();
            if (h.operations.stream().noneMatch(op -> op != untrusted && h.concurrent(op, untrusted))) return;
            concurrentExecutions += times;
            concurrentHistories++;
            Kept kept = new Kept(h, times);
            if (linearizable(h)) {
                // Reservoir sampling: all that came so far are equally likely to be in.
                long seen = concurrentHistories - badHistories;
                long place = seen <= keep ? good.size() : random.nextLong(seen);
                if (place == good.size()) good.add(kept);
                else if (place < keep) good.set((int) place, kept);
            } else {
                badExecutions += times;
                badHistories++;
                badPrograms.add(program);
                bad.add(kept);
                bad.sort(Comparator.comparingInt((Kept k) -> k.history.operations.size()).thenComparing(k -> -k.times)); // stable
                if (bad.size() > keep / 2) bad.remove(bad.size() - 1);
            }
        }

        void end() {
            if (method == null) return;
            bad.forEach(this::print);
            good.stream().limit(keep - bad.size()).forEach(this::print);
            Object[] row = {model, method.replace('-', '/'), programs.size(), executions, histories, concurrentExecutions,
                concurrentHistories, badExecutions, badHistories, badPrograms.size()};
            System.err.println(Arrays.stream(row).map(String::valueOf).collect(Collectors.joining("\t")));
        }

        void print(Kept kept) { kept.history.lines.forEach(out::println); }
    }

    // ---- The command line ----

    public static void main(String[] args) throws IOException {
        Long mutate = null;
        int count = 1, single = 0;
        try {
            for (int i = 0; i < args.length; i += 2)
                switch (args[i]) {
                    case "--mutate" -> mutate = Long.valueOf(args[i + 1]);
                    case "--count" -> count = Integer.parseInt(args[i + 1]);
                    case "--single" -> single = Integer.parseInt(args[i + 1]);
                    default -> throw new NumberFormatException();
                }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            System.err.print(USAGE);
            System.exit(2);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, StandardCharsets.UTF_8);
        try {
            if (mutate != null) {
                Random random = new Random(mutate);
                int copies = count;
                read(in, h -> mutate(h, copies, random, out));
            } else if (single > 0) {
                Single s = new Single(single, out);
                read(in, s::add);
                s.end();
            } else {
                read(in, h -> out.println("{\"history\": \"" + h.name + "\", \"linearizable\": " + linearizable(h) + "}"));
            }
        } catch (IOException | IllegalArgumentException e) {
            out.flush();
            System.err.println("Labels: " + e.getMessage());
            System.exit(1);
        }
        out.flush();
    }
}
