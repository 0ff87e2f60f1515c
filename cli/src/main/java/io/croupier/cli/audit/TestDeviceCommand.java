package io.croupier.cli.audit;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.cli.account.Json;
import io.croupier.cli.io.Table;
import io.croupier.cli.models.ModelsFile;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Tests whether a device does what the spec of a model wants, and what it promises. */
@Command(
    name = "test-device",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Tests a device of an app before it ships: whether it sends what a model asks for, with the"
          + " noise that it declares, stops at its limit, reports data once, and sends a report"
          + " that wasn't taken again.",
      "",
      "The command serves a model on 127.0.0.1 as a gateway does. The device asks for one task"
          + " after the other at /trial/next, and takes part as the task names it; the last"
          + " answer contains \"done\": true. With a COMMAND, the command starts it with the"
          + " address in the variable CROUPIER_TRIAL. No Kafka is needed.",
      "",
      "The noise is compared with its declaration by the event of 'croupier audit'. A right device"
          + " fails with a probability of at most 1e-6. A device that passes isn't proven right."
          + " Exit code: 0 if all checks pass, 1 if one fails."
    },
    footer = {
      "",
      "Try:",
      "  croupier test-device --file model.yaml --epsilon 2 -- node device.mjs"
    })
public final class TestDeviceCommand implements Callable<Integer> {
  private static final int FEWEST = 1000;
  private static final int MOST = 1_000_000;
  private static final double FALSE_ALARM = 1e-6;
  private static final String RIGHT_UPDATE =
      "it must have one line of 'croupier follow', an update in JSON";

  @Spec private CommandSpec spec;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      required = true,
      description = "The models file with the spec, whose predicts names the label and the loss.")
  private Path file;

  @Option(
      names = "--model",
      paramLabel = "ID",
      description = "The model; may be left out if the file has one.")
  private String modelId;

  @Option(
      names = "--update",
      paramLabel = "FILE",
      description = {
        "An update of the model, a line of 'croupier follow': the device is tested at its weights"
            + " and average, instead of at zero."
      })
  private Path update;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      required = true,
      description = "What the device spends on each report, from 0.001 to 16.")
  private double epsilon;

  @Option(
      names = "--releases",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Gradients of each of two people, from 1000 (default: ${DEFAULT-VALUE}).")
  private int releases;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Port on 127.0.0.1; 0: any free one (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Starts the device.")
  private List<String> command = List.of();

  @Override
  public Integer call() throws InterruptedException {
    require(
        epsilon >= 0.001 && epsilon <= 16,
        "--epsilon is %s; it must be from 0.001 to 16".formatted(epsilon));
    require(
        releases >= FEWEST && releases <= MOST,
        "--releases is %d; it must be from %d to %d".formatted(releases, FEWEST, MOST));
    ModelSpec model = model();
    TrialModel tested =
        update == null ? new TrialModel(model) : new TrialModel(model, recorded(update));
    DeviceTrial trial = new DeviceTrial(tested, epsilon, releases);
    try (TrialServer server = new TrialServer(trial, port)) {
      PrintWriter err = spec.commandLine().getErr();
      err.printf("Serving %s, %,d tasks%n", server.address(), trial.size());
      err.flush();
      if (command.isEmpty()) {
        server.await();
      } else {
        run(server);
      }
    }
    return print(TrialChecks.of(trial, FALSE_ALARM));
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new InputException(otherwise);
    }
  }

  private ModelSpec model() {
    List<ModelSpec> specs =
        ModelsFile.readValid(file).stream()
            .filter(candidate -> modelId == null || candidate.getModelId().equals(modelId))
            .toList();
    require(
        specs.size() == 1,
        "%s has %d models%s; --model must name the one to test"
            .formatted(file, specs.size(), modelId == null ? "" : " '" + modelId + "'"));
    return specs.get(0);
  }

  private static ModelUpdate recorded(Path file) {
    try {
      ModelUpdate.Builder update = ModelUpdate.newBuilder();
      String text = Utf8Text.read(file);
      require(!text.isBlank(), "--update: %s is empty; %s".formatted(file, RIGHT_UPDATE));
      JsonFormat.parser().ignoringUnknownFields().merge(text, update);
      return update.build();
    } catch (InvalidProtocolBufferException e) {
      throw new InputException(
          "--update: %s is no update (%s); %s".formatted(file, e.getMessage(), RIGHT_UPDATE), e);
    } catch (IOException e) {
      throw new InputException("--update: %s: %s".formatted(file, FileErrors.unreadable(e)), e);
    }
  }

  /** Runs the device until it ends, whether or not it has done all tasks. */
  private void run(TrialServer server) throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    // Standard output has the result alone.
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("CROUPIER_TRIAL", server.address().toString());
    try {
      Process device = builder.start();
      try {
        device.waitFor();
      } finally {
        device.destroy();
      }
    } catch (IOException e) {
      throw new InputException("The device can't be started: " + e.getMessage(), e);
    }
  }

  private int print(List<TrialChecks.Line> lines) {
    PrintWriter out = spec.commandLine().getOut();
    boolean passed = lines.stream().allMatch(TrialChecks.Line::passed);
    if (json) {
      out.println(Json.text(Json.of(new TestedDevice(passed, lines))));
    } else {
      Table table = new Table("check", "", "seen").words("").words("seen");
      lines.forEach(
          line -> table.row(line.check(), line.passed() ? "passed" : "FAILED", line.detail()));
      out.println(table.text());
    }
    return passed ? 0 : 1;
  }

  private record TestedDevice(boolean passed, List<TrialChecks.Line> checks) {}
}
