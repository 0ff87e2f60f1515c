package io.croupier.cli.follow;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.GatewayOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Waiting;
import io.croupier.cli.models.ModelsFile;
import io.croupier.client.ModelSnapshot;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.VisibleText;
import java.io.PrintWriter;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the published updates of a model. */
@Command(
    name = "follow",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Prints the updates of a model as they are published.",
      "",
      "The first line is the newest committed update, followed by every newer one. Each line is a"
          + " ModelUpdate in the Protobuf JSON mapping. Evaluate gradients at 'weights'; predict"
          + " with 'average'. If the model asks questions, 'estimates' contains what the answers"
          + " imply, with 95 %% confidence intervals. If the model's clip moves, 'size' is present,"
          + " 'gradientBound' is the clip of the round, and a 'questionProbability' of 1 means that"
          + " the model only searches for it.",
      "",
      "--format text prints each update in words instead: the reports, the clip, the estimates and,"
          + " from questions about several thresholds of the loss, the mean loss.",
      "",
      "Updates are read from Kafka or, with --gateway, from a gateway, which needs no token for"
          + " that.",
      "",
      "Each round is printed at most once, and again when it serves another average after a"
          + " roll-back. A slow reader skips updates that have been superseded. The command ends"
          + " when the model is retired."
    },
    footer = {
      "",
      "Try:",
      "  croupier follow --kafka localhost:9092 --model demo --updates 1",
      "  croupier follow --gateway https://gateway.example --model demo --updates 1"
    })
public final class FollowCommand implements Callable<Integer> {
  private static final JsonFormat.Printer JSON =
      JsonFormat.printer().omittingInsignificantWhitespace().sortingMapKeys();

  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;
  @Mixin private GatewayOptions gateway;

  @Option(
      names = "--model",
      paramLabel = "ID",
      required = true,
      description = "The model to follow.")
  private String modelId;

  @Option(
      names = "--updates",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Exits after N lines; 0: runs until the model is retired (default:"
              + " ${DEFAULT-VALUE}).")
  private long updates;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "json",
      description = "Format: json, one update per line; text (default: ${DEFAULT-VALUE}).")
  private UpdateFormat format;

  @Option(
      names = "--loss-bound",
      paramLabel = "B",
      description =
          "With --format text: the largest loss; larger ones count as B (default: the sum of the"
              + " least and the largest threshold).")
  private Double lossBound;

  /** Output formats of updates. */
  private enum UpdateFormat {
    JSON,
    TEXT
  }

  @Override
  public Integer call() throws InvalidProtocolBufferException {
    if (updates < 0) {
      throw new InputException("--updates is %d; it must be at least 0".formatted(updates));
    }
    ModelsFile.requireModelId(modelId);
    requireLossBound();
    PrintWriter out = spec.commandLine().getOut();
    try (PublishedModel model = awaited()) {
      Optional<ModelSnapshot> next = Optional.of(model.newest());
      for (long left = updates; next.isPresent(); left--) {
        ModelSnapshot printed = next.get();
        print(printed, out);
        out.flush();
        next = left == 1 ? Optional.empty() : model.after(update -> isSame(update, printed));
      }
    }
    return 0;
  }

  /** Whether an update has nothing that a line needs but the counts of a round. */
  static boolean isSame(ModelSnapshot update, ModelSnapshot printed) {
    return update.round() == printed.round()
        && update.averageRound().equals(printed.averageRound());
  }

  private PublishedModel awaited() {
    gateway
        .address(connection)
        .ifPresent(address -> GatewayOptions.require(address, spec.commandLine().getErr()));
    return Waiting.on(
        "an update of model '%s'".formatted(modelId), spec.commandLine().getErr(), this::published);
  }

  private PublishedModel published() {
    Optional<URI> address = gateway.address(connection);
    if (address.isPresent()) {
      return FollowedModel.overGateway(address.get(), modelId);
    }
    if (!connection.isGiven()) {
      throw new InputException(
          "Give either a Kafka address (--kafka or --config) or a gateway (--gateway)");
    }
    JobConfig config = connection.connected();
    return FollowedModel.overKafka(config.kafka(), config.topics().updates(), modelId);
  }

  private void requireLossBound() {
    if (lossBound == null) {
      return;
    }
    if (format != UpdateFormat.TEXT) {
      throw new InputException("--loss-bound applies only to --format text");
    }
    if (!(lossBound > 0 && lossBound <= Double.MAX_VALUE)) {
      throw new InputException(
          "--loss-bound is %s; it must be positive and finite".formatted(lossBound));
    }
  }

  private void print(ModelSnapshot snapshot, PrintWriter out)
      throws InvalidProtocolBufferException {
    if (format == UpdateFormat.JSON) {
      out.println(JSON.print(update(snapshot)));
    } else {
      OptionalDouble bound =
          lossBound == null ? OptionalDouble.empty() : OptionalDouble.of(lossBound);
      UpdateText.lines(snapshot, bound).stream().map(VisibleText::name).forEach(out::println);
    }
  }

  static ModelUpdate update(ModelSnapshot snapshot) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(snapshot.modelId())
            .setRound(snapshot.round())
            .addAllWeights(boxed(snapshot.weights()))
            .addAllAverage(boxed(snapshot.average()))
            .setUsed(snapshot.used())
            .setDroppedStale(snapshot.droppedStale())
            .setDroppedUnpublished(snapshot.droppedUnpublished())
            .setOpen(snapshot.open())
            .setAnswerProbability(snapshot.answerProbability())
            .putAllDiagnostics(snapshot.diagnostics())
            .setPublishedAtMs(snapshot.publishedAtMs())
            .addAllEstimates(snapshot.estimates())
            .addAllFeatures(snapshot.described())
            .addAllStatistics(snapshot.statistics());
    snapshot.predicts().ifPresent(update::setPredicts);
    snapshot.averageRound().ifPresent(update::setAverageRound);
    if (snapshot.dimension() > 0) {
      update.setGridExponent(snapshot.gridExponent()).setGradientBound(snapshot.gradientBound());
    }
    if (snapshot.size().isPresent()) {
      // As a number, since a newer job may announce a size that this version doesn't know.
      update.setSizeValue(snapshot.sizeNumber()).setDroppedBound(snapshot.droppedBound());
    }
    if (snapshot.size().equals(Optional.of(AdaptiveClip.Size.FEATURES))) {
      update.setSlopeBound(snapshot.slopeBound());
    }
    if (!snapshot.estimates().isEmpty()
        || !snapshot.statistics().isEmpty()
        || snapshot.size().isPresent()) {
      update.setQuestionProbability(snapshot.questionProbability()).setAnswers(snapshot.answers());
    }
    return update.build();
  }

  private static List<Double> boxed(double[] values) {
    return Arrays.stream(values).boxed().toList();
  }
}
