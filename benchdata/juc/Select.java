import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.IntStream;

/**
 * Selects from recorded histories as many as Table 1 of "Checking Linearizability Using Hitting
 * Families" has of a class, with about the same concurrency:
 *
 *   java Select.java --like ConcurrentHashMap --seed 1 <pool.jsonl >corpus.jsonl
 *
 * It reads and writes what Recorder.java writes. It looks at nothing but c and cp: how many operations
 * are open at once at most, and how many pairs of operations are concurrent. It never replays, so
 * whether a history is linearizable, and how hard that is to see, cannot influence what is kept.
 *
 * The rule: a history that occurs twice counts once. Of sequential histories (cp = 0) as many as the
 * paper has are drawn uniformly. The others are divided into strata by (c, cp), those beyond the paper's
 * maxima left out. One history is drawn of the stratum with the greatest c, and there the greatest cp, so
 * that the maximum is met even where it is rare. For the rest, a stratum of n histories gets a share in
 * proportion to n exp(x1 c + x2 c^2 + x3 cp + x4 cp^2), with those x for which c and cp have the paper's
 * means and standard deviations. Of all distributions that have them this is the nearest (in relative
 * entropy) to the pool's. Within a stratum histories are drawn uniformly; what a stratum lacks falls to
 * the next by cp. The order is that of the pool.
 */
public class Select {
    /** A row of Table 1, with #Hists of Table 3: means and deviations are those of the non-sequential histories. */
    record Row(String name, int histories, int nonSequential, int maxC, double meanC, double sdC, int maxCp, double meanCp, double sdCp) {}

    static final List<Row> PAPER = List.of(
        new Row("ArrayBlockingQueue", 1029, 723, 7, 2.21, 0.91, 52, 3.94, 7.71),
        new Row("ConcurrentHashMap", 1055, 1054, 2, 2.00, 0.00, 13, 8.42, 1.93),
        new Row("ConcurrentLinkedDeque", 681, 520, 6, 2.37, 0.78, 34, 4.26, 4.85),
        new Row("ConcurrentLinkedQueue", 780, 619, 7, 2.27, 0.85, 49, 4.21, 7.01),
        new Row("ConcurrentSkipListMap", 1506, 1358, 7, 2.28, 0.56, 48, 4.04, 3.62),
        new Row("ConcurrentSkipListSet", 417, 417, 6, 2.54, 1.28, 63, 10.00, 15.77),
        new Row("LinkedBlockingDeque", 1131, 1106, 4, 2.63, 0.82, 18, 5.99, 4.57),
        new Row("LinkedBlockingQueue", 1199, 1185, 3, 2.54, 0.50, 15, 7.28, 3.40),
        new Row("LinkedTransferQueue", 1355, 1261, 5, 2.10, 0.45, 43, 4.79, 5.14),
        new Row("PriorityBlockingQueue", 1311, 982, 7, 2.32, 1.04, 59, 4.94, 9.57));

    /** A history as it was read; number is its place in the pool. */
    record History(int number, String text, int c, int cp) {}

    /** The histories of one c and cp. */
    record Stratum(int c, int cp, List<History> histories) {}

    static List<History> read(BufferedReader in) throws IOException {
        List<History> pool = new ArrayList<>();
        Set<String> bodies = new HashSet<>();
        String header = null;
        StringBuilder body = new StringBuilder();
        int open = 0, c = 0, cp = 0;
        for (boolean more = true; more; ) {
            String line = in.readLine();
            more = line != null;
            if (!more || line.startsWith("{\"leadline\"")) {
                if (header != null && bodies.add(body.toString())) pool.add(new History(pool.size(), header + body, c, cp));
                header = line + "\n";
                body.setLength(0);
                open = c = cp = 0;
                continue;
            }
            if (line.contains("\"type\":\"invoke\"")) { // concurrent with all that are open now
                cp += open;
                c = Math.max(c, ++open);
            } else {
                open--;
            }
            body.append(line).append('\n');
        }
        return pool;
    }

