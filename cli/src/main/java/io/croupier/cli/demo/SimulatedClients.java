package io.croupier.cli.demo;

import io.croupier.cli.data.Problem;
import io.croupier.client.GradientReporter;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.NotChosenException;
import io.croupier.client.Participant;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/**
 * Simulates the people, who arrive one by one at a steady rate. Each person evaluates the gradient
 * at every model's newest weights on their own data, and sends each model one noised report, or
 * answers the question that the model asks instead, or votes for a category, or states whether the
 * size of the gradient is above the clip, unless the report would be undisclosed. A person whom a
 * model doesn't ask while it searches for its clip comes to it once more, after all others. In
 * addition, groups of people send raw gradients to central models.
 */
final class SimulatedClients implements Arrivals, AutoCloseable {

  private static final long LONGEST_NAP = Duration.ofMillis(20).toNanos();

  /**
   * What a person does for a model.
   *
   * @param place of the person in the order
   * @param reporter the person's device
   */
  private record Visit(int place, String modelId, GradientReporter reporter) {}

  private final LongFunction<Problem> problems;
  private final Counts counts;
  private final int[] order;
  private final List<String> modelIds;
  private final Function<String, ModelSnapshot> newest;
  private final IntFunction<GradientReporter> reporterOf;
  private final Randomisers randomisers;
  private final List<Cohorts> cohorts;

  /** Returns the randomiser of a person for a model. */
  @FunctionalInterface
  interface Randomisers {
    /**
     * Returns a randomiser on the model's grid, or on the finest one of a moving clip.
     *
     * @param place of the person in the order, from 0
     */
    Randomiser of(int place, String modelId);
  }

  private final Thread thread = new Thread(this::come, "simulated-clients");
  private final Deque<Future<?>> underway = new ArrayDeque<>();
  private final Deque<Visit> postponed = new ArrayDeque<>();
  private volatile long reported;
  private volatile long sent;
  private final AtomicLong unanswered = new AtomicLong();
  private volatile RuntimeException failure;
  private volatile boolean closed;
  private long nanosPerPerson;
  private BooleanSupplier held = () -> false;

  /**
   * Prepares the simulation.
   *
   * @param problems returns the problem of the person at a place in the order, from 0
   * @param counts the categories of the people
   * @param order in which people arrive
   * @param newest returns a model's newest committed publication
   * @param reporterOf makes the reporter of a person
   * @param randomisers returns the randomiser of a person for a model
   * @param cohorts groups that send raw gradients
   */
  SimulatedClients(
      LongFunction<Problem> problems,
      Counts counts,
      int[] order,
      List<String> modelIds,
      Function<String, ModelSnapshot> newest,
      IntFunction<GradientReporter> reporterOf,
      Randomisers randomisers,
      List<Cohorts> cohorts) {
    this.problems = problems;
    this.counts = counts;
    this.order = order;
    this.modelIds = List.copyOf(modelIds);
    this.newest = newest;
    this.reporterOf = reporterOf;
    this.randomisers = randomisers;
    this.cohorts = List.copyOf(cohorts);
    this.thread.setDaemon(true);
  }

  /**
   * Starts the arrivals.
   *
   * @param held while true, no person arrives
   */
  void start(double peoplePerSecond, BooleanSupplier held) {
    this.nanosPerPerson = Math.round(1e9 / peoplePerSecond);
    this.held = held;
    thread.start();
  }

  @Override
  public long reported() {
    if (failure != null) {
      throw failure;
    }
    return reported;
  }

  @Override
  public long sent() {
    if (failure != null) {
      throw failure;
    }
    return sent;
  }

  /**
   * The number of reports that all people will send, less those that are known not to come: a
   * person who is asked a question, but doesn't disclose a level, sends nothing.
   */
  @Override
  public long due() {
    return (long) order.length * modelIds.size()
        - unanswered.get()
        + cohorts.stream().mapToLong(Cohorts::size).sum();
  }

