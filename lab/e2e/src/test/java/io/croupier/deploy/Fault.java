package io.croupier.deploy;

import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The faults of a working cluster of two TaskManagers. */
enum Fault {
  KILL_TASKMANAGER,
  KILL_JOBMANAGER,
  KILL_BROKER,
  PAUSE_TASKMANAGER,
  PAUSE_JOBMANAGER,
  PAUSE_BROKER,
  FULL_DISK,
  NOTHING;

  /** Longer than the heartbeat timeout, so that the cluster declares some paused servers dead. */
  private static final int LONGEST_PAUSE_MS = 10_000;

  /**
   * Injects the fault; returns after paused servers continue and the disk has space.
   *
   * @param struck runs as soon as the fault has taken effect
   */
  void inject(Cluster cluster, CheckpointDisk disk, Random random, Runnable struck)
      throws Exception {
    switch (this) {
      case KILL_TASKMANAGER, KILL_JOBMANAGER, KILL_BROKER -> {
        cluster.signal(server(random), "KILL");
        struck.run();
      }
      case PAUSE_TASKMANAGER, PAUSE_JOBMANAGER, PAUSE_BROKER -> {
        String server = server(random);
        cluster.signal(server, "STOP");
        struck.run();
        pause(random);
        cluster.signal(server, "CONT");
      }
      case FULL_DISK -> {
        disk.fill();
        struck.run();
        pause(random);
        disk.free();
      }
      case NOTHING -> struck.run();
    }
  }

  private static void pause(Random random) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(LONGEST_PAUSE_MS - 500));
  }

  private String server(Random random) {
    String server = name().substring(name().indexOf('_') + 1).toLowerCase(Locale.ROOT);
    return server.equals("taskmanager") ? server + "-" + (1 + random.nextInt(2)) : server;
  }

  @Override
  public String toString() {
    return switch (this) {
      case KILL_TASKMANAGER -> "kill -9 of a TaskManager";
      case KILL_JOBMANAGER -> "kill -9 of the JobManager";
      case KILL_BROKER -> "kill -9 of the broker";
      case PAUSE_TASKMANAGER -> "SIGSTOP of a TaskManager";
      case PAUSE_JOBMANAGER -> "SIGSTOP of the JobManager";
      case PAUSE_BROKER -> "SIGSTOP of the broker";
      case FULL_DISK -> "no room for checkpoints";
      case NOTHING -> "nothing (for comparison)";
    };
  }
}
