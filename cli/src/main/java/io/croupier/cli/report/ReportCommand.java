package io.croupier.cli.report;

import io.croupier.cli.Brokers;
import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.GatewayOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Waiting;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.cli.io.CountBar;
import io.croupier.cli.io.FileFormat;
import io.croupier.cli.models.ModelsFile;
import io.croupier.client.TokenFile;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reports one person's gradients, which programs in any language may compute. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Clips and randomises one person's gradients, and sends or prints the reports.",
      "",
      "Reports are sent to Kafka, or to a gateway with --gateway, or printed if --models is given"
          + " instead of an address. Gradients are read from standard input, one per line, each a"
          + " JSON array or {\"gradient\": [...], \"round\": N, \"size\": S, \"key\": TEXT}, or"
          + " evaluated on --data.",
      "",
      "If the model's clip moves and bounds the size FEATURES, a line must state the size:"
          + " slopeBound of the update times the norm of the features. For the size GRADIENT it is"
          + " the norm of the gradient, if the line states none. Other models ignore the size.",
      "",
      "The round is that of the update at whose weights the gradient was evaluated, as 'croupier"
          + " follow' prints it. A line without a round gets the newest round published when the"
          + " line is read, or 0 without Kafka; include the round unless you are sure that this"
          + " is right. A round that was never published is an error. The job drops reports that"
          + " are more than maxStaleness publications old; they stay charged.",
      "",
      "If the model's answerProbability is below 1, the ledger chooses each round with that"
          + " probability, and never changes the decision. A gradient of a round that is not"
          + " chosen costs nothing. It is counted as not chosen, and is not an error.",
      "",
      "A model of statistics alone takes no gradients: one run reports one category or number of"
          + " --category, in the newest round, and reads neither standard input nor --data.",
      "",
      "If the model asks questions, the ledger chooses some rounds in which a randomised bit"
          + " answers a question instead of a gradient, at the same cost. With --data, the command"
          + " evaluates and sends the answer, about one row of the person. A line of standard input"
          + " is not chosen in such a round, except where the question is 'clip', which the size of"
          + " the line answers."
    },
    footer = {
      "",
      "Every report is charged to the ledger file before its noise is drawn, and is written to disk"
          + " before it is sent or printed. After a crash or Ctrl-C, the next run first resends"
          + " the same bytes of every report that was not acknowledged. A line or file that was"
          + " reported before is not reported again, unless --times allows it. The gradients of"
          + " the same data at other weights are other numbers: give such lines the 'key' of their"
          + " data.",
      "An invalid line, or a limit that the next report would exceed, ends the run with exit code"
          + " 1. No noise is drawn for that line, and no later line is read. A gradient with"
          + " non-finite numbers (NaN, Infinity, -Infinity, null, 1e999) is valid: it is"
          + " reported and charged as zero, since a missing report would disclose it.",
      "",
      "Try:",
      "  echo '[0.3, -0.2, 0.1]' | croupier report --models examples/models.yaml \\",
      "    --model demo --user ada --without-ledger --mechanism l2-laplace --epsilon 1"
    })
public final class ReportCommand implements Callable<Integer> {
  private final InputStream in;
  private final OutputStream out;

  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;
  @Mixin private GatewayOptions gateway;

  @Option(
      names = "--token",
      paramLabel = "FILE",
      description = {
        "With --gateway: file with the person's bearer token. If the gateway refuses the token, the"
            + " command reads the file again, once."
      })
  private Path token;

  @Option(
      names = "--models",
      paramLabel = "FILE",
      description = {
        "Prints the reports instead of sending them; FILE is the models file that contains the"
            + " model. Lines without a round get round 0; a line may name any other"
            + " round, unless the model's clip moves."
      })
  private Path models;

  @Option(
      names = "--model",
      paramLabel = "ID",
      required = true,
      description = "The model that receives the reports.")
  private String modelId;

  @Option(
      names = "--user",
      paramLabel = "ID",
      required = true,
      description = {
        "The user whose gradients are reported and whose privacy is spent. With --gateway the token"
            + " states who that is; this name is then only in the ledger, and is not sent."
      })
  private String userId;

  @ArgGroup(multiplicity = "1")
  private LedgerOptions account;

  @Mixin private NoiseOptions noise;
  @Mixin private LimitOptions limits;
  @Mixin private KeyOptions keys;

  @ArgGroup(exclusive = false)
  private DataOptions data;

