package io.croupier.deploy;

import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What is done to a cluster of two TaskManagers that works. */
enum Fault {
  KILL_TASKMANAGER,
  KILL_JOBMANAGER,
  KILL_BROKER,
  PAUSE_TASKMANAGER,
  PAUSE_JOBMANAGER,
  PAUSE_BROKER,
  FULL_DISK,
  NOTHING;

  /** Longer than the heartbeats' timeout, so that some of the paused are given up. */
  private static final int LONGEST_PAUSE_MS = 10_000;

  /**
   * Does it; returns when what was paused goes on, and the disk has room.
   *
   * @param struck runs as soon as the servers feel it
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
