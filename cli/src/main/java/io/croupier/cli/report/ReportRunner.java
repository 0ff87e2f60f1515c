package io.croupier.cli.report;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.cli.InputException;
import io.croupier.cli.account.Digits;
import io.croupier.cli.io.CountBar;
import io.croupier.client.JobRefusedException;
import io.croupier.client.NotChosenException;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.Spent;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.operators.ledger.Totals;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reports gradients until the source is exhausted or the limit is reached. */
final class ReportRunner {
  private final Gradients gradients;
  private final ReportSink sink;
  private final LocalLedger ledger;
  private final Limit limit;
  private final Map<String, String> categories;
  private final int earlier;

  /** Rounds in which the person has voted: all lines of a round share the ledger's decision. */
  private final Set<Long> voted = new HashSet<>();

  private long reports;
  private long questions;
  private long unchosen;
  private long repeated;

  /**
   * Prepares a run.
   *
   * @param categories the person's category or value in each statistic that is known, by its name
   * @param earlier number of pending reports from an earlier run that the sink found in the ledger
   */
  ReportRunner(
      Gradients gradients,
      ReportSink sink,
      LocalLedger ledger,
      Limit limit,
      Map<String, String> categories,
      int earlier) {
    this.gradients = gradients;
    this.sink = sink;
    this.ledger = ledger;
    this.limit = limit;
    this.categories = categories;
    this.earlier = earlier;
  }

  /**
   * Reports all gradients.
   *
   * @return a summary, in words
   * @throws InputException if a gradient can't be reported, or the ledger can't be written; no
   *     later gradient is reported then
   */
  String run(Randomiser randomiser, CountBar bar) {
    try {
      for (EvaluatedGradient answer = gradients.next(); answer != null; answer = gradients.next()) {
        report(answer, randomiser);
        bar.step(1);
      }
      sink.settle();
    } catch (InputException e) {
      throw ended(e);
    } catch (UncheckedIOException e) {
      throw ended(
          new InputException(
              "--ledger: %s. The next run resends the last report, if the file has it"
                  .formatted(e.getMessage()),
              e));
    }
    if (!ledger.pending().isEmpty()) {
      throw new InputException(summary());
    }
    return summary();
  }

  /** The error that ended the run, with the summary of the reports before it. */
  private InputException ended(InputException cause) {
    List<String> messages = new ArrayList<>(cause.getMessage().lines().toList());
    try {
      sink.settle();
    } catch (InputException e) {
      messages.add(e.getMessage());
    }
    messages.add(summary());
    return new InputException(messages, cause);
  }

  private void report(EvaluatedGradient answer, Randomiser randomiser) {
    long round = answer.terms().round();
    if (!voted.contains(round)) {
      answer.know(categories);
    }
    try {
      sink.report(answer, randomiser);
      reports++;
      if (answer.isVote()) {
        voted.add(round);
      }
      questions += answer.isBit() ? 1 : 0;
    } catch (NotChosenException e) {
      // The model's probabilities require this, or its question has no answer from this device. The
      // count explains the missing report.
      unchosen++;
    } catch (AlreadyReportedException e) {
      // Nothing is spent on it. The count explains the missing report.
      repeated++;
    } catch (LimitReachedException e) {
      throw unreported("The limit is reached", e);
    } catch (JobRefusedException e) {
      throw unreported("The job would refuse the report", e);
    } catch (IllegalArgumentException e) {
      throw new InputException("%s: %s".formatted(gradients.place(), e.getMessage()), e);
    }
  }

  private InputException unreported(String what, RuntimeException cause) {
    return new InputException(
        "%s: %s. Not reported: %s and %s"
            .formatted(what, cause.getMessage(), gradients.place(), gradients.left()),
        cause);
  }

  private String summary() {
    int pending = ledger.pending().size();
    return "%s%s%s%s%s. In the ledger: %s.%s%s"
        .formatted(
            sink.done(reports, pending),
            questions == 0 ? "" : ", %d of them answers to questions".formatted(questions),
            unchosen == 0 ? "" : ", %d not chosen".formatted(unchosen),
            repeated == 0 ? "" : ", %d already reported".formatted(repeated),
            earlier == 0 ? "" : ", after %d from an earlier run".formatted(earlier),
            inWords(ledger.spent(), limit),
            repeated == 0
                ? ""
                : " The same data are reported once; --times N allows more, and --key names other"
                    + " data.",
            pending == 0
                ? ""
                : " Not acknowledged: %d; run the command again to resend them."
                    .formatted(pending));
  }

  /** The spend and its limits; parts that are neither spent nor limited are left out. */
  private static String inWords(Spent spent, Limit limit) {
    List<String> parts = new ArrayList<>();
    boolean counted = limit.reports() < Long.MAX_VALUE;
    String reports = spent.reports() == 1 ? "1 report" : spent.reports() + " reports";
    parts.add(reports + (counted ? " of " + limit.reports() : ""));
    if (spent.undisclosed() > 0) {
      parts.add("%d of them undisclosed".formatted(spent.undisclosed()));
    }
    if (spent.unbounded() > 0) {
      parts.add(
          ("%d of them without a bound (a coordinate is not private, or the cost of custom noise is"
                  + " unknown)")
              .formatted(spent.unbounded()));
    }
    addLevel(parts, "epsilon", spent.epsilonNanos(), spent.epsilonInWords(), limit.epsilon());
    double mu = DecimalUnits.rootUp(spent.muSquaredPicos());
    addLevel(parts, "mu", spent.muSquaredPicos(), Digits.sum(mu, Totals.LARGEST_MU), limit.mu());
    return String.join(", ", parts);
  }

  private static void addLevel(
      List<String> parts, String name, long units, String spent, double limit) {
    boolean limited = limit > 0 && limit < Double.POSITIVE_INFINITY;
    if (units > 0 || limited) {
      parts.add(name + " " + spent + (limited ? " of " + Digits.all(limit) : ""));
    }
  }
}
