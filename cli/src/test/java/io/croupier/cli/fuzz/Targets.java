package io.croupier.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.account.EventReading;
import io.croupier.cli.data.TableReading;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.replay.RecordReading;
import io.croupier.cli.report.LineReading;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.PublicationReading;
import io.croupier.client.ledger.CorruptLedgerException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.job.config.JobConfig;
import io.croupier.job.restart.VisibleReading;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.SpecChange;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Violation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All parsers of untrusted bytes. */
final class Targets {
  private static final Path GOLDEN =
      Path.of("..", "schemas", "src", "test", "resources", "golden", "v1");
  private static final Path EXAMPLES = Path.of("..", "examples");

  /** Creating a model allocates arrays of its dimension, regardless of the size of its spec. */
  private static final int MOST_COORDINATES = 1000;

  private static final int LETTER_BYTES = 4096;

  private final Path directory;
  private final Path file;
  private final ReportDecoder letters = new ReportDecoder();
  private final SpecRequirements requirements =
      new SpecRequirements(1 << 20, 1 << 20, SpecRequirements.LONGEST_OUTAGE);

  /** Targets that store the current input in {@code directory}. */
  Targets(Path directory) {
    this.directory = directory;
    file = directory.resolve("input");
  }

  List<Target> all() throws IOException {
    List<byte[]> reports = golden("GradientReport");
    List<byte[]> specs = new ArrayList<>(golden("ModelSpec-local"));
    specs.addAll(golden("ModelSpec-adaptive-clip"));
    for (String example : List.of("models.yaml", "central.yaml")) {
      ModelsFile.read(EXAMPLES.resolve(example)).forEach(spec -> specs.add(spec.toByteArray()));
    }
    ReportDecoder decoder = new ReportDecoder();
    ReportPath path = new ReportPath();
    return List.of(
        new Target("report", 355, reports, 200, bytes -> decode(decoder, bytes)),
        new Target("report, value by value", 50, reports, 400, Targets::violations),
        new Target("report, to the model", 100, path.corpus(), 1000, path::read),
        // Validation of a central spec computes its noise and allocates its weights.
        new Target("spec", 100, specs, 20_000, this::spec),
        new Target("update", 90, golden("ModelUpdate"), 200, Targets::update),
        new Target("update, at the start", 10, golden("ModelUpdate"), 200, Targets::round),
        new Target("event", 70, golden("AccountingEvent"), 400, Targets::event),
        new Target("event, at the start", 20, visible(), 400, Targets::visible),
        new Target("dead letter", 50, reports, 400, this::deadLetter),
        new Target(
            "gradient line",
            60,
            List.of(
                "[0.5, -1e-3]".getBytes(UTF_8),
                "{\"gradient\": [1, 2], \"round\": \"3\"}".getBytes(UTF_8)),
            400,
            Targets::gradientLine),
        // Each input opens a progress bar, which probes the terminal.
        new Target("declarations and orders", 5, declarations(), 2000, this::declared),
        new Target(
            "table",
            30,
            List.of("a,b\n1,2\n-0.5,\"x\"\n".getBytes(UTF_8), "label\n1\n0\n".getBytes(UTF_8)),
            1000,
            this::table),
        // The JSON reader allocates a buffer for each line, which may have only three bytes.
        new Target("journal", 20, journals(), 2000, Targets::journal),
        new Target("recording", 20, recordings(), 2000, RecordReading::reports),
        new Target(
            "models",
            8,
            texts("models.yaml", "- &a {modelId: a, initialWeights: &b [1, 2]}\n"),
            20_000,
            this::models),
        new Target(
            "configuration",
            8,
            texts("croupier.yaml", "kafka: &a {bootstrap.servers: \"a:1\", b: &b [1, 2]}\n"),
            20_000,
            this::config),
        new Target("ledger", 4, List.of(ledger(0), ledger(1), ledger(3)), 2000, this::ledger));
  }

