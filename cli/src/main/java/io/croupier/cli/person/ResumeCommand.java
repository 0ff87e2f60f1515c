package io.croupier.cli.person;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Takes the reports of stopped people again. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Resumes people who are stopped: the job and the gateways take their reports again.",
      "",
      "What they sent in the meantime stays refused. Repeating the command changes nothing.",
      "It sends a record for each person to the stops topic, which requires the right to write"
          + " there."
    },
    footer = {"", "Try:", "  croupier resume --kafka localhost:9092 --user ada"})
public final class ResumeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private StopChange change;

  @Override
  public Integer call() {
    spec.commandLine()
        .getOut()
        .printf(
            "%s resumed: the job and the gateways take their reports again within seconds.%n",
            change.send(false));
    return 0;
  }
}
