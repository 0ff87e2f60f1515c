package io.croupier.cli.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.StringUtils;

/** A few lines every few seconds, for logs and pipes. */
final class PlainLines implements Progress {

  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final List<Entrant> entrants;
  private final long people;
  private final String fitName;
  private final PrintStream out;
  private long next = System.nanoTime() + EVERY_NANOS;

  PlainLines(List<Entrant> entrants, long people, String fitName, PrintStream out) {
    this.entrants = entrants;
    this.people = people;
    this.fitName = fitName;
    this.out = out;
  }

  @Override
  public void show(List<Standing> standings, double reportsPerSecond) {
    if (System.nanoTime() - next < 0) {
      return;
    }
    next = System.nanoTime() + EVERY_NANOS;
    out.println(lines(standings, reportsPerSecond));
  }

  /** The present state as text. */
  String lines(List<Standing> standings, double reportsPerSecond) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%s of %s people have reported; %,.0f reports/s",
                Numbers.count(standings.stream().mapToLong(Standing::settled).min().orElse(0)),
                Numbers.count(people),
                reportsPerSecond));
    int width = entrants.stream().mapToInt(entrant -> entrant.label().length()).max().orElse(0);
    for (int i = 0; i < entrants.size(); i++) {
      text.append(System.lineSeparator())
          .append("  ")
          .append(StringUtils.rightPad(entrants.get(i).label(), width))
          .append("  ")
          .append(standings.get(i).inWords(fitName));
    }
    return text.toString();
  }

  @Override
  public void close() {
    out.flush();
  }
}