  private static String decode(ReportDecoder decoder, byte[] bytes) {
    byte[] key = userId(bytes).getBytes(UTF_8);
    Received local = decoder.decode(key, bytes, false, Source.unknown(0));
    Received central = decoder.decode(key, bytes, true, Source.unknown(0));
    return local instanceof Received.Malformed here && central instanceof Received.Malformed there
        ? here.reason() + "\n" + there.reason()
        : "";
  }

  private static String userId(byte[] bytes) {
    try {
      return GradientReport.parseFrom(bytes).getUserId();
    } catch (InvalidProtocolBufferException e) {
      return "";
    }
  }

  private static String violations(byte[] bytes) {
    try {
      return Violation.text(GradientReports.violations(GradientReport.parseFrom(bytes)));
    } catch (InvalidProtocolBufferException e) {
      return e.getMessage();
    }
  }

  private String spec(byte[] bytes) {
    String modelId;
    try {
      modelId = ModelSpec.parseFrom(bytes).getModelId();
    } catch (InvalidProtocolBufferException e) {
      modelId = "unknown";
    }
    PublishedSpecs specs = new PublishedSpecs(spec -> List.of());
    // The second time, the spec changes a running model.
    for (long offset = 0; offset < 2; offset++) {
      if (specs.apply(modelId, offset, bytes) instanceof SpecChange.Refused refused) {
        return refused.reason();
      }
    }
    ModelSpec spec = specs.spec(modelId).orElseThrow();
    List<String> obstacles = requirements.apply(spec);
    if (obstacles.isEmpty() && spec.getDimension() <= MOST_COORDINATES) {
      LiveModel.begin(spec, 0).publish(true, 0);
    }
    return "";
  }

