package io.croupier.cli.account;

import io.croupier.accounting.GaussianDp;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Computes what Gaussian noise guarantees. */
@Command(
    name = "gaussian",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Computes what Gaussian noise (mu-GDP) guarantees.",
      "",
      "The noise has standard deviation sensitivity / mu. The result is epsilon at a delta, or"
          + " delta at an epsilon. Several mechanisms compose to mu = sqrt(sum of mu^2), even if"
          + " they were chosen adaptively."
    },
    footer = {"", "Try:", "  croupier account gaussian --mu 1 --mu 0.5 --delta 1e-6"})
final class GaussianCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--mu",
      paramLabel = "M",
      required = true,
      description = "The mu of a mechanism; repeatable.")
  private List<Double> mus;

  @ArgGroup(multiplicity = "1")
  private CurvePointOptions at;

  @Option(
      names = "--relation",
      paramLabel = "RELATION",
      defaultValue = "replace-one",
      description = {
        "Neighbouring relation of every --mu, which the output repeats: ${COMPLETION-CANDIDATES}"
            + " (default: ${DEFAULT-VALUE}, that of reports and ledgers). Mu under zero-out is"
            + " half of mu under replace-one."
      })
  private RelationOption relation;

  @Option(names = "--json", description = "Prints JSON, with all digits.")
  private boolean json;

  /** The given coordinate of the privacy curve. */
  private static final class CurvePointOptions {
    @Option(
        names = "--delta",
        paramLabel = "D",
        required = true,
        description = "Delta at which to compute epsilon.")
    private Double delta;

    @Option(
        names = "--epsilon",
        paramLabel = "E",
        required = true,
        description = "Epsilon at which to compute delta.")
    private Double epsilon;
  }

  @Override
  public Integer call() {
    mus.forEach(each -> OptionChecks.positive("--mu", each));
    double mu = GaussianDp.compose(mus.stream().mapToDouble(each -> each).toArray());
    GaussianGuarantee guarantee;
    if (at.delta != null) {
      OptionChecks.probability("--delta", at.delta);
      guarantee = GaussianGuarantee.of(mu, at.delta, relation);
    } else {
      OptionChecks.positive("--epsilon", at.epsilon);
      guarantee = GaussianGuarantee.atEpsilon(mu, at.epsilon, relation);
    }
    spec.commandLine().getOut().println(json ? Json.text(guarantee.json()) : guarantee.text());
    return 0;
  }
}