  @Override
  public long size() {
    return order.length;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(Duration.ofSeconds(5).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void come() {
    try {
      long due = System.nanoTime();
      long count = 0;
      for (int i = 0; i < order.length; i++) {
        due = waitFor(due);
        if (closed) {
          return;
        }
        int reports = 0;
        GradientReporter reporter = reporterOf.apply(order[i]);
        for (String modelId : modelIds) {
          reports += report(new Visit(i, modelId, reporter), true);
        }
        // A reader that sees a person finds the person's reports counted.
        sent = count += reports + answers(i + 1);
        reported = i + 1L;
        due += nanosPerPerson;
        checkDeliveries(false);
      }
      while (!postponed.isEmpty()) {
        due = waitFor(due);
        if (closed) {
          return;
        }
        sent = count += report(postponed.removeFirst(), false);
        due += nanosPerPerson;
        checkDeliveries(false);
      }
      while (!closed && !cohorts.stream().allMatch(Cohorts::isOver)) {
        sent = count += answers(order.length);
        checkDeliveries(false);
        LockSupport.parkNanos(LONGEST_NAP);
      }
      checkDeliveries(true);
    } catch (ExecutionException e) {
      failure = new IllegalStateException("A report could not be delivered", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /** Sends due reports of the cohorts and returns their number. */
  private long answers(int come) {
    return cohorts.stream().mapToLong(group -> group.answer(come, underway::add)).sum();
  }

  /** Waits until the next person is due, and returns the time from which the next delay counts. */
  private long waitFor(long due) {
    boolean wasHeld = false;
    while (!closed) {
      long early = due - System.nanoTime();
      if (held.getAsBoolean()) {
        wasHeld = true;
        LockSupport.parkNanos(LONGEST_NAP);
      } else if (early > 0) {
        LockSupport.parkNanos(Math.min(early, LONGEST_NAP));
      } else {
        // After a hold, people must not arrive in a burst.
        return wasHeld ? System.nanoTime() : due;
      }
    }
    return due;
  }

  /**
   * Sends what a model asks of a person, and returns the number of reports: 0 or 1. People who
   * don't disclose their level, or whose data can't answer a question, answer none.
   *
   * @param mayWait whether a person who has nothing to report while the model scouts comes again
   */
  private int report(Visit visit, boolean mayWait) {
    ModelSnapshot snapshot = newest.apply(visit.modelId);
    try {
      underway.add(
          visit.reporter.respond(
              snapshot,
              new DataRow(problems.apply(visit.place), counts, order[visit.place], snapshot),
              randomisers.of(visit.place, visit.modelId)));
      return 1;
    } catch (NotChosenException e) {
      if (mayWait && snapshot.isScouting()) {
        postponed.addLast(visit);
      } else {
        unanswered.incrementAndGet();
      }
      return 0;
    }
  }

  /** A person's data at a publication. */
  private record DataRow(Problem problem, Counts counts, int row, ModelSnapshot snapshot)
      implements Participant {
    private static final DataKey KEY = DataKey.of("the person's row");

    @Override
    public DataKey key() {
      return KEY;
    }

    @Override
    public double[] gradient() {
      double[] gradient = new double[problem.dimension()];
      problem.gradient(row, snapshot.weights(), gradient);
      return gradient;
    }

    @Override
    public double size() {
      return problem.size(snapshot.terms(), row, snapshot.weights());
    }

    @Override
    public boolean canAnswer(Question question) {
      return problem.canAnswer(question);
    }

    @Override
    public boolean answer(Question question) {
      return problem.answer(question, row, snapshot.average());
    }

    @Override
    public boolean canVote(Statistic statistic) {
      return counts.has(statistic);
    }

    @Override
    public String category(Statistic statistic) {
      return counts.category(statistic, row);
    }
  }

  /** Throws if a report could not be delivered; checks the completed sends, or waits for all. */
  private void checkDeliveries(boolean wait) throws ExecutionException, InterruptedException {
    while (!underway.isEmpty() && (underway.getFirst().isDone() || (wait && !closed))) {
      underway.removeFirst().get();
    }
  }
}