  @Mixin private CategoryOptions categories;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "json",
      description = {
        "Format of printed reports: json, one report per line; protobuf, each report preceded by"
            + " its length; record, the bytes of a single report, as in the value of a Kafka"
            + " record (default: ${DEFAULT-VALUE})."
      })
  private FileFormat format;

  /** Options that select the ledger, of which one is required. */
  private static final class LedgerOptions {
    @Option(
        names = "--ledger",
        paramLabel = "FILE",
        required = true,
        description = {
          "File that records what this person has released from this device; created if it doesn't"
              + " exist. Keep it: without the file, the record of the spend is lost."
        })
    private Path file;

    @Option(
        names = "--without-ledger",
        required = true,
        description = {
          "Keeps no ledger file: the record of the spend is lost when the command exits, and each"
              + " run chooses anew which rounds to answer. Only for printing, and only for"
              + " fictitious people."
        })
    private boolean none;
  }

  /**
   * Reads standard input and prints to standard output, without a PrintStream, which hides errors.
   */
  public ReportCommand() {
    this(System.in, new FileOutputStream(FileDescriptor.out));
  }

  ReportCommand(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    ModelsFile.requireModelId(modelId);
    keys.check();
    Map<String, String> votes = categories.byName();
    ReportDestination destination = destination();
    if (data != null && data.isEachRow() && !votes.isEmpty()) {
      throw new InputException(
          "--category is not for --each-row: the category is one of the person, who would vote once"
              + " for each row. Leave out --each-row, or --category");
    }
    if (destination.isSending() && account.none) {
      throw new InputException(
          "--without-ledger works only with --models. To send reports, give --ledger FILE: it"
              + " records the spend, enforces the limit, and resends reports without spending"
              + " again");
    }
    Limit limit = limits.limit(noise.isGaussian());
    if (destination instanceof ReportDestination.OfKafka kafka) {
      Brokers.require(kafka.config().kafka(), spec.commandLine().getErr());
    } else if (destination instanceof ReportDestination.OfGateway ofGateway) {
      GatewayOptions.require(ofGateway.address(), spec.commandLine().getErr());
      requireToken();
    }
    try (LocalLedger ledger = ledger(limit);
        PublishedModel model = model(destination)) {
      String summary = report(destination, ledger, model, limit, votes);
      (destination.isSending() ? spec.commandLine().getOut() : spec.commandLine().getErr())
          .println(summary);
    }
    return 0;
  }

  private PublishedModel model(ReportDestination destination) {
    return Waiting.on(
        "an update of model '%s'".formatted(modelId),
        spec.commandLine().getErr(),
        destination::model);
  }

  private ReportDestination destination() {
    Optional<URI> address = gateway.address(connection);
    if (Stream.of(address.isPresent(), connection.isNamed(), models != null)
            .filter(given -> given)
            .count()
        != 1) {
      throw new InputException(
          "Give either a Kafka address (--kafka or --config) or a gateway (--gateway) to send"
              + " reports, or --models FILE to print them");
    }
    if (address.isPresent() != (token != null)) {
      throw new InputException("--gateway and --token FILE belong together");
    }
    if (address.isPresent()) {
      return new ReportDestination.OfGateway(address.get(), token, modelId);
    }
    return models == null
        ? new ReportDestination.OfKafka(connection.config(), modelId)
        : new ReportDestination.OfPrinting(models, modelId, out, format);
  }

  /** Before anything is spent: without a token, no report arrives. A pipe can be read only once. */
  private void requireToken() {
    if (Files.exists(token) && !Files.isRegularFile(token) && !Files.isDirectory(token)) {
      return;
    }
    try {
      String unused = new TokenFile(token).get();
    } catch (UncheckedIOException | IllegalStateException e) {
      throw new InputException("--token: " + e.getMessage(), e);
    }
  }

  private String report(
      ReportDestination destination,
      LocalLedger ledger,
      PublishedModel model,
      Limit limit,
      Map<String, String> votes) {
    boolean sending = destination.isSending();
    Consumer<String> messages = spec.commandLine().getErr()::println;
    Randomiser randomiser = noise.randomiser(model.newest());
    CategoryOptions.check(votes, model.newest(), messages);
    Gradients gradients =
        model.newest().dimension() == 0
            ? vote(model, votes)
            : data != null
                ? data.gradients(
                    model,
                    sending,
                    keys,
                    key -> ledger.reported(modelId, key) >= key.times(),
                    messages)
                : new LineGradients(lines(), model, keys);
    int earlier = ledger.pending().size();
    try (ReportSink sink = destination.sink(ledger, messages);
        CountBar bar =
            new CountBar(
                "reports", gradients.size(), sending && Boolean.getBoolean("croupier.terminal"))) {
      return new ReportRunner(gradients, sink, ledger, limit, votes, earlier).run(randomiser, bar);
    } catch (UncheckedIOException e) {
      // The ledger can't record that a report of an earlier run was printed.
      throw new InputException("--ledger: " + e.getMessage(), e);
    }
  }

  private Gradients vote(PublishedModel model, Map<String, String> votes) {
    String alone = ", since model '%s' has statistics and no learner".formatted(modelId);
    if (data != null) {
      throw new InputException("--data, --label and --loss must be left out" + alone);
    }
    if (votes.isEmpty()) {
      throw new InputException("--category NAME=VALUE is missing: it must be given" + alone);
    }
    return new SingleVote(model.newest().terms(), keys.of(SingleVote.digestOf(votes)));
  }

  /** Standard input, once it has something to read. */
  private BufferedReader lines() {
    try {
      return Waiting.on(
          "gradients on standard input",
          spec.commandLine().getErr(),
          () -> {
            BufferedReader lines = Utf8Text.reader(in);
            lines.mark(1);
            if (lines.read() >= 0) {
              lines.reset();
            }
            return lines;
          });
    } catch (IOException e) {
      throw new InputException("Standard input: " + FileErrors.unreadable(e), e);
    }
  }

  private LocalLedger ledger(Limit limit) {
    try {
      return account.none
          ? LocalLedger.inMemory(userId, limit)
          : LocalLedger.open(account.file, userId, limit);
    } catch (IllegalArgumentException e) {
      throw new InputException("--user: " + e.getMessage(), e);
    } catch (NoSuchFileException e) {
      throw new InputException("--ledger: there is no directory " + e.getFile(), e);
    } catch (AccessDeniedException e) {
      throw new InputException("--ledger: %s can't be written".formatted(e.getFile()), e);
    } catch (FileSystemException e) {
      throw new InputException("--ledger: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new InputException(
          "--ledger: %s: %s".formatted(account.file, FileErrors.unwritable(e)), e);
    }
  }
}
