package io.croupier.job;

import io.croupier.job.config.ConfigKey;
import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.restart.LedgerStart;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The command line of the job.
 *
 * @param config the settings of the file and their overrides
 * @param start what the ledger does without state
 * @param dryRun whether to print the plan only
 */
record JobArguments(JobConfig config, LedgerStart start, boolean dryRun) {
  private static final String DRY_RUN = "--dry-run";
  private static final String REBUILD_LEDGER = "--rebuild-ledger";
  private static final String NEW_LEDGER = "--new-ledger";

  /**
   * Reads the arguments.
   *
   * @throws IllegalArgumentException if one is unknown, or a setting is invalid
   */
  static JobArguments parse(String[] args) {
    Map<String, String> settings = new LinkedHashMap<>();
    Set<String> flags = new HashSet<>();
    String file = null;
    for (int i = 0; i < args.length; i++) {
      if (Set.of(DRY_RUN, REBUILD_LEDGER, NEW_LEDGER).contains(args[i])) {
        flags.add(args[i]);
      } else if (!args[i].startsWith("--") || i + 1 == args.length) {
        throw new IllegalArgumentException(
            "%s is unknown; use --config FILE, %s, %s, %s, or --key value for a setting"
                .formatted(name(args, i), DRY_RUN, REBUILD_LEDGER, NEW_LEDGER));
      } else if (args[i].equals("--config")) {
        file = args[++i];
      } else {
        settings.put(args[i].substring(2), args[++i]);
      }
    }
    LedgerStart start = start(flags);
    JobConfig config =
        file == null ? JobConfig.of(settings) : JobConfig.load(Path.of(file), settings);
    return new JobArguments(config, start, flags.contains(DRY_RUN));
  }

  private static LedgerStart start(Set<String> flags) {
    if (flags.containsAll(Set.of(REBUILD_LEDGER, NEW_LEDGER))) {
      throw new IllegalArgumentException(
          "Only one of %s and %s may be given".formatted(REBUILD_LEDGER, NEW_LEDGER));
    }
    if (flags.contains(REBUILD_LEDGER)) {
      return LedgerStart.REBUILD;
    }
    return flags.contains(NEW_LEDGER) ? LedgerStart.NEW : LedgerStart.REQUIRE_STATE;
  }

  /** An argument without any value in it, since a value may be a password. */
  private static String name(String[] args, int i) {
    return args[i].startsWith("--")
        ? "'" + ConfigKey.withoutValue(args[i]) + "'"
        : "Argument %d, which is not a --key,".formatted(i + 1);
  }
}
