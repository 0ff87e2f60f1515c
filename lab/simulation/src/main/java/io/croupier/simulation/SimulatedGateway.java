package io.croupier.simulation;

import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a gateway decides about reports: its check, with the specs and updates that it follows. */
class SimulatedGateway {
  private final Specs specs = new Specs();
  private final Updates updates = new Updates();
  private final ReportCheck check = new ReportCheck(World.TOPICS, true, specs, updates);
  private final Map<Partition, Long> positions = new HashMap<>();

  /** Reads what is visible. */
  final void follow(SimulatedLog log) {
    read(log, World.TOPICS.models(), specs::apply);
    read(log, World.TOPICS.updates(), updates::apply);
  }

  private void read(
      SimulatedLog log, String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    for (Partition partition : log.partitions(topic)) {
      for (Entry entry : partition.committed(positions.getOrDefault(partition, 0L))) {
        reader.accept(
            new ConsumerRecord<>(
                topic, partition.index(), entry.offset(), entry.key(), entry.value()));
      }
      positions.put(partition, partition.stableEnd());
    }
  }

  /** Whether it stores a report, by what it has read. */
  boolean takes(byte[] report, String userId) {
    try {
      ReportCheck.Checked unused = check.protobuf(report, userId);
      return true;
    } catch (ProblemException e) {
      return false;
    }
  }
}
