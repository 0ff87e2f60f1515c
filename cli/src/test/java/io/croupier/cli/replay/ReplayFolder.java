package io.croupier.cli.replay;

import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.CommandRun;
import io.croupier.cli.JsonMessages;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.RecordedReport;
import io.croupier.schemas.Undisclosed;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A folder with recordings in which the command runs. */
final class ReplayFolder {
  private final Path directory;

  ReplayFolder(Path directory) {
    this.directory = directory;
  }

  /** A report that doesn't declare its noise, from a user's only device. */
  static GradientReport.Builder report(
      String modelId, long round, String user, long sequence, double... values) {
    return GradientReport.newBuilder()
        .setModelId(modelId)
        .setRound(round)
        .setUserId(user)
        .setDeviceId("phone")
        .setSequence(sequence)
        .setCreatedAtMs(1_000 + sequence)
        .setDense(dense(values))
        .setUndisclosed(Undisclosed.getDefaultInstance());
  }

  static Dense dense(double... values) {
    return Dense.newBuilder().addAllValues(Arrays.stream(values).boxed().toList()).build();
  }

  /** The position of a record in partition 0 of a topic named {@code gradients}. */
  static Position position(long offset) {
    return Position.newBuilder().setTopic("gradients").setPartition(0).setOffset(offset).build();
  }

  /** The report as recorded from partition 0 of a topic named {@code gradients}. */
  static RecordedReport recorded(long offset, GradientReport.Builder report) {
    return RecordedReport.newBuilder()
        .setTopic("gradients")
        .setPartition(0)
        .setOffset(offset)
        .setReport(report)
        .build();
  }

  String path(String name) {
    return directory.resolve(name).toString();
  }

  void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  static String json(Message message) throws IOException {
    return JsonFormat.printer().omittingInsignificantWhitespace().print(message);
  }

  void writeJson(String name, List<? extends Message> messages) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Message message : messages) {
      text.append(json(message)).append('\n');
    }
    write(name, text.toString());
  }

  void writeBinary(String name, List<? extends Message> messages) throws IOException {
    try (OutputStream out = Files.newOutputStream(directory.resolve(name))) {
      for (Message message : messages) {
        message.writeDelimitedTo(out);
      }
    }
  }

  List<String> lines(String name) throws IOException {
    return Files.readAllLines(directory.resolve(name));
  }

  List<ModelUpdate> updates(String name) throws IOException {
    return JsonMessages.parse(lines(name), ModelUpdate.getDefaultInstance());
  }

  List<AccountingEvent> events(String name) throws IOException {
    return JsonMessages.parse(lines(name), AccountingEvent.getDefaultInstance());
  }

  /**
   * Runs the command on files of this folder.
   *
   * @param arguments options, separated by single blanks; a value with a dot is a file name
   */
  CommandRun run(String arguments) {
    return CommandRun.of(
        new ReplayCommand(),
        Arrays.stream(arguments.split(" "))
            .map(argument -> argument.contains(".") ? path(argument) : argument)
            .toArray(String[]::new));
  }
}