    /** The four numbers whose means decide a stratum's share, scaled so that they are of like size. */
    static double[] features(double c, double cp, double c2, double cp2, Row row) {
        return new double[] {c / row.maxC, c2 / row.maxC / row.maxC, cp / row.maxCp, cp2 / row.maxCp / row.maxCp};
    }

    /**
     * The shares of the strata, when the first history is kept already. Newton's method on the convex dual, log sum n exp(x f - x target), whose gradient
     * is the difference between the means and their targets; a small ridge keeps it solvable where c is constant.
     */
    static double[] shares(List<Stratum> strata, Row row, History first) {
        double[] target = features(row.meanC, row.meanCp, row.sdC * row.sdC + row.meanC * row.meanC,
            row.sdCp * row.sdCp + row.meanCp * row.meanCp, row);
        double[] done = features(first.c(), first.cp(), first.c() * first.c(), first.cp() * first.cp(), row);
        for (int i = 0; i < 4; i++) target[i] = (target[i] * row.nonSequential - done[i]) / (row.nonSequential - 1);
        double[][] f = new double[strata.size()][];
        for (int s = 0; s < f.length; s++) {
            Stratum t = strata.get(s);
            f[s] = features(t.c(), t.cp(), t.c() * t.c(), t.cp() * t.cp(), row);
            for (int i = 0; i < 4; i++) f[s][i] -= target[i];
        }
        double[] x = new double[4], share = new double[f.length];
        double value = weigh(strata, f, x, share);
        for (int round = 0; round < 200; round++) {
            double[] gradient = new double[4];
            double[][] hessian = new double[4][4];
            for (int s = 0; s < f.length; s++)
                for (int i = 0; i < 4; i++) gradient[i] += share[s] * f[s][i];
            for (int s = 0; s < f.length; s++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 4; j++)
                        hessian[i][j] += share[s] * (f[s][i] - gradient[i]) * (f[s][j] - gradient[j]) + (i == j ? 1e-9 : 0) / f.length;
            double[] step = solve(hessian, gradient.clone());
            double scale = 1, next = Double.NaN;
            double[] y = new double[4];
            for (; scale > 1e-9; scale /= 2) {
                for (int i = 0; i < 4; i++) y[i] = x[i] - scale * step[i];
                next = weigh(strata, f, y, share);
                if (next <= value) break;
            }
            if (scale <= 1e-9 || value - next < 1e-13) break;
            x = y;
            value = next;
        }
        weigh(strata, f, x, share);
        return share;
    }

    /** Sets the shares for x and returns the dual's value. */
    static double weigh(List<Stratum> strata, double[][] f, double[] x, double[] share) {
        double most = Double.NEGATIVE_INFINITY, sum = 0;
        for (int s = 0; s < f.length; s++) {
            share[s] = Math.log(strata.get(s).histories().size());
            for (int i = 0; i < 4; i++) share[s] += x[i] * f[s][i];
            most = Math.max(most, share[s]);
        }
        for (int s = 0; s < f.length; s++) sum += share[s] = Math.exp(share[s] - most);
        for (int s = 0; s < f.length; s++) share[s] /= sum;
        return most + Math.log(sum);
    }

