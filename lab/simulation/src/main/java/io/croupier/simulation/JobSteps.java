package io.croupier.simulation;

import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.simulation.SimulatedLog.FencedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** What sources and subtasks of the running attempt do, one step at a time. */
final class JobSteps {
  private final World world;

  JobSteps(World world) {
    this.world = world;
  }

  /** Lets some sources read. */
  Optional<String> source(SplittableRandom random) {
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < world.job().sources(); i++) {
      if (world.job().hasWork(i)) {
        ready.add(i);
      }
    }
    if (ready.isEmpty()) {
      return Optional.empty();
    }
    List<String> read = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0 && !ready.isEmpty(); i--) {
      int source = ready.remove(random.nextInt(ready.size()));
      read.add(world.job().read(source, 1 + random.nextInt(4), random.nextBoolean()));
    }
    return Optional.of(String.join("; ", read));
  }

  /** Lets a subtask take some elements. */
  Optional<String> task(SplittableRandom random) throws Exception {
    List<Subtask> ready =
        world.job().subtasks().stream()
            .filter(subtask -> subtask.isRunning() && !subtask.ready().isEmpty())
            .toList();
    if (ready.isEmpty()) {
      return Optional.empty();
    }
    Subtask subtask = World.pick(random, ready);
    int edge = World.pick(random, subtask.ready());
    int most = 1 + random.nextInt(4);
    String last = "";
    int taken = 0;
    try {
      while (taken < most && last.isEmpty() && subtask.ready().contains(edge)) {
        last = subtask.takeFrom(edge);
        taken++;
      }
      if (!last.isEmpty() && random.nextBoolean()) {
        last += subtask.takeBarriers();
      }
    } catch (FencedException e) {
      return Optional.of(world.crash(random, e.getMessage() + "; "));
    }
    return Optional.of(
        subtask.name()
            + " takes "
            + taken
            + " from edge "
            + edge
            + (last.isEmpty() ? "" : ", " + last));
  }

  /** Lets one of the subtasks go on with its start. */
  Optional<String> start(SplittableRandom random) throws Exception {
    List<Subtask> waiting =
        world.job().subtasks().stream().filter(subtask -> !subtask.isRunning()).toList();
    return waiting.isEmpty()
        ? Optional.empty()
        : Optional.of(start(World.pick(random, waiting), random));
  }

  /** Lets a subtask go on with its start. */
  String start(Subtask subtask, SplittableRandom random) throws Exception {
    try {
      return subtask.name() + " starts " + subtask.start();
    } catch (RefusedStartException e) {
      if (!world.isOfOldState()) {
        throw new WorldFinding(8, "The newest state is refused: " + e.getMessage(), e);
      }
      return world.crash(random, subtask.name() + " refuses the old state; ");
    }
  }

  /** Acknowledges what a subtask has written. */
  Optional<String> acknowledge(SplittableRandom random) {
    List<Subtask> written =
        world.job().subtasks().stream()
            .filter(subtask -> subtask.unacknowledged().isPresent())
            .toList();
    if (written.isEmpty()) {
      return Optional.empty();
    }
    Subtask subtask = World.pick(random, written);
    long checkpoint = world.job().taking();
    world.job().acknowledge(subtask);
    return Optional.of(
        subtask.name()
            + " has written its state"
            + (world.job().isTaking(checkpoint)
                ? ""
                : ", checkpoint " + checkpoint + " is complete"));
  }
}
