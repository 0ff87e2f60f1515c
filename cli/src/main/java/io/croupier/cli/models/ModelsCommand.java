package io.croupier.cli.models;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.cli.io.Table;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
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
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Publishes, lists and retires models. */
@Command(
    name = "models",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Publishes, lists and retires models.")
public final class ModelsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  @Command(
      name = "apply",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class,
      abbreviateSynopsis = true,
      description = {
        "Publishes the models of a file.",
        "",
        "The file is a YAML or JSON list of model specs. All specs are first validated and compared"
            + " with the current ones. If one is refused, nothing is published and the exit code"
            + " is 1.",
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
    Log.toFile();
    List<ModelSpec> specs = ModelsFile.read(file);
    ModelsTopic topic = topic(connection);
    List<ModelChange> changes = ModelChange.plan(specs, topic.current());
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
          "%-10s %s%n", change.kind().name().toLowerCase(Locale.ROOT), change.spec().getModelId());
      change.reasons().forEach(reason -> out.printf("           %s%n", reason));
    }
    warn(specs);
    Log.discard();
    if (refused) {
      spec.commandLine().getErr().println("Nothing was published.");
      return 1;
    }
    return 0;
  }

  private void warn(List<ModelSpec> specs) {
    PrintWriter err = spec.commandLine().getErr();
    for (ModelSpec model : specs) {
      ModelSpecs.warnings(model)
          .forEach(warning -> err.printf("%s: %s%n", model.getModelId(), warning));
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
    Log.toFile();
    Collection<ModelSpec> specs =
        topic(connection).current().values().stream().map(ModelSpecs::current).toList();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(ModelsFile.text(specs));
    } else {
      out.println(table(specs));
    }
    Log.discard();
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
          model.getLearnerCase().name().toLowerCase(Locale.ROOT),
          Integer.toString(model.getDimension()),
          gradientBound(model),
          Integer.toString(ModelSpecs.reportsPerRound(model)),
          limits(model));
    }
    return table.text();
  }

  private static String gradientBound(ModelSpec model) {
    return model.hasAdaptiveClip() ? "adaptive" : Double.toString(model.getGradientBound());
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
    Log.toFile();
    ModelsTopic topic = topic(connection);
    Map<String, ModelSpec> current = topic.current();
    List<String> unknown = modelIds.stream().filter(id -> !current.containsKey(id)).toList();
    if (!unknown.isEmpty()) {
      throw new InputException(
          "No such model: %s. Nothing was retired. Current models: %s"
              .formatted(String.join(", ", unknown), String.join(", ", current.keySet())));
    }
    topic.retire(modelIds);
    modelIds.forEach(id -> spec.commandLine().getOut().printf("%-10s %s%n", "retired", id));
    Log.discard();
    return 0;
  }

  private static ModelsTopic topic(ConnectionOptions connection) {
    JobConfig config = connection.config();
    return new ModelsTopic(config.kafka(), config.topics().models());
  }
}
