package io.croupier.cli.report;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.CountBar;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.job.JobConfig;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** One person's side, for whoever computes gradients in another language. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Clips and randomises one person's gradients and sends them, or prints them if no Kafka is"
          + " named. Gradients are read from standard input, one a line, each a JSON array or"
          + " {\"gradient\": [...], \"round\": N}, or evaluated on --data.",
      "",
      "The round is the published one at whose weights the gradient was evaluated, as 'croupier"
          + " follow' prints it. Where none is named it is taken to be the newest that is published"
          + " when the line is read, or 0 without Kafka: name it, unless you are sure. One that was"
          + " never published is an error here; one more than maxStaleness publications behind is"
          + " dropped by the job, spent or not.",
      "",
      "If the model's answerProbability is below 1, the ledger chooses with that probability which"
          + " rounds this person answers, each once for all. A gradient of another round is counted"
          + " as not chosen, costs nothing, and is no error."
    },
    footer = {
      "",
      "Every report is charged to the ledger, a file, before its noise is drawn, and is safe on the"
          + " disk before it leaves. After a crash or Ctrl-C the next run sends, or prints, what had"
          + " not arrived, as it was. Never report the same line again: that spends again.",
      "A bad line, or a limit that has no room for the next report, ends the run with exit code 1:"
          + " nothing was drawn for that line, and none after it is read. A gradient with a number"
          + " that is not finite (NaN, Infinity, -Infinity, null, 1e999) is no bad line: it is"
          + " reported, and charged, as zero, since its absence would give it away.",
      "",
      "Try:",
      "  echo '[0.3, -0.2, 0.1]' | croupier report --models examples/models.yaml --model demo \\",
      "    --user ada --without-ledger --mechanism l2-laplace --epsilon 1"
    })
public final class ReportCommand implements Callable<Integer> {
  private final InputStream in;
  private final OutputStream out;

  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;

  @Option(
      names = "--models",
      paramLabel = "FILE",
      description = {
        "Where no Kafka is named: the models file that has the model. Of its rounds only 0 is known"
            + " then; a line may name any other."
      })
  private Path models;

  @Option(
      names = "--model",
      paramLabel = "ID",
      required = true,
      description = "The model that the gradients are for.")
  private String modelId;

  @Option(
      names = "--user",
      paramLabel = "ID",
      required = true,
      description = "Whose gradients they are, and whose privacy is spent.")
  private String userId;

  @ArgGroup(multiplicity = "1")
  private LedgerOptions account;

  @Mixin private NoiseOptions noise;
  @Mixin private LimitOptions limits;

  @ArgGroup(exclusive = false)
  private DataOptions data;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "json",
      description = {
        "How to print: json, one report a line; protobuf, each behind its length; record, the bytes"
            + " of a single report, as Kafka takes them (default: ${DEFAULT-VALUE})."
      })
  private Format format;

  /** One of the two. */
  private static final class LedgerOptions {
    @Option(
        names = "--ledger",
        paramLabel = "FILE",
        required = true,
        description = {
          "What this person has released from this device; made if it isn't there. Keep it: whoever"
              + " deletes it forgets what was spent."
        })
    private Path file;

    @Option(
        names = "--without-ledger",
        required = true,
        description = {
          "Forgets at the end what was spent, and chooses in every run anew which rounds to answer;"
              + " only for printing, and for people who are made up."
        })
    private boolean none;
  }

  /** Reads standard input, and prints to standard output: not by a stream that hides its errors. */
  public ReportCommand() {
    this(System.in, new FileOutputStream(FileDescriptor.out));
  }

  ReportCommand(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    Log.toFile();
    boolean sending = connection.isNamed();
    if (sending == (models != null)) {
      throw new InputException(
          "Name a Kafka to send to (--kafka or --config), or --models to print; one of the two");
    }
    if (sending && account.none) {
      throw new InputException(
          "--without-ledger is for printing. What is sent can't be called back: only a --ledger"
              + " knows what was spent, keeps to the limit, and resends without spending again");
    }
    Limit limit = limits.limit();
    JobConfig config = sending ? connection.config() : null;
    try (LocalLedger ledger = ledger(limit);
        PublishedModel model =
            sending
                ? FollowedModel.follow(config.kafka(), config.topics().updates(), modelId)
                : UnpublishedModel.read(models, modelId)) {
      String summary = report(config, ledger, model, limit);
      (sending ? spec.commandLine().getOut() : spec.commandLine().getErr()).println(summary);
    }
    Log.discard();
    return 0;
  }

  private String report(JobConfig config, LocalLedger ledger, PublishedModel model, Limit limit) {
    boolean sending = config != null;
    Randomiser randomiser = noise.randomiser(model.newest());
    Gradients gradients =
        data != null
            ? data.gradients(model, sending)
            : new LineGradients(
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)), model);
    int earlier = ledger.pending().size();
    try (ReportSink sink =
            sending
                ? new KafkaReportSink(config.kafka(), config.topics().gradients(), ledger)
                : new PrintedReportSink(out, format, ledger, InstantSource.system());
        CountBar bar =
            new CountBar(
                "reports", gradients.size(), sending && Boolean.getBoolean("croupier.terminal"))) {
      return new ReportRunner(gradients, sink, ledger, limit, earlier).run(randomiser, bar);
    }
  }

  private LocalLedger ledger(Limit limit) {
    try {
      return account.none
          ? LocalLedger.inMemory(userId, limit)
          : LocalLedger.open(account.file, userId, limit);
    } catch (IllegalArgumentException e) {
      throw new InputException("--user: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new InputException("--ledger: %s".formatted(e), e);
    }
  }
}
