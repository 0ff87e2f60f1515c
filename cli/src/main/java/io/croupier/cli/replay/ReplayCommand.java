package io.croupier.cli.replay;

import io.croupier.cli.InputException;
import io.croupier.cli.io.CountBar;
import io.croupier.cli.io.FileConflicts;
import io.croupier.cli.io.FileFormat;
import io.croupier.cli.io.JsonLines;
import io.croupier.cli.io.RecordFile;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.models.YamlNames;
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

/** Replays recorded reports. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Replays recorded reports through the job's ledger and learners.",
      "",
      "A replay needs neither Kafka nor Flink. Use it to test or compare learners on recorded"
          + " reports, or to reproduce a bug.",
      "",
      "Every round is published as soon as it closes, so a report may name any round replayed so"
          + " far, and maxStaleness counts rounds. There is no clock: roundTimeoutMs has no"
          + " effect, and the timestamp of an update is the creation time that the last report"
          + " of its last round declares. The same input gives the same bytes.",
      "With --journal, the replay repeats the bundles, rounds and publications of the job, and the"
          + " updates equal those of the job bit for bit, except for the timestamps.",
      "Central models can't be replayed, since their noise is not reproducible; models with an"
          + " adaptive clip only with --journal, since each report was made for the clip of its"
          + " round."
    },
    footer = {
      "",
      "A report is a GradientReport or a RecordedReport. '-' is standard input,"
          + " for one input file, or standard output, for one output file. An input file that"
          + " ends in .gz is decompressed.",
      "",
      "Try:",
      "  croupier replay --models models.yaml --reports reports.jsonl \\",
      "    --updates updates.jsonl"
    })
public final class ReplayCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--models",
      paramLabel = "FILE",
      required = true,
      description = "The models, a YAML or JSON list of model specs, as for 'models apply'.")
  private Path models;

  @Option(
      names = "--reports",
      paramLabel = "FILE",
      required = true,
      description = "The reports, in the order of the replay.")
  private String reports;

  @Option(
      names = "--journal",
      paramLabel = "FILE",
      description = {
        "The job's journal of the same reports, complete from the first report of each model. Every"
            + " report must be a RecordedReport."
      })
  private String journal;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "json",
      description = {
        "Format of reports and journal: json, one message per line in the Protobuf JSON mapping;"
            + " protobuf, each message preceded by its length as a varint (default:"
            + " ${DEFAULT-VALUE})."
      })
  private FileFormat format;

  @Option(
      names = "--updates",
      paramLabel = "FILE",
      description = "Output file for ModelUpdates, always including round 0 and the last update.")
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
        "Output file for AccountingEvents, one for each well-formed report. If a report is not a"
            + " RecordedReport, the event's source is the file name, partition 0 and the line"
            + " number."
      })
  private String accounting;

  @Option(
      names = "--dead-letters",
      paramLabel = "FILE",
      description = {
        "Output file for dead letters, records that are not reports: line number, reason and input."
            + " The input may contain gradients; protect the file like the reports. Dead letters"
            + " don't end the replay."
      })
  private String deadLetters;

  @Override
  public Integer call() throws IOException {
    if (every < 1) {
      throw new InputException("--updates-every is %d; it must be at least 1".formatted(every));
    }
    if (format == FileFormat.RECORD) {
      throw new InputException(
          "--format is record, a single report; it must be json or protobuf, which have many");
    }
    FileConflicts names =
        new FileConflicts()
            .reads("--models", models.toString())
            .reads("--reports", reports)
            .reads("--journal", journal)
            .writes("--updates", updates)
            .writes("--accounting", accounting)
            .writes("--dead-letters", deadLetters);
    List<ModelSpec> specs = ModelsFile.read(models).stream().map(this::replayable).toList();
    if (journal == null) {
      specs.forEach(this::requireFixedBound);
    }
    String summary;
    try (RecordFile reportFile = RecordFile.open(reports, format);
        RecordFile journalFile = journal == null ? null : RecordFile.open(journal, format);
        Outputs outputs = new Outputs(spec.commandLine().getOut());
        FileProgressBar bar =
            new FileProgressBar(reportFile, CountBar.isTerminal() && !names.takesStandardOut())) {
      try {
        summary = replay(specs, reportFile, journalFile, outputs, bar);
      } catch (InputException e) {
        throw outputs.incomplete(e);
      }
    }
    (names.takesStandardOut() ? spec.commandLine().getErr() : spec.commandLine().getOut())
        .println(summary);
    return 0;
  }

  /** The spec of a model in the file, without deprecated names. */
  private ModelSpec replayable(ModelSpec model) {
    String at = "%s, model '%s': ".formatted(models, model.getModelId());
    if (ModelSpecs.isCentral(model)) {
      throw new InputException(
          at + "central models can't be replayed, since their noise is not reproducible");
    }
    List<String> violations = ModelSpecs.violations(model);
    if (!violations.isEmpty()) {
      throw new InputException(at + YamlNames.in(String.join("; ", violations)));
    }
    ModelSpec current = ModelSpecs.current(model);
    try {
      Learners.of(current);
      return current;
    } catch (IllegalArgumentException e) {
      throw new InputException(at + e.getMessage(), e);
    }
  }

  /** Without the journal, rounds close elsewhere, so that no clip is the one of the recording. */
  private void requireFixedBound(ModelSpec model) {
    if (model.hasAdaptiveClip()) {
      throw new InputException(
          "%s, model '%s': a model with an adaptive clip is replayed with --journal only, since each report was made for the clip of its round"
              .formatted(models, model.getModelId()));
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
