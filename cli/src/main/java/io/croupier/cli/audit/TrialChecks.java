package io.croupier.cli.audit;

import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.cli.audit.DeviceTrial.TrialReports;
import io.croupier.cli.audit.DeviceTrial.TrialStep;
import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.HashedResponse;
import io.croupier.schemas.Statistic;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the reports of a device under test show. */
final class TrialChecks {
  private final TrialModel model;
  private final double epsilon;
  private final TrialReports received;
  private final double falseAlarm;
  private final List<Line> lines = new ArrayList<>();

  /**
   * One thing that was checked.
   *
   * @param detail what was seen, and what would be right
   */
  record Line(String check, boolean passed, String detail) {}

  private TrialChecks(DeviceTrial trial, double falseAlarm) {
    model = trial.model();
    epsilon = trial.epsilon();
    received = trial.received();
    this.falseAlarm = falseAlarm;
  }

  /**
   * The checks in the order in which they are printed.
   *
   * @param falseAlarm bound on the probability that the noise of a right device fails
   */
  static List<Line> of(DeviceTrial trial, double falseAlarm) {
    TrialChecks checks = new TrialChecks(trial, falseAlarm);
    checks.addReports();
    checks.addLimit();
    checks.addOnce();
    checks.addResend();
    checks.addAnswers();
    checks.addVotes();
    checks.addGradients();
    return checks.lines;
  }

  private void add(String check, boolean passed, String detail) {
    lines.add(new Line(check, passed, detail));
  }

  private int count(TrialStep step) {
    return received.counts().getOrDefault(step, 0);
  }

  private void addReports() {
    int count = received.counts().values().stream().mapToInt(Integer::intValue).sum();
    String objection =
        received.objection().isEmpty() && !received.isComplete()
            ? "the device ended before the last task"
            : received.objection();
    add(
        "reports",
        objection.isEmpty(),
        objection.isEmpty() ? "%,d, each of which the job takes".formatted(count) : objection);
  }

  private void addLimit() {
    int most = DeviceTrial.WITHIN_LIMIT;
    add(
        "limit",
        count(TrialStep.LIMIT) == most,
        "%d reports under a limit of %s; it admits %d"
            .formatted(count(TrialStep.LIMIT), Finding.number(most * epsilon), most));
  }

  private void addOnce() {
    add(
        "once",
        count(TrialStep.ONCE) == 1,
        "%d reports of the same key; it must be 1".formatted(count(TrialStep.ONCE)));
  }

  private void addResend() {
    add(
        "resend",
        received.isResent(),
        received.isResent()
            ? "the report that was answered by 503 was sent again, the same bytes"
            : "a report that is answered by 503 must be sent again, the same bytes, and no other");
  }

  private void addAnswers() {
    if (model.question().isEmpty()) {
      return;
    }
    int right = 0;
    int total = 0;
    for (int row = 0; row < 2; row++) {
      boolean truth = model.truth(row == 0);
      List<Boolean> bits = received.bits().get(row);
      total += bits.size();
      right += (int) bits.stream().filter(bit -> bit == truth).count();
    }
    addBits("answers", right, total);
  }

  private void addBits(String name, int right, int total) {
    double claimed = (1 + new RandomisedResponseMechanism(epsilon, false).law().strength()) / 2;
    boolean passed =
        total > 0 && !ClopperPearson.check("", claimed, right, total, falseAlarm / 8).refuted();
    add(
        name,
        passed,
        "%s of %,d answers are true; by the noise it is %s"
            .formatted(
                total == 0 ? "none" : Finding.number(right / (double) total),
                total,
                Finding.number(claimed)));
  }

  private void addVotes() {
    if (model.statistic().isEmpty()) {
      return;
    }
    List<GradientReport> ofFirst = received.votes().get(0);
    List<GradientReport> ofLast = received.votes().get(1);
    int pairs = Math.min(ofFirst.size(), ofLast.size());
    Statistic statistic = model.statistic().get();
    if (pairs == 0) {
      add("votes", false, "there are no votes of both people for " + statistic.getName());
    } else if (statistic.hasQuantiles()) {
      int right = 0;
      for (int i = 0; i < pairs; i++) {
        right += ofFirst.get(i).getAnswer().getBit() ? 1 : 0;
        right += ofLast.get(i).getAnswer().getBit() ? 0 : 1;
      }
      addBits("votes", right, 2 * pairs);
    } else {
      addVotes(statistic.getChoice().getCategoriesCount(), ofFirst, ofLast, pairs);
    }
  }

  private void addVotes(
      int categories, List<GradientReport> ofFirst, List<GradientReport> ofLast, int pairs) {
    HashedResponse declared = ofFirst.get(0).getHashedResponse();
    if (Stream.of(ofFirst, ofLast)
        .flatMap(List::stream)
        .anyMatch(report -> !report.getHashedResponse().equals(declared))) {
      add("votes", false, "their noise is declared in different ways");
      return;
    }
    VoteAudit audit =
        new VoteAudit(
            new HashedResponseMechanism(declared.getEpsilon(), declared.getGroups()), categories);
    for (int i = 0; i < pairs; i++) {
      audit.add(i, group(ofFirst.get(i)), group(ofLast.get(i)));
    }
    Finding finding = audit.finding(pairs, falseAlarm / 4);
    Finding.Check own = finding.checks().get(0);
    add(
        "votes",
        declared.getEpsilon() == epsilon && !finding.refuted(),
        "epsilon %s is declared, and is at least %s; %s of %,d votes are for the own group; by the noise it is %s"
            .formatted(
                declared.getEpsilon(),
                Finding.number(finding.leastLevel()),
                own.measured(),
                2 * pairs,
                own.claimed()));
  }

  private static ReleasedGroup group(GradientReport report) {
    return new ReleasedGroup(report.getVote().getSeed(), report.getVote().getIndex());
  }

  private void addGradients() {
    int pairs = Math.min(received.choices().get(0).size(), received.choices().get(1).size());
    if (pairs == 0) {
      add("noise", false, "there are no gradients of both rows");
      return;
    }
    double declared = received.declared().getEpsilon();
    CandidateAudit audit =
        new CandidateAudit(
            new PrivUnitLaws()
                .of(
                    model.spec().getDimension(),
                    declared,
                    received.declared().getCandidates(),
                    received.declared().getTop()),
            model.bound(),
            model.direction(true),
            model.direction(false));
    for (int i = 0; i < pairs; i++) {
      audit.add(i, received.choices().get(0).get(i), received.choices().get(1).get(i));
    }
    Finding finding = audit.finding(pairs, falseAlarm / 2);
    Finding.Check mean = finding.checks().get(0);
    Finding.Check variance = finding.checks().get(1);
    add(
        "epsilon",
        declared == epsilon,
        "%s is declared; --epsilon is %s".formatted(declared, epsilon));
    add(
        "gradient",
        !mean.refuted(),
        "along that of the label and the loss: %s; it must be %s"
            .formatted(mean.measured(), mean.claimed()));
    add(
        "noise",
        !finding.refutesLevel() && !variance.refuted(),
        "epsilon is at least %s, variance %s; it must be at most %s, and %s"
            .formatted(
                Finding.number(finding.leastLevel()),
                variance.measured(),
                Finding.number(declared),
                variance.claimed()));
  }
}
