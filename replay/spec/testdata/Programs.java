import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.util.*;
import java.util.concurrent.*;

/**
 * Writes random sequential programs on classes of java.util.concurrent, each with the results of
 * the JDK, one program per line, for TestJDK and TestFreshJDK:
 *
 *   java Programs.java CLASS,CLASS,... SEED PROGRAMS [CALLS] >FILE
 *
 * PROGRAMS is the number of programs for each class, CALLS the largest number of calls in a program
 * (default 30). The programs of a class do not depend on the other classes.
 * A line is CLASS[:ARG]; METHOD ARG ARG = RESULT; ... where "-" is the result of a void method and
 * "blocks" means a call that would not have returned and was not made.
 */
public class Programs {
    static final PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16));
    static Random random;
    static int[] pool; // the values, or keys, of one program
    static int longest; // length of the longest list in a program

    /** The call of a method with a given name and number of arguments. */
    interface Call<T> { Object on(T object, Object[] args) throws Exception; }

    record Method<T>(String name, String params, Call<T> call) {}

    static final Object VOID = new Object() { public String toString() { return "-"; } };
    static final Object BLOCKS = new Object() { public String toString() { return "blocks"; } };

    static String array(Object[] a) { return Arrays.toString(a).replace(", ", ","); }

    static String enumeration(Enumeration<?> e) { return array(Collections.list(e).toArray()); }

    static <T extends Collection<Integer>> List<Method<T>> collectionMethods() {
        List<Method<T>> m = new ArrayList<>();
        for (int i = 0; i < 2; i++) { // twice as often as the rest
            m.add(new Method<>("add", "i", (q, a) -> q.add((Integer) a[0])));
            m.add(new Method<>("addAll", "c", (q, a) -> q.addAll(collection(a[0]))));
        }
        m.add(new Method<>("remove", "i", (q, a) -> q.remove(a[0])));
        m.add(new Method<>("contains", "i", (q, a) -> q.contains(a[0])));
        m.add(new Method<>("containsAll", "c", (q, a) -> q.containsAll(collection(a[0]))));
        m.add(new Method<>("removeAll", "c", (q, a) -> q.removeAll(collection(a[0]))));
        m.add(new Method<>("retainAll", "c", (q, a) -> q.retainAll(collection(a[0]))));
        m.add(new Method<>("size", "", (q, a) -> q.size()));
        m.add(new Method<>("isEmpty", "", (q, a) -> q.isEmpty()));
        m.add(new Method<>("clear", "", (q, a) -> { q.clear(); return VOID; }));
        m.add(new Method<>("toArray", "", (q, a) -> array(q.toArray())));
        m.add(new Method<>("toString", "", (q, a) -> q.toString()));
        return m;
    }

    static <T extends Queue<Integer>> List<Method<T>> queueMethods() {
        List<Method<T>> m = new ArrayList<>();
        for (int i = 0; i < 2; i++) m.add(new Method<>("offer", "i", (q, a) -> q.offer((Integer) a[0])));
        m.add(new Method<>("poll", "", (q, a) -> q.poll()));
        m.add(new Method<>("peek", "", (q, a) -> q.peek()));
        m.add(new Method<>("element", "", (q, a) -> q.element()));
        m.add(new Method<>("remove", "", (q, a) -> q.remove()));
        return m;
    }

    static <T extends BlockingQueue<Integer>> List<Method<T>> blockingMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("put", "i", (q, a) -> {
            if (a[0] != null && q.remainingCapacity() == 0) return BLOCKS;
            q.put((Integer) a[0]);
            return VOID;
        }));
        m.add(new Method<>("take", "", (q, a) -> q.isEmpty() ? BLOCKS : q.take()));
        m.add(new Method<>("remainingCapacity", "", (q, a) -> q.remainingCapacity()));
        return m;
    }

    static <T extends Deque<Integer>> List<Method<T>> dequeMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("addFirst", "i", (q, a) -> { q.addFirst((Integer) a[0]); return VOID; }));
        m.add(new Method<>("addLast", "i", (q, a) -> { q.addLast((Integer) a[0]); return VOID; }));
        m.add(new Method<>("push", "i", (q, a) -> { q.push((Integer) a[0]); return VOID; }));
        m.add(new Method<>("offerFirst", "i", (q, a) -> q.offerFirst((Integer) a[0])));
        m.add(new Method<>("offerLast", "i", (q, a) -> q.offerLast((Integer) a[0])));
        m.add(new Method<>("pop", "", (q, a) -> q.pop()));
        m.add(new Method<>("pollFirst", "", (q, a) -> q.pollFirst()));
        m.add(new Method<>("pollLast", "", (q, a) -> q.pollLast()));
        m.add(new Method<>("peekFirst", "", (q, a) -> q.peekFirst()));
        m.add(new Method<>("peekLast", "", (q, a) -> q.peekLast()));
        m.add(new Method<>("removeFirst", "", (q, a) -> q.removeFirst()));
        m.add(new Method<>("removeLast", "", (q, a) -> q.removeLast()));
        m.add(new Method<>("getFirst", "", (q, a) -> q.getFirst()));
        m.add(new Method<>("getLast", "", (q, a) -> q.getLast()));
        m.add(new Method<>("removeFirstOccurrence", "i", (q, a) -> q.removeFirstOccurrence(a[0])));
        m.add(new Method<>("removeLastOccurrence", "i", (q, a) -> q.removeLastOccurrence(a[0])));
        return m;
    }

    static <T extends BlockingDeque<Integer>> List<Method<T>> blockingDequeMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("putFirst", "i", (q, a) -> {
            if (a[0] != null && q.remainingCapacity() == 0) return BLOCKS;
            q.putFirst((Integer) a[0]);
            return VOID;
        }));
        m.add(new Method<>("putLast", "i", (q, a) -> {
            if (a[0] != null && q.remainingCapacity() == 0) return BLOCKS;
            q.putLast((Integer) a[0]);
            return VOID;
        }));
        m.add(new Method<>("takeFirst", "", (q, a) -> q.isEmpty() ? BLOCKS : q.takeFirst()));
        m.add(new Method<>("takeLast", "", (q, a) -> q.isEmpty() ? BLOCKS : q.takeLast()));
        return m;
    }

    static <T extends TransferQueue<Integer>> List<Method<T>> transferMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("tryTransfer", "i", (q, a) -> q.tryTransfer((Integer) a[0])));
        m.add(new Method<>("hasWaitingConsumer", "", (q, a) -> q.hasWaitingConsumer()));
        m.add(new Method<>("getWaitingConsumerCount", "", (q, a) -> q.getWaitingConsumerCount()));
        return m;
    }

    static <T extends ConcurrentMap<Integer, Integer>> List<Method<T>> mapMethods() {
        List<Method<T>> m = new ArrayList<>();
        for (int i = 0; i < 4; i++) m.add(new Method<>("put", "kv", (q, a) -> q.put((Integer) a[0], (Integer) a[1])));
        for (int i = 0; i < 2; i++) {
            m.add(new Method<>("putIfAbsent", "kv", (q, a) -> q.putIfAbsent((Integer) a[0], (Integer) a[1])));
            m.add(new Method<>("putAll", "m", (q, a) -> { q.putAll(map(a[0])); return VOID; }));
            m.add(new Method<>("remove", "k", (q, a) -> q.remove(a[0])));
        }
        m.add(new Method<>("get", "k", (q, a) -> q.get(a[0])));
        m.add(new Method<>("getOrDefault", "kv", (q, a) -> q.getOrDefault(a[0], (Integer) a[1])));
        m.add(new Method<>("containsKey", "k", (q, a) -> q.containsKey(a[0])));
        m.add(new Method<>("containsValue", "v", (q, a) -> q.containsValue(a[0])));
        m.add(new Method<>("remove", "kv", (q, a) -> q.remove(a[0], a[1])));
        m.add(new Method<>("replace", "kv", (q, a) -> q.replace((Integer) a[0], (Integer) a[1])));
        m.add(new Method<>("replace", "kvv", (q, a) -> q.replace((Integer) a[0], (Integer) a[1], (Integer) a[2])));
        m.add(new Method<>("size", "", (q, a) -> q.size()));
        m.add(new Method<>("isEmpty", "", (q, a) -> q.isEmpty()));
        m.add(new Method<>("keySet", "", (q, a) -> q.keySet().toString()));
        m.add(new Method<>("values", "", (q, a) -> q.values().toString()));
        m.add(new Method<>("entrySet", "", (q, a) -> q.entrySet().toString()));
        m.add(new Method<>("toString", "", (q, a) -> q.toString()));
        if (random.nextInt(3) == 0) m.add(new Method<>("clear", "", (q, a) -> { q.clear(); return VOID; }));
        return m;
    }

    static <T extends ConcurrentHashMap<Integer, Integer>> List<Method<T>> hashMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("contains", "v", (q, a) -> q.contains(a[0])));
        m.add(new Method<>("mappingCount", "", (q, a) -> q.mappingCount()));
        m.add(new Method<>("keys", "", (q, a) -> enumeration(q.keys())));
        m.add(new Method<>("elements", "", (q, a) -> enumeration(q.elements())));
        return m;
    }

    static <T extends ConcurrentNavigableMap<Integer, Integer>> List<Method<T>> navigableMapMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("firstKey", "", (q, a) -> q.firstKey()));
        m.add(new Method<>("lastKey", "", (q, a) -> q.lastKey()));
        m.add(new Method<>("firstEntry", "", (q, a) -> q.firstEntry()));
        m.add(new Method<>("lastEntry", "", (q, a) -> q.lastEntry()));
        m.add(new Method<>("pollFirstEntry", "", (q, a) -> q.pollFirstEntry()));
        m.add(new Method<>("pollLastEntry", "", (q, a) -> q.pollLastEntry()));
        m.add(new Method<>("lowerKey", "k", (q, a) -> q.lowerKey((Integer) a[0])));
        m.add(new Method<>("floorKey", "k", (q, a) -> q.floorKey((Integer) a[0])));
        m.add(new Method<>("ceilingKey", "k", (q, a) -> q.ceilingKey((Integer) a[0])));
        m.add(new Method<>("higherKey", "k", (q, a) -> q.higherKey((Integer) a[0])));
        m.add(new Method<>("lowerEntry", "k", (q, a) -> q.lowerEntry((Integer) a[0])));
        m.add(new Method<>("floorEntry", "k", (q, a) -> q.floorEntry((Integer) a[0])));
        m.add(new Method<>("ceilingEntry", "k", (q, a) -> q.ceilingEntry((Integer) a[0])));
        m.add(new Method<>("higherEntry", "k", (q, a) -> q.higherEntry((Integer) a[0])));
        m.add(new Method<>("headMap", "k", (q, a) -> q.headMap((Integer) a[0]).toString()));
        m.add(new Method<>("tailMap", "k", (q, a) -> q.tailMap((Integer) a[0]).toString()));
        m.add(new Method<>("subMap", "kk", (q, a) -> q.subMap((Integer) a[0], (Integer) a[1]).toString()));
        m.add(new Method<>("headMap", "kb", (q, a) -> q.headMap((Integer) a[0], (Boolean) a[1]).toString()));
        m.add(new Method<>("tailMap", "kb", (q, a) -> q.tailMap((Integer) a[0], (Boolean) a[1]).toString()));
        m.add(new Method<>("subMap", "kbkb", (q, a) ->
            q.subMap((Integer) a[0], (Boolean) a[1], (Integer) a[2], (Boolean) a[3]).toString()));
        m.add(new Method<>("navigableKeySet", "", (q, a) -> q.navigableKeySet().toString()));
        m.add(new Method<>("descendingKeySet", "", (q, a) -> q.descendingKeySet().toString()));
        m.add(new Method<>("descendingMap", "", (q, a) -> q.descendingMap().toString()));
        return m;
    }

    static <T extends NavigableSet<Integer>> List<Method<T>> navigableSetMethods() {
        List<Method<T>> m = new ArrayList<>();
        m.add(new Method<>("first", "", (q, a) -> q.first()));
        m.add(new Method<>("last", "", (q, a) -> q.last()));
        m.add(new Method<>("pollFirst", "", (q, a) -> q.pollFirst()));
        m.add(new Method<>("pollLast", "", (q, a) -> q.pollLast()));
        m.add(new Method<>("lower", "i", (q, a) -> q.lower((Integer) a[0])));
        m.add(new Method<>("floor", "i", (q, a) -> q.floor((Integer) a[0])));
        m.add(new Method<>("ceiling", "i", (q, a) -> q.ceiling((Integer) a[0])));
        m.add(new Method<>("higher", "i", (q, a) -> q.higher((Integer) a[0])));
        m.add(new Method<>("headSet", "i", (q, a) -> q.headSet((Integer) a[0]).toString()));
        m.add(new Method<>("tailSet", "i", (q, a) -> q.tailSet((Integer) a[0]).toString()));
        m.add(new Method<>("subSet", "ii", (q, a) -> q.subSet((Integer) a[0], (Integer) a[1]).toString()));
        m.add(new Method<>("headSet", "ib", (q, a) -> q.headSet((Integer) a[0], (Boolean) a[1]).toString()));
        m.add(new Method<>("tailSet", "ib", (q, a) -> q.tailSet((Integer) a[0], (Boolean) a[1]).toString()));
        m.add(new Method<>("subSet", "ibib", (q, a) ->
            q.subSet((Integer) a[0], (Boolean) a[1], (Integer) a[2], (Boolean) a[3]).toString()));
        m.add(new Method<>("descendingSet", "", (q, a) -> q.descendingSet().toString()));
        return m;
    }

    @SuppressWarnings("unchecked")
    static Collection<Integer> collection(Object o) { return (Collection<Integer>) o; }

    @SuppressWarnings("unchecked")
    static Map<Integer, Integer> map(Object o) { return (Map<Integer, Integer>) o; }

    static Integer element() { return random.nextInt(40) == 0 ? null : pool[random.nextInt(pool.length)]; }

    static Integer small() { return random.nextInt(40) == 0 ? null : random.nextInt(4); }

    static Object argument(char kind) {
        switch (kind) {
            case 'i': case 'k': return element();
            case 'v': return small();
            case 'b': return random.nextBoolean();
            case 'c':
                if (random.nextInt(40) == 0) return null;
                List<Integer> list = new ArrayList<>();
                for (int n = random.nextInt(longest + 1); n > 0; n--) list.add(element());
                return list;
            default:
                if (random.nextInt(40) == 0) return null;
                Map<Integer, Integer> map = new TreeMap<>(); // iterates in ascending order
                int most = random.nextInt(8) == 0 ? Math.max(20, pool.length / 2) : 5;
                for (int n = random.nextInt(most); n > 0; n--)
                    map.put(pool[random.nextInt(pool.length)], random.nextInt(60) == 0 ? null : random.nextInt(4));
                return map;
        }
    }

    static String write(Object arg) {
        return String.valueOf(arg).replace(", ", ",").replace('=', ':');
    }

    static <T> void program(String header, T object, List<Method<T>> methods, int calls) {
        StringBuilder line = new StringBuilder(header);
        boolean growing = random.nextInt(3) == 0; // then half of the calls are of the first two methods, which add
        for (int i = 0; i < calls; i++) {
            Method<T> m = methods.get(random.nextInt(growing && random.nextBoolean() ? 2 : methods.size()));
            Object[] args = new Object[m.params.length()];
            line.append("; ").append(m.name);
            for (int j = 0; j < args.length; j++) {
                args[j] = argument(m.params.charAt(j));
                line.append(' ').append(write(args[j]));
            }
            Object answer;
            try { answer = m.call.on(object, args); } catch (Exception e) { answer = e.getClass().getName(); }
            line.append(" = ").append(answer);
        }
        out.println(line);
    }

    /** Keys that share bins in every way: equal hashes, long lists, lists that split, large tables. */
    static int[] keys() {
        int kind = random.nextInt(10);
        int step = 1 << (kind < 2 ? 0 : 2 + random.nextInt(kind < 5 ? 4 : 10));
        int[] keys = new int[kind == 0 ? 4 : kind < 5 ? 12 : kind < 8 ? 40 : 200];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i * step;
            if (kind == 3) keys[i] += random.nextInt(2);
            if (kind == 4) keys[i] = random.nextInt();
            if (kind == 6) keys[i] = i / 2 * step ^ (i % 2 == 0 ? 0 : 0x80008000); // two of each hash
            if (kind == 9) keys[i] = i % 8 == 0 ? i / 8 << 10 : i; // a list that stays whole while the table grows
            if (kind == 7) keys[i] += random.nextInt(3) << 16;
        }
        return keys;
    }

    /** Keys that never make a tree of a bin: at most seven share a bin of 64, the smallest table with trees. */
    static int[] withoutTrees(int[] keys) {
        int[] bins = new int[64];
        return Arrays.stream(keys).distinct().filter(k -> bins[(k ^ k >>> 16) & 63]++ < 7).toArray();
    }

    @SafeVarargs
    static <T> List<Method<T>> all(List<Method<T>>... lists) {
        List<Method<T>> m = new ArrayList<>();
        for (List<Method<T>> l : lists) m.addAll(l);
        return m;
    }

    static <T extends Queue<Integer>> List<Method<T>> queue() { return all(collectionMethods(), queueMethods()); }

    static <T extends BlockingQueue<Integer>> List<Method<T>> blocking() { return all(queue(), blockingMethods()); }

    /** A capacity, usually small enough to be reached. */
    static int capacity() { return 1 + random.nextInt(random.nextInt(3) == 0 ? 20 : 5); }

    static void one(String name, int most) {
        int calls = 1 + random.nextInt(most);
        pool = new int[] {0, 1, 2, 3};
        longest = random.nextInt(10) == 0 ? 8 : 3;
        int n = capacity();
        boolean bounded = random.nextBoolean();
        String header = name + (bounded ? ":" + n : "");
        switch (name) {
            case "ArrayBlockingQueue" ->
                program(name + ":" + n, new ArrayBlockingQueue<Integer>(n), blocking(), calls);
            case "ConcurrentLinkedQueue" -> program(name, new ConcurrentLinkedQueue<Integer>(), queue(), calls);
            case "ConcurrentLinkedDeque" ->
                program(name, new ConcurrentLinkedDeque<Integer>(), all(queue(), dequeMethods()), calls);
            case "LinkedBlockingQueue" ->
                program(header, bounded ? new LinkedBlockingQueue<Integer>(n) : new LinkedBlockingQueue<Integer>(),
                    blocking(), calls);
            case "LinkedBlockingDeque" ->
                program(header, bounded ? new LinkedBlockingDeque<Integer>(n) : new LinkedBlockingDeque<Integer>(),
                    all(blocking(), dequeMethods(), blockingDequeMethods()), calls);
            case "LinkedTransferQueue" ->
                program(name, new LinkedTransferQueue<Integer>(), all(blocking(), transferMethods()), calls);
            case "PriorityBlockingQueue" -> {
                // The order of the heap matters most if many elements differ and many are removed at once.
                pool = new int[4 + random.nextInt(20)];
                for (int i = 0; i < pool.length; i++) pool[i] = i - 2;
                longest = 3 + random.nextInt(pool.length);
                program(header, bounded ? new PriorityBlockingQueue<Integer>(n) : new PriorityBlockingQueue<Integer>(),
                    blocking(), calls);
            }
            case "ConcurrentSkipListMap" -> {
                if (random.nextInt(4) == 0) pool = keys();
                program(name, new ConcurrentSkipListMap<Integer, Integer>(),
                    all(mapMethods(), navigableMapMethods()), calls);
            }
            case "ConcurrentSkipListSet" -> {
                if (random.nextInt(4) == 0) pool = keys();
                List<Method<ConcurrentSkipListSet<Integer>>> m = all(collectionMethods(), navigableSetMethods());
                for (int i = 0; i < 4; i++) m.add(m.get(0));
                program(name, new ConcurrentSkipListSet<Integer>(), m, calls);
            }
            case "ConcurrentHashMap" -> {
                pool = withoutTrees(keys());
                int initial = random.nextInt(100);
                if (random.nextInt(4) > 0) {
                    program(name, new ConcurrentHashMap<Integer, Integer>(), all(mapMethods(), hashMethods()), calls);
                } else {
                    program(name + ":" + initial, new ConcurrentHashMap<Integer, Integer>(initial),
                        all(mapMethods(), hashMethods()), calls);
                }
            }
            default -> throw new IllegalArgumentException(name);
        }
    }

    public static void main(String[] args) {
        int calls = args.length > 3 ? Integer.parseInt(args[3]) : 30;
        out.println("# java Programs.java " + String.join(" ", args) + " on java.version " + System.getProperty("java.version"));
        for (String name : args[0].split(",")) {
            random = new Random(Long.parseLong(args[1]));
            for (int i = Integer.parseInt(args[2]); i > 0; i--) one(name, calls);
        }
        out.flush();
    }
}
