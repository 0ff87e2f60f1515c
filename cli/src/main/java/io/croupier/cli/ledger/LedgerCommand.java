package io.croupier.cli.ledger;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.cli.account.AccountingTopic;
import io.croupier.cli.account.Json;
import io.croupier.job.JobConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what people have spent, by the ledger's own word. */
@Command(
    name = "ledger",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Prints what people have spent and what is left, how their reports were judged, and a"
          + " histogram of the spends: from the committed events of the accounting topic, by the"
          + " ledger's own word ('account compose' checks it). Relation: replace-one, of the"
          + " declared, bounded reports. It names people: who runs it may know."
    },
    footer = {
      "",
      "Try:",
      "  croupier ledger --kafka localhost:9092 --top 10",
      "  croupier ledger --kafka localhost:9092 --user ada"
    })
public final class LedgerCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private QueryOptions who;

  @Mixin private ConnectionOptions connection;

  @Option(names = "--json", description = "For programs.")
  private boolean json;

  /** One of the two. */
  private static final class QueryOptions {
    @Option(
        names = "--user",
        paramLabel = "ID",
        required = true,
        description = "One person: on each model, and every reason for a refusal.")
    private String user;

    @Option(
        names = "--top",
        paramLabel = "N",
        required = true,
        description = "The N people who spent most by rho, and a histogram of all.")
    private Long top;
  }

  @Override
  public Integer call() {
    Log.toFile();
    if (who.top != null && who.top < 1) {
      throw new InputException("--top is %d; it must be at least 1".formatted(who.top));
    }
    JobConfig config = connection.config();
    spec.commandLine().getOut().println(who.user != null ? ofUser(config) : ofTop(config));
    Log.discard();
    return 0;
  }

  private String ofUser(JobConfig config) {
    UserStatement statement = new UserStatement(who.user);
    AccountingTopic.read(config, (event, place) -> statement.add(event));
    if (statement.events() == 0) {
      throw new InputException(
          "--user is %s, of whom there is no event on %s; 'croupier ledger --top 10' names users"
              .formatted(who.user, config.topics().accounting()));
    }
    return json ? Json.text(statement.json()) : statement.text();
  }

  private String ofTop(JobConfig config) {
    TopStatement statement = new TopStatement();
    AccountingTopic.read(config, (event, place) -> statement.add(event));
    if (statement.people() == 0) {
      throw new InputException(
          "There is no event on %s yet".formatted(config.topics().accounting()));
    }
    return json ? Json.text(statement.json(who.top)) : statement.text(who.top);
  }
}
