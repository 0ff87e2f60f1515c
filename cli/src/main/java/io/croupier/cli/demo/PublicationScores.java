package io.croupier.cli.demo;

import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Score;
import io.croupier.client.ModelSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/**
 * Evaluates the publications of each model. Publications may arrive on any thread. A separate
 * thread evaluates them; if it falls behind, it evaluates only the newest.
 */
final class PublicationScores implements AutoCloseable {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Curves are evaluated on at most this many people, so that large data don't starve the job. */
  private static final int MOST_JUDGED = 30_000;

  private final LongFunction<Problem> problems;
  private final Map<String, ModelCurve> curves = new LinkedHashMap<>();
  private final Thread judge = new Thread(this::judge, "publication-scores");
  private volatile long lastPublication = System.nanoTime();
  private volatile RuntimeException failure;
  private volatile boolean closed;

  /**
   * Starts to evaluate.
   *
   * @param problems returns the problem after so many reports, one of a few
   */
  PublicationScores(LongFunction<Problem> problems, List<String> modelIds) {
    Map<Problem, Problem> judged = new ConcurrentHashMap<>();
    this.problems =
        used -> judged.computeIfAbsent(problems.apply(used), all -> all.first(MOST_JUDGED));
    modelIds.forEach(modelId -> curves.put(modelId, new ModelCurve()));
    judge.setDaemon(true);
    judge.start();
  }

  /** Records a publication. */
  void published(ModelSnapshot snapshot) {
    ModelCurve modelCurve = curves.get(snapshot.modelId());
    if (modelCurve != null) {
      lastPublication = System.nanoTime();
      modelCurve.publish(snapshot);
    }
  }

  /** Nanoseconds since the newest publication of any model. */
  long nanosSincePublication() {
    return System.nanoTime() - lastPublication;
  }

  /** The progress of a model, from its publications. */
  ModelStatus standing(String modelId) {
    if (failure != null) {
      throw failure;
    }
    return curves.get(modelId).standing();
  }

  /** The scores of a model so far. */
  List<CurvePoint> curve(String modelId) {
    return curves.get(modelId).curve();
  }

  /** Evaluates the last publications, then stops the thread. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(judge);
    try {
      judge.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void judge() {
    try {
      while (!closed) {
        sweep();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      sweep();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private void sweep() {
    curves.values().forEach(modelCurve -> modelCurve.judge(problems));
  }

  /** One model's publications. */
  private static final class ModelCurve {
    private final AtomicReference<ModelSnapshot> unjudged = new AtomicReference<>();
    private final List<CurvePoint> curve = new ArrayList<>();
    private long publications;
    private long used;
    private long answers;
    private long dropped;
    private long open;

    synchronized void publish(ModelSnapshot snapshot) {
      publications++;
      used = snapshot.used();
      answers = snapshot.answers();
      dropped = snapshot.droppedStale() + snapshot.droppedUnpublished() + snapshot.droppedBound();
      open = snapshot.open();
      unjudged.set(snapshot);
    }

    void judge(LongFunction<Problem> problems) {
      ModelSnapshot snapshot = unjudged.getAndSet(null);
      if (snapshot != null) {
        Score score = problems.apply(snapshot.used()).score(snapshot.average());
        CurvePoint point = new CurvePoint(snapshot.used(), score.loss(), score.fit());
        synchronized (this) {
          curve.add(point);
        }
      }
    }

    synchronized ModelStatus standing() {
      CurvePoint newest = curve.isEmpty() ? null : curve.get(curve.size() - 1);
      return new ModelStatus(used, answers, dropped, open, 0, publications, newest);
    }

    synchronized List<CurvePoint> curve() {
      return List.copyOf(curve);
    }
  }
}
