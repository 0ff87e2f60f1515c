package io.croupier.cli.account;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Adds up reports, and audits the ledger that did. */
@Command(
    name = "compose",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Adds up what each person's reports declare, and says what that is worth at a delta: by every"
          + " bound, of which the least counts. From accounting events it also says whether the"
          + " ledger did: costs and totals of every event are computed again from the declarations"
          + " alone (of central reports, from the rounds they took part in). Exit code 1: they"
          + " differ.",
      "",
      "FILE is a declaration or an accounting event a line, as JSON ('-': standard input; what ends"
          + " in .gz is unpacked), or one JSON list of them. A declaration is what a report says,"
          + " such as {\"gaussian\": {\"mu\": 0.5}}, {\"l2Laplace\": {\"epsilon\": 0.1}},"
          + " {\"coordinateLaplace\": {\"taus\": [0.1, 0.2], \"clip\": \"L2\"}} (which costs the L2 norm"
          + " of the taus; with another clip, or without one, their sum) or {\"undisclosed\": {}}, or"
          + " {\"zeroConcentrated\": {\"rho\": 0.05}}; with \"userId\", \"modelId\" and \"count\""
          + " where wanted."
    },
    footer = {
      "",
      "Exact composition is that of levels chosen beforehand.",
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
      description = "Declarations or events; without it, the accounting topic.")
  private String file;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--delta",
      paramLabel = "D",
      defaultValue = "1e-6",
      description = "Where to read epsilon (default: ${DEFAULT-VALUE}).")
  private double delta;

  @Option(names = "--by-model", description = "Also what each person spent on each model.")
  private boolean byModel;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "Whom to show: the N who spent most (default: 20; with --json, all).")
  private Long top;

  @Option(names = "--json", description = "For programs.")
  private boolean json;

  @Override
  public Integer call() {
    Log.toFile();
    OptionChecks.probability("--delta", delta);
    if (top != null) {
      OptionChecks.atLeast("--top", top, 1);
    }
    if (file != null && connection.isNamed()) {
      throw new InputException(
          "FILE is %s, and a Kafka is named too; it must be one".formatted(file));
    }
    RecomputedAccounts accounts = new RecomputedAccounts();
    if (file != null) {
      new DeclarationReader(accounts).read(file);
    } else {
      AccountingTopic.read(connection.config(), accounts::addEvent);
    }
    Composition composition = new Composition(accounts, delta, byModel);
    spec.commandLine()
        .getOut()
        .println(
            json
                ? Json.text(composition.json(top == null ? Long.MAX_VALUE : top))
                : composition.text(top == null ? 20 : top));
    Log.discard();
    return accounts.mismatched() == 0 ? 0 : refuse(accounts);
  }

  private int refuse(RecomputedAccounts accounts) {
    spec.commandLine()
        .getErr()
        .printf(
            "MISMATCH: %s of %s events tell costs or totals that their declarations don't add up to:%n",
            Digits.count(accounts.mismatched()), Digits.count(accounts.events()));
    accounts.mismatches().forEach(spec.commandLine().getErr()::println);
    return 1;
  }
}
