package io.croupier.cli.account;

import io.croupier.accounting.GaussianDp;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says what Gaussian noise guarantees. */
@Command(
    name = "gaussian",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Says what mu-GDP, Gaussian noise of deviation sensitivity / mu, guarantees: epsilon at a"
          + " delta, or delta at an epsilon. Several add up as the root of the sum of mu^2, chosen"
          + " adaptively or not."
    },
    footer = {"", "Try:", "  croupier account gaussian --mu 1 --mu 0.5 --delta 1e-6"})
final class GaussianCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--mu",
      paramLabel = "M",
      required = true,
      description = "A mechanism's mu; repeatable.")
  private List<Double> mus;

  @ArgGroup(multiplicity = "1")
  private CurvePointOptions at;

  @Option(
      names = "--relation",
      paramLabel = "RELATION",
      defaultValue = "replace-one",
      description = {
        "The neighbours that every mu is about, to be repeated in the answer:"
            + " ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}, as reports and ledgers have"
            + " it). A mu under zero-out is half of it."
      })
  private RelationOption relation;

  @Option(names = "--json", description = "For programs.")
  private boolean json;

  /** One of the two. */
  private static final class CurvePointOptions {
    @Option(
        names = "--delta",
        paramLabel = "D",
        required = true,
        description = "Where to read epsilon.")
    private Double delta;

    @Option(
        names = "--epsilon",
        paramLabel = "E",
        required = true,
        description = "Where to read delta.")
    private Double epsilon;
  }

  @Override
  public Integer call() {
    Log.toFile();
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
    Log.discard();
    return 0;
  }
}