    /** Gaussian elimination; a is symmetric and positive definite. */
    static double[] solve(double[][] a, double[] b) {
        int n = b.length;
        for (int k = 0; k < n; k++)
            for (int i = k + 1; i < n; i++) {
                double factor = a[i][k] / a[k][k];
                for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
                b[i] -= factor * b[k];
            }
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) b[i] -= a[i][j] * b[j];
            b[i] /= a[i][i];
        }
        return b;
    }

    static List<History> select(List<History> pool, Row row, Random random) {
        List<History> sequential = new ArrayList<>();
        Map<Integer, Stratum> byKey = new TreeMap<>();
        for (History h : pool) {
            if (h.cp() == 0) sequential.add(h);
            else if (h.c() <= row.maxC && h.cp() <= row.maxCp)
                byKey.computeIfAbsent(h.cp() * 1000 + h.c(), k -> new Stratum(h.c(), h.cp(), new ArrayList<>())).histories().add(h);
        }
        List<Stratum> strata = List.copyOf(byKey.values());
        List<History> kept = new ArrayList<>(draw(sequential, row.histories - row.nonSequential, random));
        Stratum highest = Collections.max(strata, Comparator.comparingInt(Stratum::c).thenComparing(Stratum::cp));
        History first = highest.histories().remove(random.nextInt(highest.histories().size()));
        kept.add(first);
        strata = strata.stream().filter(s -> !s.histories().isEmpty()).toList();
        double[] share = shares(strata, row, first);
        for (int before = -1; before < kept.size() && kept.size() < row.histories; ) {
            before = kept.size();
            double due = 0;
            int rest = row.histories - before, taken = 0;
            // Rounding the running sum, not each share, passes on what a stratum rounds away or does not have.
            for (int s = 0; s < share.length; s++) {
                due += share[s] * rest;
                List<History> drawn = draw(strata.get(s).histories(), (int) Math.round(due) - taken, random);
                taken += drawn.size();
                kept.addAll(drawn);
                strata.get(s).histories().removeAll(Set.copyOf(drawn));
            }
        }
        kept.sort(Comparator.comparingInt(History::number));
        return kept;
    }

    /** Of histories n, or all if there are fewer. */
    static List<History> draw(List<History> histories, int n, Random random) {
        List<History> shuffled = new ArrayList<>(histories);
        Collections.shuffle(shuffled, random);
        return List.copyOf(shuffled.subList(0, Math.max(0, Math.min(n, shuffled.size()))));
    }

    static String statistics(List<History> histories) {
        List<History> open = histories.stream().filter(h -> h.cp() > 0).toList();
        return histories.size() + "\t" + open.size() + "\t" + moments(open.stream().mapToInt(History::c))
            + "\t" + moments(open.stream().mapToInt(History::cp));
    }

    static String moments(IntStream values) {
        int[] v = values.toArray();
        double mean = Arrays.stream(v).average().orElse(0);
        double squares = Arrays.stream(v).mapToDouble(x -> (x - mean) * (x - mean)).sum();
        return String.format(Locale.ROOT, "%d\t%.2f\t%.2f", Arrays.stream(v).max().orElse(0), mean, Math.sqrt(squares / Math.max(1, v.length - 1)));
    }

    public static void main(String[] args) throws IOException {
        Row row = null;
        long seed = 1;
        try {
            for (int i = 0; i < args.length; i += 2) {
                String flag = args[i], value = args[i + 1];
                switch (flag) {
                    case "--like" -> row = PAPER.stream().filter(r -> r.name.equals(value)).findFirst().orElseThrow();
                    case "--seed" -> seed = Long.parseLong(value);
                    default -> throw new NoSuchElementException();
                }
            }
            if (row == null) throw new NoSuchElementException();
        } catch (NoSuchElementException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            System.err.println("Usage: java Select.java --like CLASS [--seed N] <POOL >CORPUS");
            System.exit(2);
        }
        List<History> pool = read(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)));
        List<History> kept = select(pool, row, new Random(seed));
        PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, StandardCharsets.US_ASCII);
        for (History h : kept) out.print(h.text());
        out.flush();
        // histories, non-sequential ones, max, mean and deviation of c and of cp
        System.err.println(row.name + "\tpool\t" + statistics(pool));
        System.err.println(row.name + "\tkept\t" + statistics(kept));
        System.err.printf(Locale.ROOT, "%s\tpaper\t%d\t%d\t%d\t%.2f\t%.2f\t%d\t%.2f\t%.2f%n", row.name, row.histories, row.nonSequential,
            row.maxC, row.meanC, row.sdC, row.maxCp, row.meanCp, row.sdCp);
        if (out.checkError() || kept.size() < row.histories) {
            System.err.println("Select: " + kept.size() + " histories of " + row.histories + ": the pool is too small");
            System.exit(1);
        }
    }
}
