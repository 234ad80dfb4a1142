import java.util.*;
import java.util.concurrent.*;

/**
 * Writes random sequential programs on classes of java.util.concurrent, each with the answers the
 * JDK gives, one program per line, for TestJDK:
 *
 *   java Programs.java CLASS SEED PROGRAMS [CALLS] >FILE
 *
 * A line is CLASS[:ARG]; METHOD ARG ARG = ANSWER; ... where "-" is the answer of a void method and
 * "blocks" stands for a call that would not have returned and was not made.
 */
public class Programs {
    static Random random;
    static int[] pool; // the values, or keys, of one program

    /** What happens when a method of a given name and number of arguments is called. */
    interface Call<T> { Object on(T object, Object[] args) throws Exception; }

    record Method<T>(String name, String params, Call<T> call) {}

    static final Object VOID = new Object() { public String toString() { return "-"; } };
    static final Object BLOCKS = new Object() { public String toString() { return "blocks"; } };

    static String array(Object[] a) { return Arrays.toString(a).replace(", ", ","); }

    static String enumeration(Enumeration<?> e) { return array(Collections.list(e).toArray()); }

    static <T extends Queue<Integer>> List<Method<T>> queueMethods() {
        List<Method<T>> m = new ArrayList<>();
        for (int i = 0; i < 2; i++) { // twice as often as the rest
            m.add(new Method<>("add", "i", (q, a) -> q.add((Integer) a[0])));
            m.add(new Method<>("offer", "i", (q, a) -> q.offer((Integer) a[0])));
            m.add(new Method<>("addAll", "c", (q, a) -> q.addAll(collection(a[0]))));
        }
        m.add(new Method<>("poll", "", (q, a) -> q.poll()));
        m.add(new Method<>("peek", "", (q, a) -> q.peek()));
        m.add(new Method<>("element", "", (q, a) -> q.element()));
        m.add(new Method<>("remove", "", (q, a) -> q.remove()));
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

    static <T extends BlockingQueue<Integer>> List<Method<T>> blockingMethods() {
        List<Method<T>> m = new ArrayList<>(queueMethods());
        m.add(new Method<>("put", "i", (q, a) -> {
            if (a[0] != null && q.remainingCapacity() == 0) return BLOCKS;
            q.put((Integer) a[0]);
            return VOID;
        }));
        m.add(new Method<>("take", "", (q, a) -> q.isEmpty() ? BLOCKS : q.take()));
        m.add(new Method<>("remainingCapacity", "", (q, a) -> q.remainingCapacity()));
        return m;
    }

    static <T extends ConcurrentHashMap<Integer, Integer>> List<Method<T>> mapMethods() {
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
        m.add(new Method<>("contains", "v", (q, a) -> q.contains(a[0])));
        m.add(new Method<>("remove", "kv", (q, a) -> q.remove(a[0], a[1])));
        m.add(new Method<>("replace", "kv", (q, a) -> q.replace((Integer) a[0], (Integer) a[1])));
        m.add(new Method<>("replace", "kvv", (q, a) -> q.replace((Integer) a[0], (Integer) a[1], (Integer) a[2])));
        m.add(new Method<>("size", "", (q, a) -> q.size()));
        m.add(new Method<>("mappingCount", "", (q, a) -> q.mappingCount()));
        m.add(new Method<>("isEmpty", "", (q, a) -> q.isEmpty()));
        m.add(new Method<>("keySet", "", (q, a) -> q.keySet().toString()));
        m.add(new Method<>("values", "", (q, a) -> q.values().toString()));
        m.add(new Method<>("entrySet", "", (q, a) -> q.entrySet().toString()));
        m.add(new Method<>("keys", "", (q, a) -> enumeration(q.keys())));
        m.add(new Method<>("elements", "", (q, a) -> enumeration(q.elements())));
        m.add(new Method<>("toString", "", (q, a) -> q.toString()));
        if (random.nextInt(3) == 0) m.add(new Method<>("clear", "", (q, a) -> { q.clear(); return VOID; }));
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
            case 'c':
                if (random.nextInt(40) == 0) return null;
                List<Integer> list = new ArrayList<>();
                for (int n = random.nextInt(4); n > 0; n--) list.add(element());
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
        for (int i = 0; i < calls; i++) {
            Method<T> m = methods.get(random.nextInt(methods.size()));
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
        System.out.println(line);
    }

    /** Keys that share bins in ways of every kind: equal hashes, long lists, trees that split, large tables. */
    static int[] keys() {
        int kind = random.nextInt(10);
        int step = 1 << (kind < 2 ? 0 : 2 + random.nextInt(kind < 5 ? 4 : 10));
        int[] keys = new int[kind == 0 ? 4 : kind < 5 ? 12 : kind < 8 ? 40 : 200];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i * step;
            if (kind == 3) keys[i] += random.nextInt(2);
            if (kind == 4) keys[i] = random.nextInt();
            if (kind == 6) keys[i] = i / 2 * step ^ (i % 2 == 0 ? 0 : 0x80008000); // two of each hash
            if (kind == 9) keys[i] = i % 8 == 0 ? i / 8 << 10 : i; // a tree that stays whole while the table grows
            if (kind == 7) keys[i] += random.nextInt(3) << 16;
        }
        return keys;
    }

    static void one(String name, int most) {
        int calls = 1 + random.nextInt(most);
        pool = new int[] {0, 1, 2, 3};
        switch (name) {
            case "ArrayBlockingQueue":
                int capacity = 1 + random.nextInt(random.nextInt(3) == 0 ? 20 : 5);
                program(name + ":" + capacity, new ArrayBlockingQueue<Integer>(capacity), blockingMethods(), calls);
                break;
            case "ConcurrentLinkedQueue":
                program(name, new ConcurrentLinkedQueue<Integer>(), queueMethods(), calls);
                break;
            case "ConcurrentHashMap":
                pool = keys();
                if (random.nextInt(4) > 0) {
                    program(name, new ConcurrentHashMap<Integer, Integer>(), mapMethods(), calls);
                } else {
                    int initial = random.nextInt(100);
                    program(name + ":" + initial, new ConcurrentHashMap<Integer, Integer>(initial), mapMethods(), calls);
                }
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    public static void main(String[] args) {
        random = new Random(Long.parseLong(args[1]));
        int calls = args.length > 3 ? Integer.parseInt(args[3]) : 30;
        System.out.println("# java Programs.java " + String.join(" ", args) + " on java.version " + System.getProperty("java.version"));
        for (int i = Integer.parseInt(args[2]); i > 0; i--) one(args[0], calls);
    }
}