  private static String update(byte[] bytes) {
    try {
      ModelSnapshot snapshot = ModelSnapshot.parse(bytes);
      return snapshot.average().length == snapshot.dimension()
              && PublicationReading.newerThan(bytes) == 0
          ? ""
          : "no dimension";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static String round(byte[] bytes) {
    return VisibleReading.round("model".getBytes(UTF_8), bytes) ? "" : "passed over";
  }

  private static String event(byte[] bytes) {
    try {
      EventReading.rebuild(AccountingEvent.parseFrom(bytes));
      return "";
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  /** A start of the job accepts fewer events than a recomputation of accounts. */
  private static List<byte[]> visible() throws IOException {
    return golden("AccountingEvent").stream().filter(event -> visible(event).isEmpty()).toList();
  }

  private static String visible(byte[] bytes) {
    try {
      VisibleReading.event(null, bytes);
      return "";
    } catch (RefusedStartException e) {
      return e.getMessage();
    }
  }

  /** The key is the first quarter of the input, and the reason begins with the second. */
  private String deadLetter(byte[] bytes) {
    int quarter = bytes.length / 4;
    RawRecord record = new RawRecord();
    record.topic = "gradients";
    record.key = quarter == 0 ? null : Arrays.copyOf(bytes, quarter);
    record.value = Arrays.copyOfRange(bytes, 2 * quarter, bytes.length);
    String reason = new String(bytes, quarter, bytes.length - quarter, UTF_8);
    OutboundRecord letter =
        new DeadLetters(LETTER_BYTES).of(record, Destination.DEAD_LETTERS, reason, false);
    int size = length(letter.key) + length(letter.value);
    for (int i = 0; i < letter.headerNames.length; i++) {
      size += letter.headerNames[i].length() + length(letter.headerValues[i]);
    }
    if (size > LETTER_BYTES) {
      throw new AssertionError("A dead letter of %d bytes".formatted(size));
    }
    return decode(letters, bytes);
  }

  private static int length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static String gradientLine(byte[] bytes) {
    try {
      double[] gradient = LineReading.gradient(new String(bytes, UTF_8), 2);
      return Arrays.stream(gradient).allMatch(Double::isFinite) ? "" : "not finite";
    } catch (InputException e) {
      return e.getMessage();
    }
  }

  /** An invalid declaration may still be a valid order file, as nearly every text is. */
  private String declared(byte[] bytes) throws IOException {
    Files.write(file, bytes);
    try {
      EventReading.order(file.toString());
      EventReading.declared(file.toString());
      return "";
    } catch (InputException e) {
      return e.getMessage();
    }
  }

  private String table(byte[] bytes) throws IOException {
    Files.write(file, bytes);
    try {
      return TableReading.numbers(file).length > 0 ? "" : "no rows";
    } catch (InputException e) {
      return e.getMessage();
    }
  }

  private static List<byte[]> declarations() {
    return Stream.of(
            "{\"userId\": \"ada\", \"l2Laplace\": {\"epsilon\": 1}, \"count\": 3}\n",
            "{\"zeroConcentrated\": {\"rho\": 0.05}}\n{\"gaussian\": {\"mu\": 1}}",
            "[{\"coordinateLaplace\": {\"taus\": [0.5, \"Infinity\"], \"clip\": \"COORDINATES\"}}, {\"coordinateLaplace\":"
                + " {\"taus\": [0.5, 1], \"clip\": \"L2\"}}, {\"undisclosed\": {}}]")
        .map(text -> text.getBytes(UTF_8))
        .toList();
  }

  private static String journal(byte[] bytes) throws IOException {
    try {
      RecordReading.journal(bytes);
      return "";
    } catch (InputException e) {
      return e.getMessage();
    }
  }

  private String models(byte[] bytes) throws IOException {
    Files.write(file, bytes);
    try {
      ModelsFile.read(file);
      return "";
    } catch (InputException e) {
      return e.getMessage();
    }
  }

  private String config(byte[] bytes) throws IOException {
    Files.write(file, bytes);
    try {
      return JobConfig.load(file, Map.of()).kafka().isEmpty() ? "no brokers" : "";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private String ledger(byte[] bytes) throws IOException {
    Files.write(file, bytes);
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE)) {
      return ledger.pending().size() > LocalLedger.WINDOW ? "too many" : "";
    } catch (CorruptLedgerException | IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  /** A ledger file with the given number of reports, of which the first is acknowledged. */
  private byte[] ledger(int reports) throws IOException {
    Path path = directory.resolve("valid-" + reports);
    try (LocalLedger ledger = LocalLedger.open(path, "ada", Limit.NONE)) {
      for (int i = 0; i < reports; i++) {
        ledger.release(
            "m",
            DataKey.of("day").times(9),
            new L2LaplaceRandomiser(1, 2, -16, 1).cost(),
            sequence -> new byte[] {1, 2, 3});
      }
      if (reports > 1) {
        ledger.acknowledge(ledger.pending().get(0).sequence());
      }
    }
    return Files.readAllBytes(path);
  }

  private static List<byte[]> golden(String message) throws IOException {
    List<byte[]> golden = new ArrayList<>();
    try (Stream<Path> files = Files.list(GOLDEN)) {
      for (Path path : files.sorted().toList()) {
        if (path.getFileName().toString().matches(message + "(-.*)?\\.bin")) {
          golden.add(Files.readAllBytes(path));
        }
      }
    }
    return golden;
  }

  private static List<byte[]> journals() throws IOException {
    return List.of(delimited(golden("JournalEntry")), "{\"modelId\": \"m\"}\n\n{}".getBytes(UTF_8));
  }

  private static List<byte[]> recordings() throws IOException {
    return List.of(
        delimited(golden("RecordedReport")),
        delimited(golden("GradientReport")),
        Files.readAllBytes(EXAMPLES.resolve("reports.jsonl")));
  }

  private static byte[] delimited(List<byte[]> messages) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (byte[] message : messages) {
      out.writeByteArrayNoTag(message);
    }
    out.flush();
    return bytes.toByteArray();
  }

  /** A complete example and another text. */
  private static List<byte[]> texts(String example, String other) throws IOException {
    return List.of(Files.readAllBytes(EXAMPLES.resolve(example)), other.getBytes(UTF_8));
  }
}
