package io.croupier.cli.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.commons.lang3.StringUtils;

/** A few lines every few seconds, for logs and pipes. */
final class PlainLines implements Progress {

  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final List<Entrant> entrants;
  private final Terms terms;
  private final String fitName;
  private final PrintStream out;
  private long next = System.nanoTime() + EVERY_NANOS;

  PlainLines(List<Entrant> entrants, Terms terms, String fitName, PrintStream out) {
    this.entrants = entrants;
    this.terms = terms;
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
                Numbers.count(terms.people() - mostMissing(standings)),
                Numbers.count(terms.people()),
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

  /** Of the learner of which most people are still to be heard. */
  private long mostMissing(List<Standing> standings) {
    return IntStream.range(0, entrants.size())
        .mapToLong(i -> entrants.get(i).reports(terms) - standings.get(i).settled())
        .max()
        .orElse(0);
  }

  @Override
  public void close() {
    out.flush();
  }
}
