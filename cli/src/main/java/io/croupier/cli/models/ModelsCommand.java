package io.croupier.cli.models;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.ExitCode;
import io.croupier.cli.InputException;
import io.croupier.cli.MissingCommandException;
import io.croupier.cli.Version;
import io.croupier.cli.Waiting;
import io.croupier.cli.io.Table;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.VisibleText;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Validates, publishes, lists and retires models. */
@Command(
    name = "models",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Validates, publishes, lists and retires models.")
public final class ModelsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new MissingCommandException(spec.commandLine());
  }

  @Command(
      name = "apply",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class,
      abbreviateSynopsis = true,
      description = {
        "Publishes the models of a file.",
        "",
        "The file is a YAML or JSON list of model specs. All specs are first validated, as 'models"
            + " validate' does, and then compared with the current ones. If one is refused, nothing"
            + " is published and the exit code is 1.",
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
      @Parameters(paramLabel = "FILE", description = "The models file.") Path file) {
    List<ModelSpec> specs = ModelsFile.readValid(file);
    ModelsTopic topic = topic(connection);
    List<ModelChange> changes = ModelChange.plan(specs, current(topic));
    boolean refused = changes.stream().anyMatch(c -> c.kind() == ModelChange.ChangeKind.REFUSED);
    if (!refused) {
      topic.publish(
          changes.stream()
              .filter(change -> change.kind() != ModelChange.ChangeKind.UNCHANGED)
              .map(ModelChange::spec)
              .toList());
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

  @Command(
      name = "validate",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class,
      description = {
        "Checks the models of a file, without Kafka.",
        "",
        "All faults are printed, each with its line. If there are any, the exit code is 1. Whether a"
            + " spec may replace that of a running model is checked by 'models apply'."
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
      versionProvider = Version.class,
      abbreviateSynopsis = true,
      description = "Lists the current models, without deprecated names.")
  int list(
      @Mixin ConnectionOptions connection,
      @Option(
              names = "--json",
              description = "Prints a JSON list of model specs, which 'models apply' accepts.")
          boolean json) {
    Collection<ModelSpec> specs =
        current(topic(connection)).values().stream().map(ModelSpecs::current).toList();
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
      versionProvider = Version.class,
      abbreviateSynopsis = true,
      description = {
        "Retires models.",
        "",
        "The job then refuses reports to them. What users have spent on a retired model stays on"
            + " their accounts."
      })
  int retire(
      @Mixin ConnectionOptions connection,
      @Parameters(arity = "1..*", paramLabel = "MODEL", description = "The models' ids.")
          List<String> modelIds) {
    ModelsTopic topic = topic(connection);
    Map<String, ModelSpec> current = current(topic);
    List<String> unknown = modelIds.stream().filter(id -> !current.containsKey(id)).toList();
    if (!unknown.isEmpty()) {
      throw new InputException(
          "No such model: %s. Nothing was retired. Current models: %s"
              .formatted(String.join(", ", unknown), String.join(", ", current.keySet())));
    }
    topic.retire(modelIds);
    modelIds.forEach(
        id -> spec.commandLine().getOut().printf("%-10s %s%n", "retired", VisibleText.name(id)));
    return 0;
  }

  private Map<String, ModelSpec> current(ModelsTopic topic) {
    return Waiting.on("the current models", spec.commandLine().getErr(), topic::current);
  }

  private static ModelsTopic topic(ConnectionOptions connection) {
    JobConfig config = connection.connected();
    return new ModelsTopic(config.kafka(), config.topics().models());
  }
}
