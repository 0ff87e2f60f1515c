package io.croupier.cli.models;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.ExitCode;
import io.croupier.cli.InputException;
import io.croupier.cli.MissingCommandException;
import io.croupier.cli.Waiting;
import io.croupier.cli.account.Json;
import io.croupier.cli.io.Table;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.TopicInspection;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.RecordLimits;
import io.croupier.schemas.VisibleText;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Validates, publishes, lists, rolls back and retires models. */
@Command(
    name = "models",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Validates, publishes, lists, rolls back and retires models.")
public final class ModelsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new MissingCommandException(spec.commandLine());
  }

  @Command(
      name = "apply",
      mixinStandardHelpOptions = true,
      abbreviateSynopsis = true,
      description = {
        "Publishes the models of a file.",
        "",
        "The file is a YAML or JSON list of model specs. All specs are first validated, as 'models"
            + " validate' does, and then compared with the current ones and with what the brokers"
            + " accept. If one is refused, nothing is published and the exit code is 1.",
        "Deprecated names are accepted, with a warning."
      },
      footer = {
        "",
        "A minimal file:",
        "  - modelId: clicks",
        "    dimension: 20",
        "    gradientBound: 1",
        "    blackBox: {}"
      })
  int apply(
      @Mixin ConnectionOptions connection,
      @Mixin Author author,
      @Parameters(paramLabel = "FILE", description = "The models file.") Path file)
      throws InterruptedException {
    List<ModelSpec> specs = ModelsFile.readValid(file);
    JobConfig config = connection.connected();
    ModelsTopic topic = topic(config);
    List<ModelChange> changes = ModelChange.plan(specs, current(topic), tooLarge(config));
    boolean refused = changes.stream().anyMatch(c -> c.kind() == ModelChange.ChangeKind.REFUSED);
    if (!refused) {
      topic.publish(
          changes.stream()
              .filter(change -> change.kind() != ModelChange.ChangeKind.UNCHANGED)
              .map(ModelChange::spec)
              .toList(),
          author.name());
    }
    PrintWriter out = spec.commandLine().getOut();
    for (ModelChange change : changes) {
      out.printf(
          "%-10s %s%n",
          change.kind().name().toLowerCase(Locale.ROOT),
          VisibleText.name(change.spec().getModelId()));
      change
          .reasons()
          .forEach(reason -> out.printf("           %s%n", VisibleText.name(YamlNames.in(reason))));
    }
    warn(specs);
    if (refused) {
      spec.commandLine().getErr().println("Nothing was published.");
      return ExitCode.FAILURE.code();
    }
    return 0;
  }

  /** Returns why the records of a spec don't fit their topics; empty if that isn't known. */
  private Function<ModelSpec, List<String>> tooLarge(JobConfig config) throws InterruptedException {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(config.kafka()))) {
      RecordLimits limits = TopicInspection.recordLimits(admin, config.topics());
      return model -> limits.obstacles(ModelSpecs.current(model));
    } catch (ExecutionException e) {
      spec.commandLine()
          .getErr()
          .printf(
              "Whether records fit the topics of gradients and updates isn't checked: %s It takes"
                  + " the right DescribeConfigs on them.%n",
              e.getCause().getMessage());
      return model -> List.of();
    }
  }

  @Command(
      name = "validate",
      mixinStandardHelpOptions = true,
      description = {
        "Checks the models of a file, without Kafka.",
        "",
        "All faults are printed, each with its line. If there are any, the exit code is 1. Whether"
            + " a spec may replace that of a running model is checked by 'models apply'."
      },
      footer = {"", "Try:", "  croupier models validate examples/models.yaml"})
  int validate(@Parameters(paramLabel = "FILE", description = "The models file.") Path file) {
    List<ModelSpec> specs = ModelsFile.readValid(file);
    specs.forEach(
        model -> spec.commandLine().getOut().printf("%-10s %s%n", "valid", model.getModelId()));
    warn(specs);
    return 0;
  }

  private void warn(List<ModelSpec> specs) {
    PrintWriter err = spec.commandLine().getErr();
    for (ModelSpec model : specs) {
      ModelSpecs.warnings(model)
          .forEach(warning -> err.printf("%s: %s%n", model.getModelId(), YamlNames.in(warning)));
    }
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      abbreviateSynopsis = true,
      description = "Lists the current models, without deprecated names.")
  int list(
      @Mixin ConnectionOptions connection,
      @Option(
              names = "--json",
              description = "Prints a JSON list of model specs, which 'models apply' accepts.")
          boolean json) {
    Collection<ModelSpec> specs =
        current(topic(connection.connected())).values().stream().map(ModelSpecs::current).toList();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(ModelsFile.text(specs));
    } else {
      out.println(table(specs));
    }
    return 0;
  }

  private static String table(Collection<ModelSpec> specs) {
    Table table =
        new Table("model", "learner", "dimension", "gradient bound", "reports per round", "limits")
            .words("learner")
            .words("limits");
    for (ModelSpec model : specs) {
      table.row(
          model.getModelId(),
          YamlNames.in(ModelSpecs.learner(model)),
          Integer.toString(model.getDimension()),
          gradientBound(model),
          Integer.toString(ModelSpecs.reportsPerRound(model)),
          limits(model));
    }
    return table.text();
  }

  private static String gradientBound(ModelSpec model) {
    if (model.hasAdaptiveClip()) {
      return "adaptive";
    }
    return model.hasGradientBound() ? Double.toString(model.getGradientBound()) : "-";
  }

  private static String limits(ModelSpec model) {
    return model.getLimits().getAllFields().entrySet().stream()
        .map(limit -> limit.getKey().getJsonName() + " " + limit.getValue())
        .collect(Collectors.joining(", "));
  }

  @Command(
      name = "retire",
      mixinStandardHelpOptions = true,
      abbreviateSynopsis = true,
      description = {
        "Retires models.",
        "",
        "The job then refuses reports to them. What users have spent on a retired model stays on"
            + " their accounts."
      })
  int retire(
      @Mixin ConnectionOptions connection,
      @Mixin Author author,
      @Parameters(arity = "1..*", paramLabel = "MODEL", description = "The models' ids.")
          List<String> modelIds) {
    ModelsTopic topic = topic(connection.connected());
    requireKnown(modelIds, current(topic), "retired");
    topic.retire(modelIds, author.name());
    modelIds.forEach(
        id -> spec.commandLine().getOut().printf("%-10s %s%n", "retired", VisibleText.name(id)));
    return 0;
  }

  private static void requireKnown(
      List<String> modelIds, Map<String, ModelSpec> current, String done) {
    List<String> unknown = modelIds.stream().filter(id -> !current.containsKey(id)).toList();
    if (!unknown.isEmpty()) {
      throw new InputException(
          "No such model: %s. Nothing was %s. Current models: %s"
              .formatted(String.join(", ", unknown), done, String.join(", ", current.keySet())));
    }
  }

  @Command(
      name = "log",
      mixinStandardHelpOptions = true,
      abbreviateSynopsis = true,
      description = {
        "Prints who changed models, when, and what.",
        "",
        "Changes of limits, questions, features and roll-backs are changes of a model's spec. The"
            + " log is the models topic: it has every change since the brokers last compacted the"
            + " topic, which they don't do for ten years if 'topics create' made it. The names are"
            + " those that the commands' users gave."
      },
      footer = {"", "Try:", "  croupier models log --kafka localhost:9092 --model sleep"})
  int log(
      @Mixin ConnectionOptions connection,
      @Option(names = "--model", paramLabel = "ID", description = "Prints changes of one model.")
          String modelId,
      @Option(
              names = "--json",
              description = "Prints a JSON list, each change with the whole spec.")
          boolean json) {
    ModelsTopic topic = topic(connection.connected());
    ModelLog log =
        Waiting.on(
            "the models topic",
            spec.commandLine().getErr(),
            () -> topic.log(Optional.ofNullable(modelId)));
    log.requireModel();
    spec.commandLine().getOut().println(json ? Json.text(log.json()) : log.text());
    if (log.forgotten() > 0) {
      spec.commandLine()
          .getErr()
          .printf(
              "%d earlier changes are compacted; min.compaction.lag.ms of the models topic keeps"
                  + " later ones.%n",
              log.forgotten());
    }
    return 0;
  }

  @Command(
      name = "roll-back",
      mixinStandardHelpOptions = true,
      abbreviateSynopsis = true,
      description = {
        "Serves readers the average of an earlier round of a model, until --end.",
        "",
        "Without --round and --end, prints the rounds whose averages the model keeps, as 'history'"
            + " of its spec states.",
        "The job's next update contains the earlier average, so that every reader predicts with"
            + " it. Devices still report for the newest round, and the model continues to learn"
            + " from all reports. No privacy that was spent comes back, and what was learnt stays"
            + " in the model: to begin anew, retire it and publish another one."
      },
      footer = {"", "Try:", "  croupier models roll-back --kafka localhost:9092 sleep --round 100"})
  int rollBack(
      @Mixin ConnectionOptions connection,
      @Mixin Author author,
      @Parameters(paramLabel = "MODEL", description = "The model's id.") String modelId,
      @Option(names = "--round", paramLabel = "N", description = "The round to serve.") Long round,
      @Option(names = "--end", description = "Serves the newest average again.") boolean end) {
    if (end && round != null) {
      throw new InputException("--round and --end exclude each other");
    }
    JobConfig config = connection.connected();
    ModelsTopic topic = topic(config);
    Map<String, ModelSpec> current = current(topic);
    requireKnown(List.of(modelId), current, "rolled back");
    ModelSpec model = current.get(modelId);
    PrintWriter out = spec.commandLine().getOut();
    if (end) {
      topic.publish(List.of(model.toBuilder().clearServedRound().build()), author.name());
      out.printf("%s serves its newest average from its next update on.%n", modelId);
    } else if (round != null) {
      RollBack rollBack = RollBack.of(config, model);
      ModelSpec served = rollBack.to(round);
      rollBack.warning(round).ifPresent(spec.commandLine().getErr()::println);
      if (!model.equals(current(topic).get(modelId))) {
        throw new InputException(
            "Model '%s' was changed meanwhile; run the command again".formatted(modelId));
      }
      topic.publish(List.of(served), author.name());
      out.printf("%s serves the average of round %d from its next update on.%n", modelId, round);
    } else {
      out.println(RollBack.of(config, model).text());
    }
    return 0;
  }

  private Map<String, ModelSpec> current(ModelsTopic topic) {
    return Waiting.on("the current models", spec.commandLine().getErr(), topic::current);
  }

  private static ModelsTopic topic(JobConfig config) {
    return new ModelsTopic(config.kafka(), config.topics().models());
  }
}
