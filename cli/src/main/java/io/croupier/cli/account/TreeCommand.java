package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.tree.TreeRelease;
import io.croupier.cli.InputException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Computes what a release by tree aggregation guarantees. */
@Command(
    name = "tree",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Computes what tree aggregation (DP-FTRL, Kairouz et al. 2021) guarantees.",
      "",
      "All"
          + " noisy nodes together are one Gaussian mechanism with mu = sqrt(zeta) / noise"
          + " multiplier. Zeta is the largest squared change of the nodes by one person's data,"
          + " in units of the squared clipping norm. It is exact, for the worst placement of the"
          + " person's participations or for a given order. Epsilon follows from mu exactly; the"
          + " bound by Renyi DP, as in the paper, is 3 to 8 per cent larger, and is printed,"
          + " too."
    },
    footer = {
      "",
      "Try:",
      "  croupier account tree --steps 1600 --noise-multiplier 1.13 --delta 1e-6"
    })
final class TreeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private TreeOptions options;

  @Option(
      names = "--noise-multiplier",
      paramLabel = "SIGMA",
      required = true,
      description =
          "Standard deviation of the noise of each node, as a multiple of the clipping" + " norm.")
  private double noiseMultiplier;

  @Option(
      names = "--delta",
      paramLabel = "D",
      defaultValue = "1e-6",
      description = "Delta at which to compute epsilon (default: ${DEFAULT-VALUE}).")
  private double delta;

  @Option(
      names = "--relation",
      paramLabel = "RELATION",
      defaultValue = "zero-out",
      description = {
        "Neighbouring relation: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}, that of the"
            + " paper; ledgers use replace-one, which doubles mu)."
      })
  private RelationOption relation;

  @Option(names = "--by-user", description = "With --order: also prints the zeta of each person.")
  private boolean byUser;

  @Option(names = "--json", description = "Prints JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    OptionChecks.positive("--noise-multiplier", noiseMultiplier);
    OptionChecks.probability("--delta", delta);
    Sensitivity sensitivity = options.sensitivity();
    if (byUser && sensitivity.zetas().isEmpty()) {
      throw new InputException("--by-user requires an --order with at least one participant");
    }
    GaussianGuarantee guarantee;
    try {
      TreeRelease release = sensitivity.release(noiseMultiplier, relation.neighbours());
      guarantee = GaussianGuarantee.of(release, delta, relation);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? Json.text(json(sensitivity, guarantee)) : text(sensitivity, guarantee));
    return 0;
  }

  private JsonObject json(Sensitivity sensitivity, GaussianGuarantee guarantee) {
    JsonObject object = guarantee.json();
    object.addProperty("noiseMultiplier", noiseMultiplier);
    sensitivity.addTo(object, relation.neighbours(), byUser);
    return object;
  }

  private String text(Sensitivity sensitivity, GaussianGuarantee guarantee) {
    String text =
        String.join(
            System.lineSeparator(), guarantee.text(), sensitivity.sentence(relation.neighbours()));
    return byUser
        ? String.join(
            System.lineSeparator(), text, "", sensitivity.byUser(relation.neighbours()).text())
        : text;
  }
}
