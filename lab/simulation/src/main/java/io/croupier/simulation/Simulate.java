package io.croupier.simulation;

import io.croupier.simulation.WorldRun.Outcome;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs simulated worlds. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs the job, its devices and their faults in one thread, each world from its seed, and"
            + " checks what has to hold in any of them. Exits with 1 at a finding.")
public final class Simulate implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private HowMany howMany;

  @Option(
      names = "--first",
      paramLabel = "SEED",
      description = "The first of the seeds; by default another one in each run.")
  private Long first;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Runs as many worlds at the same time. Default: ${DEFAULT-VALUE}",
      defaultValue = "1")
  private int threads;

  private static final class HowMany {
    @Option(names = "--seeds", paramLabel = "N", description = "Runs as many seeds.")
    private Long seeds;

    @Option(
        names = "--seed",
        paramLabel = "SEED",
        description = "Runs one seed, and prints what happens in it.")
    private Long seed;

    @Option(names = "--minutes", paramLabel = "N", description = "Runs seeds for as long.")
    private Integer minutes;
  }

  private long seeds;
  private long events;
  private long findings;

  /** Runs the command, and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Simulate()).execute(args));
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (howMany.seed != null) {
      run(howMany.seed, true, out);
    } else {
      long begin = first != null ? first : System.currentTimeMillis() * 1_000_000;
      out.println("The first seed is " + begin);
      AtomicLong next = new AtomicLong();
      LongPredicate goesOn = end();
      Runnable worker =
          () -> {
            for (long i = next.getAndIncrement(); goesOn.test(i); i = next.getAndIncrement()) {
              run(begin + i, false, out);
            }
          };
      CompletableFuture.allOf(
              IntStream.range(0, threads)
                  .mapToObj(
                      i -> CompletableFuture.runAsync(worker, task -> new Thread(task).start()))
                  .toArray(CompletableFuture<?>[]::new))
          .join();
    }
    out.println("%d seeds, %d events, %d findings".formatted(seeds, events, findings));
    out.flush();
    return findings == 0 ? 0 : 1;
  }

  /** Whether the seed of a number, from 0, is to run. */
  private LongPredicate end() {
    if (howMany.seeds != null) {
      return i -> i < howMany.seeds;
    }
    long end = System.nanoTime() + Duration.ofMinutes(howMany.minutes).toNanos();
    return i -> System.nanoTime() - end < 0;
  }

  private void run(long seed, boolean prints, PrintWriter out) {
    Outcome outcome = WorldRun.run(seed, new Parts());
    String found =
        outcome.finding().isEmpty()
            ? ""
            : report(seed, Shrinker.shrink(seed, Parts::new, outcome)) + "\n";
    synchronized (this) {
      seeds++;
      events += outcome.events();
      if (prints) {
        outcome.lines().forEach(out::println);
      }
      if (!found.isEmpty()) {
        findings++;
        out.print(found);
        out.flush();
      }
    }
  }

  /** What a person needs to understand a finding: the shortest schedule that leads to it. */
  static String report(long seed, Outcome shortest) {
    return "Seed "
        + seed
        + ", the shortest way to its finding:\n"
        + String.join("\n", shortest.lines());
  }
}
