package io.croupier.cli.plan;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.cli.account.Digits;
import io.croupier.cli.account.Json;
import io.croupier.cli.io.Table;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;

/**
 * A plan as the command prints it.
 *
 * @param people who report
 * @param target a loss that is asked for; null if none is
 * @param perDay people who report on a day; null if it isn't known
 * @param delta of the guarantees that have one
 */
record PlanText(Plan plan, long people, Double target, Double perDay, double delta) {
  private static final String CASES = "in 9 of 10 cases";

  /** Shares of the gain, and what the table calls them. */
  private static final Map<Double, String> SHARES = shares();

  /** Up to so many weights, nine in ten of the study's runs are within the limits. */
  private static final int MANY = 25;

  /** The least features of the study, and the most. */
  private static final int FEWEST = 3;

  private static final int MOST = 50;

  private static Map<Double, String> shares() {
    Map<Double, String> shares = new LinkedHashMap<>();
    shares.put(0.5, "half of the gain");
    shares.put(0.75, "three quarters");
    shares.put(0.9, "nine tenths");
    return shares;
  }

  /** Losses for which to print the number of people, and what the table calls them. */
  private Map<Double, String> losses() {
    Map<Double, String> losses = new LinkedHashMap<>();
    double gain = plan.untrained() - plan.best();
    SHARES.forEach((share, words) -> losses.put(plan.untrained() - share * gain, words));
    if (target != null) {
      losses.put(target, "--target-loss");
    }
    return losses;
  }

  /** Tables and sentences. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(learned().text());
    lines.add("");
    lines.add(needed().text());
    lines.add("");
    lines.add(spent().text());
    lines.add("");
    lines.add(learnedOfPerson());
    Plan.tooFew(people, plan.features(), plan.mechanism(), plan.epsilon())
        .ifPresent(words -> lines.add("Too few: " + words + "."));
    lines.add(
        "The limits hold for two classes as hard as those of the study (lab/studies/results/plan.md). To"
            + " try"
            + " your own data: croupier demo --data FILE --users %d --epsilon %s"
                .formatted(people, Digits.all(plan.epsilon())));
    if (plan.features() > MANY && plan.features() <= MOST) {
      lines.add(
          "Of the study's models of %d weights, only three in four runs are within such limits."
              .formatted(MOST));
    }
    if (plan.features() < FEWEST || plan.features() > MOST) {
      lines.add(
          "The study has models of %d to %d weights: for %s the law is a guess."
              .formatted(FEWEST, MOST, Digits.count(plan.features())));
    }
    return String.join(System.lineSeparator(), lines);
  }

  private Table learned() {
    Table table = new Table(Digits.count(people) + " people", "likely", CASES).words(CASES);
    row(
        table,
        "loss (%s without a model, %s from raw data)"
            .formatted(loss(plan.untrained()), loss(plan.best())),
        plan.loss((double) people),
        this::loss);
    row(
        table,
        "share of that gain which the model misses",
        plan.missed((double) people),
        PlanText::percent);
    return table;
  }

  private static void row(Table table, String label, Band band, DoubleFunction<String> format) {
    table.row(
        label,
        format.apply(band.likely()),
        format.apply(band.low()) + " to " + format.apply(band.high()));
  }

  private Table needed() {
    List<String> header = new ArrayList<>(List.of("for a loss of", "people", CASES));
    if (perDay != null) {
      header.add("days");
    }
    Table table = new Table(header.toArray(String[]::new)).words(CASES);
    losses()
        .forEach(
            (loss, words) -> {
              Band band = plan.people(loss);
              List<String> cells =
                  new ArrayList<>(
                      List.of(
                          loss(loss) + ": " + words,
                          Plan.count(band.likely()),
                          Plan.count(band.low()) + " to " + Plan.count(band.high())));
              if (perDay != null) {
                cells.add(Plan.count(band.likely() / perDay));
              }
              table.row(cells);
            });
    return table;
  }

  private Table spent() {
    List<String> header = new ArrayList<>(List.of("each person spends", "1 report"));
    if (plan.reports() > 1) {
      header.add(Digits.count(plan.reports()) + " reports");
    }
    Table table = new Table(header.toArray(String[]::new));
    spend(table, "epsilon", plan::epsilon);
    spend(table, "rho", plan::rho);
    spend(table, "mu", plan::mu);
    spend(table, "epsilon at delta " + Digits.all(delta), n -> plan.epsilon(n, delta));
    return table;
  }

  private void spend(Table table, String label, LongToDoubleFunction ofReports) {
    List<String> cells = new ArrayList<>(List.of(label));
    LongStream.of(1, plan.reports())
        .distinct()
        .forEach(
            n -> cells.add(Digits.sixDigits(ofReports.applyAsDouble(n), RoundingMode.CEILING)));
    table.row(cells);
  }

  private String learnedOfPerson() {
    return ("What readers of the model learn about a person: epsilon %s, since reports have a"
            + " user_id. Without identity%s it would be a central epsilon of %s at delta %s"
            + " (docs/theory/anonymity.md).")
        .formatted(
            Digits.all(plan.epsilon(plan.reports())),
            plan.reports() == 1 ? "" : ", one report in each window,",
            Digits.sixDigits(plan.central(people, delta), RoundingMode.CEILING),
            Digits.all(delta));
  }

  /** All numbers, with all digits. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("features", plan.features());
    json.addProperty("epsilonOfReport", plan.epsilon());
    json.addProperty("reportsPerPerson", plan.reports());
    json.addProperty("people", people);
    json.addProperty("untrainedLoss", plan.untrained());
    json.addProperty("bestLoss", plan.best());
    json.add("loss", Json.of(plan.loss((double) people)));
    json.add("missedShare", Json.of(plan.missed((double) people)));
    JsonArray needed = new JsonArray();
    for (double loss : losses().keySet()) {
      Band band = plan.people(loss);
      JsonObject row = new JsonObject();
      row.addProperty("loss", loss);
      row.add("people", Json.of(band));
      if (perDay != null) {
        row.add("days", Json.of(band.map(each -> each / perDay)));
      }
      needed.add(row);
    }
    json.add("needed", needed);
    long all = plan.reports();
    json.add("epsilon", Json.number(plan.epsilon(all)));
    json.add("rho", Json.number(plan.rho(all)));
    json.add("mu", Json.number(plan.mu(all)));
    json.addProperty("delta", delta);
    json.add("epsilonAtDelta", Json.number(plan.epsilon(all, delta)));
    json.add("centralEpsilonWithoutIdentity", Json.number(plan.central(people, delta)));
    return json;
  }

  /** With three decimals, or as many as show a hundredth of the gain. */
  private String loss(double loss) {
    double gain = plan.untrained() - plan.best();
    int decimals = Math.max(3, 2 - (int) Math.floor(Math.log10(gain)));
    return String.format(Locale.ROOT, "%." + decimals + "f", loss);
  }

  private static String percent(double share) {
    return String.format(
        Locale.ROOT, share > 0 && share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
  }
}
