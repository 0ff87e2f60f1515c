package io.croupier.cli.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.StringUtils;

/** Prints a few lines every 5 s, for logs and pipes. */
final class PlainLines implements Progress {

  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final List<ComparedLearner> learners;
  private final DemoParameters parameters;
  private final String fitName;
  private final PrintStream out;
  private long next = System.nanoTime() + EVERY_NANOS;

  PlainLines(
      List<ComparedLearner> learners, DemoParameters parameters, String fitName, PrintStream out) {
    this.learners = learners;
    this.parameters = parameters;
    this.fitName = fitName;
    this.out = out;
  }

  @Override
  public void show(List<ModelStatus> statuses, double reportsPerSecond) {
    if (isTime()) {
      out.println(lines(statuses, reportsPerSecond));
    }
  }

  @Override
  public void showTokens(long granted, long all) {
    if (isTime()) {
      out.println(
          "%s of %s tokens are granted"
              .formatted(NumberFormats.count(granted), NumberFormats.count(all)));
    }
  }

  private boolean isTime() {
    if (System.nanoTime() - next < 0) {
      return false;
    }
    next = System.nanoTime() + EVERY_NANOS;
    return true;
  }

  /** The current state as text. */
  String lines(List<ModelStatus> statuses, double reportsPerSecond) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%s of %s people have reported; %,.0f reports/s",
                NumberFormats.count(Progress.reported(learners, parameters, statuses)),
                NumberFormats.count(parameters.people()),
                reportsPerSecond));
    int width = learners.stream().mapToInt(learner -> learner.label().length()).max().orElse(0);
    for (int i = 0; i < learners.size(); i++) {
      text.append(System.lineSeparator())
          .append("  ")
          .append(StringUtils.rightPad(learners.get(i).label(), width))
          .append("  ")
          .append(statuses.get(i).inWords(fitName));
    }
    return text.toString();
  }

  @Override
  public void close() {
    out.flush();
  }
}
