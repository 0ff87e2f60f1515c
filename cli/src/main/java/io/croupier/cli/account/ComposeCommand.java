package io.croupier.cli.account;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.ExitCode;
import io.croupier.cli.InputException;
import io.croupier.job.config.JobConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Composes the cost of reports and checks a ledger's accounts. */
@Command(
    name = "compose",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Composes the cost of each person's reports, and checks a ledger's accounts.",
      "",
      "The command prints the epsilon at --delta by every applicable bound; the least bound counts."
          + " For accounting events, it also recomputes the costs and totals of every event from"
          + " the declarations alone (for central reports: from the rounds in which the person"
          + " took part). If they differ from those of the ledger, the exit code is 1.",
      "From Kafka, of people with tokens for anonymous reports, it prints what the windows that are"
          + " over guarantee together, and computes each guarantee again from its number of reports.",
      "",
      "FILE contains JSON, one declaration or accounting event per line, or a single list of them."
          + " A declaration is that of a report, for example {\"gaussian\": {\"mu\": 0.5}}, {\"l2Laplace\":"
          + " {\"epsilon\": 0.1}, \"dimension\": 20} (without the dimension, it costs what the worst"
          + " noise of this epsilon does), {\"privUnit\": {\"epsilon\": 1, \"candidates\": 256,"
          + " \"top\": 90}}, {\"coordinateLaplace\": {\"taus\": [0.1, 0.2], \"clip\":"
          + " \"L2\"}} (which costs the L2 norm of the taus; with any other clip, or none, their"
          + " sum) or {\"undisclosed\": {}}. {\"zeroConcentrated\": {\"rho\": 0.05}} is"
          + " accepted, too. \"userId\", \"modelId\" and \"count\" are optional."
    },
    footer = {
      "",
      "The bound 'exact' requires that the levels were chosen in advance, not adaptively. It is exact"
          + " for randomised responses and Gaussian noise, and too high by less than 1 %% for other"
          + " mechanisms, except that coordinateLaplace counts as Gaussian noise of its mu.",
      "",
      "Try:",
      "  croupier account compose --kafka localhost:9092",
      "  croupier account compose declarations.jsonl --delta 1e-6"
    })
final class ComposeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      description =
          "Declarations or accounting events; '-' is standard input, and a file that ends"
              + " in .gz is decompressed (default: the accounting topic).")
  private String file;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--delta",
      paramLabel = "D",
      defaultValue = "1e-6",
      description = "Delta at which to compute epsilon (default: ${DEFAULT-VALUE}).")
  private double delta;

  @Option(names = "--by-model", description = "Also prints what each person spent on each model.")
  private boolean byModel;

  @Option(
      names = "--top",
      paramLabel = "N",
      description =
          "Number of people to print, those who spent most first (default: 20; with"
              + " --json: all).")
  private Long top;

  @Option(names = "--json", description = "Prints JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    OptionChecks.probability("--delta", delta);
    if (top != null) {
      OptionChecks.atLeast("--top", top, 1);
    }
    if (file != null && connection.isNamed()) {
      throw new InputException(
          "FILE is %s, and a Kafka address is given, too; give only one of them".formatted(file));
    }
    RecomputedAccounts accounts = new RecomputedAccounts();
    if (file != null) {
      new DeclarationReader(accounts).read(file);
    } else {
      JobConfig config = connection.connected();
      EventTopics.accounting(
          config, spec.commandLine().getErr(), accounts::addEvent, accounts::forget);
      if (!accounts.anonymous().isEmpty()) {
        EventTopics.guarantees(
            config, spec.commandLine().getErr(), accounts.anonymous()::addGuarantee);
      }
    }
    Composition composition = new Composition(accounts, delta, byModel);
    spec.commandLine()
        .getOut()
        .println(
            json
                ? Json.text(composition.json(top == null ? Long.MAX_VALUE : top))
                : composition.text(top == null ? 20 : top));
    List<String> mismatches = new ArrayList<>(accounts.mismatches());
    mismatches.addAll(accounts.anonymous().mismatches());
    mismatches.forEach(spec.commandLine().getErr()::println);
    return mismatches.isEmpty() ? 0 : ExitCode.FAILURE.code();
  }
}
