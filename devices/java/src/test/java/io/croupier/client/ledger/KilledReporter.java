package io.croupier.client.ledger;

import io.croupier.client.GivenData;
import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.Participant;
import io.croupier.client.Updates;
import io.croupier.client.ledger.WatchedDisk.Operation;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.AdaptiveClip;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.Future;

/**
 * A device that reports until it is killed: at a random time, or while it waits between two file
 * operations.
 */
final class KilledReporter {
  static final String LEDGER = "ledger";
  static final String BROKER = "broker";
  static final String USER = "ada";
  static final double EPSILON = 0.3;
  static final GridRandomiser NOISE = new L2LaplaceRandomiser(1, 4, -16, EPSILON);

  /** Of which only the size is asked for. */
  private static final Participant SMALL =
      new GivenData() {
        @Override
        public double size() {
          return 0;
        }
      };

  /** Small enough that a file is rewritten after every few reports. */
  static final int SLACK_BYTES = 300;

  static final String READY = "ready";
  static final String STOPPED = "stopped before ";

  /** Name of the file with the operation that the process began last. */
  private static final String PLACE = "place";

  private static final int PLACE_BYTES = 64;

  private KilledReporter() {}

  /**
   * Arguments: the folder; the number of reports to send; the index, from 0, of the file operation
   * before which to stop, or -1; a seed for the part of a write that is done if that operation is a
   * write.
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    int stopBefore = Integer.parseInt(args[2]);
    if (stopBefore < 0) {
      // A warm-up, so that a random kill hits the reporting, not the loading of classes.
      report(Files.createTempDirectory(folder.getParent(), "warm"), 8, Disk.REAL);
    }
    System.out.println(READY);
    try (FileChannel place =
        FileChannel.open(
            folder.resolve(PLACE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      Stop stop =
          new Stop(
              stopBefore,
              new Random(Long.parseLong(args[3])),
              place.map(FileChannel.MapMode.READ_WRITE, 0, PLACE_BYTES));
      report(folder, Long.parseLong(args[1]), new WatchedDisk(stop));
    }
  }

  /**
   * Sends the pending reports, then {@code reports} new ones: in turn a gradient, an answer about
   * its size, and an undisclosed gradient.
   */
  static void report(Path folder, long reports, Disk disk) throws IOException {
    ModelSnapshot model = Updates.snapshot("m", 1, 0, 0, 0, 0);
    ModelSnapshot scouting =
        Updates.parse(
            Updates.update("n", 1, 0, 0, 0, 0)
                .setSize(AdaptiveClip.Size.GRADIENT)
                .setQuestionProbability(1));
    GridRandomiser unsaid = new UndisclosedRandomiser(NOISE);
    try (LocalLedger ledger =
            LocalLedger.open(folder.resolve(LEDGER), USER, Limit.NONE, disk, SLACK_BYTES);
        FileBroker broker = new FileBroker(folder.resolve(BROKER))) {
      GradientReporter reporter =
          new GradientReporter(new KafkaReportTransport(broker, "gradients"), ledger);
      for (long i = 0; i < reports; i++) {
        Future<?> unused =
            i % 3 == 1
                ? reporter.respond(scouting, SMALL, NOISE)
                : reporter.report(
                    model, FrequentData.KEY, new double[4], i % 3 == 0 ? NOISE : unsaid);
      }
      broker.flush();
    }
  }

  /** The operation that a killed process began last. */
  static String place(Path folder) throws IOException {
    Path file = folder.resolve(PLACE);
    String place = Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8).strip() : "";
    return place.isEmpty() ? "before the first" : place;
  }

  private static final class Stop implements WatchedDisk.Watcher {
    private final int at;
    private final Random random;
    private final MappedByteBuffer place;
    private int operations;

    Stop(int at, Random random, MappedByteBuffer place) {
      this.at = at;
      this.random = random;
      this.place = place;
      tell("");
    }

    private void tell(String what) {
      String padded = String.format("%-" + PLACE_BYTES + "s", what);
      place.put(0, padded.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void before(Operation operation) throws IOException {
      tell(operation.what());
      if (operations++ == at) {
        if (operation.name().equals("write")) {
          operation.writePart(random);
        }
        System.out.println(STOPPED + operation.what());
        // Returns when the parent process has ended.
        int unused = System.in.read();
      }
    }
  }
}
