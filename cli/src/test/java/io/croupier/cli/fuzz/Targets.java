package io.croupier.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.account.EventReading;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.replay.RecordReading;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.CorruptLedgerException;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.job.JobConfig;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.SpecChange;
import io.croupier.operators.report.Decoded;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Everything that parses bytes which others wrote. */
final class Targets {
  private static final Path GOLDEN =
      Path.of("..", "schemas", "src", "test", "resources", "golden", "v1");
  private static final Path EXAMPLES = Path.of("..", "examples");

  private final Path directory;
  private final Path file;
  private final SpecRequirements requirements =
      new SpecRequirements(1 << 20, 1 << 20, SpecRequirements.LONGEST_OUTAGE);

  /** Targets that keep the file that is being read in {@code directory}. */
  Targets(Path directory) {
    this.directory = directory;
    file = directory.resolve("input");
  }

  List<Target> all() throws IOException {
    List<byte[]> reports = golden("GradientReport");
    List<byte[]> specs = new ArrayList<>(golden("ModelSpec-local"));
    for (String example : List.of("models.yaml", "central.yaml")) {
      ModelsFile.read(EXAMPLES.resolve(example)).forEach(spec -> specs.add(spec.toByteArray()));
    }
    ReportDecoder decoder = new ReportDecoder("raw");
    return List.of(
        new Target("report", 500, reports, 200, bytes -> decode(decoder, bytes)),
        new Target("report, value by value", 144, reports, 400, Targets::violations),
        // The noise of a central spec is looked for, and its weights are made.
        new Target("spec", 100, specs, 20_000, this::spec),
        new Target("update", 100, golden("ModelUpdate"), 200, Targets::update),
        new Target("event", 96, golden("AccountingEvent"), 400, Targets::event),
        new Target("journal", 20, journals(), 400, Targets::journal),
        new Target("recording", 20, recordings(), 1000, RecordReading::reports),
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
    Decoded local = decoder.decode(key, bytes, "gradients", 0, 0);
    Decoded central = decoder.decode(key, bytes, "raw", 0, 0);
    return local instanceof Decoded.Malformed here && central instanceof Decoded.Malformed there
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
      return String.join("\n", GradientReports.violations(GradientReport.parseFrom(bytes)));
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
    // The second time as a change of a running model.
    for (long offset = 0; offset < 2; offset++) {
      if (specs.apply(modelId, offset, bytes) instanceof SpecChange.Refused refused) {
        return refused.reason();
      }
    }
    requirements.apply(specs.spec(modelId).orElseThrow());
    return "";
  }

  private static String update(byte[] bytes) {
    try {
      ModelSnapshot snapshot = ModelSnapshot.parse(bytes);
      return snapshot.average().length == snapshot.dimension() ? "" : "no dimension";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static String event(byte[] bytes) {
    try {
      EventReading.rebuild(AccountingEvent.parseFrom(bytes));
      return "";
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return e.getMessage();
    }
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

  /** A ledger's file with so many reports, the first of them acknowledged. */
  private byte[] ledger(int reports) throws IOException {
    Path path = directory.resolve("valid-" + reports);
    try (LocalLedger ledger = LocalLedger.open(path, "ada", Limit.NONE)) {
      for (int i = 0; i < reports; i++) {
        ledger.release(new L2LaplaceRandomiser(1, 2, -16, 1), sequence -> new byte[] {1, 2, 3});
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

  /** An example, whole, and another text. */
  private static List<byte[]> texts(String example, String other) throws IOException {
    return List.of(Files.readAllBytes(EXAMPLES.resolve(example)), other.getBytes(UTF_8));
  }
}
