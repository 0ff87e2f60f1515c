package io.croupier.cli.ledger;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.account.EventTopics;
import io.croupier.cli.account.Json;
import io.croupier.cli.person.PersonOptions;
import io.croupier.job.config.JobConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what users have spent, as recorded by the ledger. */
@Command(
    name = "ledger",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Prints what users have spent.",
      "",
      "The output has the spends, what the limits leave, the verdicts on reports, and a histogram."
          + " The figures are those of the ledger, from the committed events of the accounting"
          + " topic; 'croupier account compose' recomputes them. They cover the declared,"
          + " bounded reports, under replace-one.",
      "Of a user with tokens for anonymous reports, it also has what the windows that are over"
          + " guarantee together, from the guarantees topic.",
      "Of one user, it has the spend on each model, and the last reason for each verdict.",
      "The output contains user ids: restrict it like the accounting topic."
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

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  /** The query, of which one is required. */
  private static final class QueryOptions extends PersonOptions {
    @Option(
        names = "--top",
        paramLabel = "N",
        required = true,
        description = "Prints the N users with the largest rho, and a histogram of all users.")
    private Long top;
  }

  @Override
  public Integer call() {
    if (who.top != null && who.top < 1) {
      throw new InputException("--top is %d; it must be at least 1".formatted(who.top));
    }
    JobConfig config = connection.connected();
    spec.commandLine().getOut().println(who.isGiven() ? ofUser(config) : ofTop(config));
    return 0;
  }

  private String ofUser(JobConfig config) {
    UserStatement statement = new UserStatement(who.userId());
    EventTopics.accounting(
        config,
        spec.commandLine().getErr(),
        (event, place) -> statement.add(event),
        statement::forget);
    if (statement.events() == 0) {
      throw new InputException(
          "%s, who has no event on topic %s; 'croupier ledger --top 10' lists users"
              .formatted(who.inWords(), config.topics().accounting()));
    }
    if (!statement.windows().isEmpty()) {
      EventTopics.guarantees(
          config,
          spec.commandLine().getErr(),
          (event, place) -> statement.windows().guarantee(event));
    }
    return json ? Json.text(statement.json()) : statement.text();
  }

  private String ofTop(JobConfig config) {
    TopStatement statement = new TopStatement();
    EventTopics.accounting(
        config,
        spec.commandLine().getErr(),
        (event, place) -> statement.add(event),
        statement::forget);
    if (statement.people() == 0) {
      throw new InputException(
          "Topic %s has no events yet".formatted(config.topics().accounting()));
    }
    return json ? Json.text(statement.json(who.top)) : statement.text(who.top);
  }
}
