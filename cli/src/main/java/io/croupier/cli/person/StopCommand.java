package io.croupier.cli.person;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops the reports of people. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Stops people: from now on, the job and the gateways refuse their reports.",
      "",
      "A refused report is not used and costs nothing, and the person's devices drop what they"
          + " have not sent. What was learnt and what was charged stay. Repeating the command"
          + " changes nothing; 'croupier resume' ends it.",
      "It sends a record for each person to the stops topic, which requires the right to write"
          + " there."
    },
    footer = {"", "Try:", "  croupier stop --kafka localhost:9092 --user ada"})
public final class StopCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private StopChange change;

  @Override
  public Integer call() {
    spec.commandLine()
        .getOut()
        .printf(
            "%s stopped: the job and the gateways refuse their reports within seconds.%n",
            change.send(true));
    return 0;
  }
}
