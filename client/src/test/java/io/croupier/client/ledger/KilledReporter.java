package io.croupier.client.ledger;

import io.croupier.client.GradientReporter;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.Updates;
import io.croupier.client.ledger.WatchedChannel.Operation;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Future;

/** A device that reports until it is killed, or until it stops itself between two operations. */
final class KilledReporter {
  static final String LEDGER = "ledger";
  static final String BROKER = "broker";
  static final String USER = "ada";
  static final double EPSILON = 0.3;

  /** The exit status of one that stopped itself, as if by SIGKILL. */
  static final int HALTED = 137;

  private KilledReporter() {}

  /**
   * Arguments: the folder; how many reports to send; the number of the operation on files before
   * which to stop, from 0, or -1; a seed, for how much of a write is done when it is that.
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    long reports = Long.parseLong(args[1]);
    Channels channels =
        WatchedChannel.watchedBy(
            new Halt(Integer.parseInt(args[2]), new Random(Long.parseLong(args[3]))));
    ModelSnapshot model = Updates.snapshot("m", 1, 0, 0, 0, 0);
    Randomiser noise = new L2LaplaceRandomiser(1, 4, -16, EPSILON);
    Randomiser unsaid = new UndisclosedRandomiser(noise);
    System.out.println("ready");
    try (LocalLedger ledger = LocalLedger.open(folder.resolve(LEDGER), USER, Limit.NONE, channels);
        FileBroker broker = new FileBroker(folder.resolve(BROKER))) {
      GradientReporter reporter = new GradientReporter(broker, "gradients", ledger);
      for (long i = 0; i < reports; i++) {
        Future<?> unused = reporter.report(model, new double[4], i % 2 == 0 ? noise : unsaid);
      }
      broker.flush();
    }
  }

  private static final class Halt implements WatchedChannel.Watcher {
    private final int at;
    private final Random random;
    private int operations;

    Halt(int at, Random random) {
      this.at = at;
      this.random = random;
    }

    @Override
    public void before(Operation operation) throws IOException {
      if (operations++ == at) {
        if (operation.name().equals("write")) {
          ByteBuffer part = operation.bytes().duplicate();
          part.limit(part.position() + random.nextInt(part.remaining()));
          operation.target().write(part, operation.position());
        }
        Runtime.getRuntime().halt(HALTED);
      }
    }
  }
}
