package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.replay.ReportRecord.Unreadable;
import io.croupier.operators.learner.Learners;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs recorded reports through ledger and learners. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Runs recorded reports through the job's own ledger and learners, with no Kafka and no Flink:"
          + " to test a learner on what was reported, to compare learners, to show a bug.",
      "",
      "Every closed round is published at once, so a report may name any round replayed so far, and"
          + " maxStaleness counts rounds. There is no clock: roundTimeoutMs does nothing, and an"
          + " update is stamped with the time when the last report of its last round was created, by"
          + " that report's own word. The same input gives the same bytes.",
      "With --journal the job's own bundles, rounds and publications are repeated, and the updates"
          + " are the job's, bit for bit, but for that time.",
      "Central models are not replayed: their noise is not reproducible."
    },
    footer = {
      "",
      "Reports and journal are JSON, one a line in the Protobuf JSON mapping, or Protobuf, each"
          + " message behind its length as a varint; the first bytes tell which. A report is a"
          + " GradientReport or a RecordedReport. '-' is standard input, of one of them, or standard"
          + " output, of one of the files written. What ends in .gz is unpacked.",
      "",
      "Try:",
      "  croupier replay --models models.yaml --reports reports.jsonl --updates updates.jsonl"
    })
public final class ReplayCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--models",
      paramLabel = "FILE",
      required = true,
      description = "The models: a YAML (or JSON) list of model specs, as 'models apply' takes it.")
  private Path models;

  @Option(
      names = "--reports",
      paramLabel = "FILE",
      required = true,
      description = "The reports, in the order in which they are to be replayed.")
  private String reports;

  @Option(
      names = "--journal",
      paramLabel = "FILE",
      description = {
        "The journal that the job wrote of the same reports, from the first report of each model"
            + " on. Every report must be a RecordedReport."
      })
  private String journal;

  @Option(
      names = "--updates",
      paramLabel = "FILE",
      description = "Where to write ModelUpdates: that of round 0 first, the last one last.")
  private String updates;

  @Option(
      names = "--updates-every",
      paramLabel = "N",
      defaultValue = "1",
      description = "Writes every N-th update of each model (default: ${DEFAULT-VALUE}).")
  private long every;

  @Option(
      names = "--accounting",
      paramLabel = "FILE",
      description = {
        "Where to write AccountingEvents, one for each well-formed report. The source of one that"
            + " was not recorded from a topic is the file's name, partition 0, and its line."
      })
  private String accounting;

  @Option(
      names = "--dead-letters",
      paramLabel = "FILE",
      description = {
        "Where to write what is no report: line, reason, and the input as it was read, which may"
            + " hold gradients: protect it like the reports. They never end the replay."
      })
  private String deadLetters;

  @Override
  public Integer call() throws IOException {
    Log.toFile();
    if (every < 1) {
      throw new InputException("--updates-every is %d; it must be at least 1".formatted(every));
    }
    FileConflicts names =
        new FileConflicts()
            .reads("--models", models.toString())
            .reads("--reports", reports)
            .reads("--journal", journal)
            .writes("--updates", updates)
            .writes("--accounting", accounting)
            .writes("--dead-letters", deadLetters);
    List<ModelSpec> specs = ModelsFile.read(models);
    specs.forEach(this::requireReplayable);
    String summary;
    try (RecordFile reportFile = RecordFile.open(reports);
        RecordFile journalFile = journal == null ? null : RecordFile.open(journal);
        Outputs outputs = new Outputs(spec.commandLine().getOut());
        FileProgressBar bar =
            new FileProgressBar(
                reportFile, Boolean.getBoolean("croupier.terminal") && !names.takesStandardOut())) {
      try {
        summary = replay(specs, reportFile, journalFile, outputs, bar);
      } catch (InputException e) {
        throw outputs.incomplete(e);
      }
    }
    (names.takesStandardOut() ? spec.commandLine().getErr() : spec.commandLine().getOut())
        .println(summary);
    Log.discard();
    return 0;
  }

  private void requireReplayable(ModelSpec model) {
    String at = "%s, model '%s': ".formatted(models, model.getModelId());
    if (ModelSpecs.isCentral(model)) {
      throw new InputException(
          at + "central models can't be replayed, since their noise is not reproducible");
    }
    List<String> violations = ModelSpecs.violations(model);
    if (!violations.isEmpty()) {
      throw new InputException(at + String.join("; ", violations));
    }
    try {
      Learners.of(model);
    } catch (IllegalArgumentException e) {
      throw new InputException(at + e.getMessage(), e);
    }
  }

  private String replay(
      List<ModelSpec> specs,
      RecordFile reportFile,
      RecordFile journalFile,
      Outputs outputs,
      FileProgressBar bar) {
    RecordCounts counts = new RecordCounts(specs);
    Accounts accounts = new Accounts(specs);
    Consumer<ModelUpdateView> toUpdates = outputs.create(updates, JsonLines::write);
    Consumer<AccountingEvent> toAccounting = outputs.create(accounting, JsonLines::write);
    Consumer<Unreadable> toDeadLetters =
        outputs.create(
            deadLetters, (file, record) -> file.write(DeadLetter.of(record, reportFile.isJson())));
    ReportAdmission admission =
        new ReportAdmission(
            reportFile, journalFile != null, accounts, counts, toAccounting, toDeadLetters);
    Supplier<JudgedReport> judged =
        () -> {
          bar.step();
          return admission.next();
        };
    long start = System.nanoTime();
    Collection<ReplayedModel> replayed;
    long notInJournal = 0;
    if (journalFile == null) {
      Replay replay = new Replay(specs, accounts, every, toUpdates);
      replay.run(judged);
      replayed = replay.models();
    } else {
      JournalReplay replay =
          new JournalReplay(
              specs, new JournalFile(journalFile), accounts, judged, every, toUpdates);
      notInJournal = replay.run();
      replayed = replay.models();
    }
    double seconds = (double) (System.nanoTime() - start) / TimeUnit.SECONDS.toNanos(1);
    return Summary.of(counts, replayed, notInJournal, seconds);
  }
}
