package io.croupier.simulation;

import io.croupier.simulation.WorldRun.Outcome;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
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
      long next = first != null ? first : System.currentTimeMillis() * 1_000_000;
      out.println("The first seed is " + next);
      for (BooleanSupplier goesOn = end(); goesOn.getAsBoolean(); next++) {
        run(next, false, out);
      }
    }
    out.println("%d seeds, %d events, %d findings".formatted(seeds, events, findings));
    out.flush();
    return findings == 0 ? 0 : 1;
  }

  private BooleanSupplier end() {
    if (howMany.seeds != null) {
      return () -> seeds < howMany.seeds;
    }
    long end = System.nanoTime() + Duration.ofMinutes(howMany.minutes).toNanos();
    return () -> System.nanoTime() - end < 0;
  }

  private void run(long seed, boolean prints, PrintWriter out) {
    Outcome outcome = WorldRun.run(seed, new Parts());
    seeds++;
    events += outcome.events();
    if (prints) {
      outcome.lines().forEach(out::println);
    }
    if (outcome.finding().isPresent()) {
      findings++;
      out.println(report(seed, Shrinker.shrink(seed, Parts::new, outcome)));
      out.flush();
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
