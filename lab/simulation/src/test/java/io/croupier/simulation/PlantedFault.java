package io.croupier.simulation;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.SimulatedStore;
import io.croupier.gateway.anonymous.AnonymousCheck.CheckedSpend;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.Account;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.SimulatedLog.Producer;
import io.croupier.simulation.TransactionalSink.SinkState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;

/** Faults of the product that a simulation has to find: each breaks one promise. */
enum PlantedFault {
  /** The sink commits before the checkpoint is complete. */
  COMMITS_EARLY(
      () ->
          new Parts() {
            @Override
            TransactionalSink sink(
                SimulatedLog log, String prefix, int i, int p, SinkState restored) {
              return new TransactionalSink(log, prefix, i, p, restored) {
                @Override
                void preCommit(long checkpoint) {
                  super.preCommit(checkpoint);
                  commitUpTo(checkpoint);
                }
              };
            }
          }),

  /** The sink doesn't commit what its state lists. */
  FORGETS_COMMITTABLES(
      () ->
          new Parts() {
            @Override
            TransactionalSink sink(
                SimulatedLog log, String prefix, int i, int p, SinkState restored) {
              return super.sink(log, prefix, i, p, new SinkState(restored.writer(), List.of()));
            }
          }),

  /** The writer aborts what the committer is to commit. */
  ABORTS_LISTED(
      () ->
          new Parts() {
            @Override
            TransactionalSink sink(
                SimulatedLog log, String prefix, int i, int p, SinkState restored) {
              return new TransactionalSink(log, prefix, i, p, restored) {
                @Override
                void start(long checkpoint) {
                  abortLingering(Set.of());
                  super.start(checkpoint);
                }
              };
            }
          }),

  /** A start ends what was left open before the sinks have committed what the state lists. */
  ENDS_LEFT_OPEN_AT_ONCE(
      () ->
          new Parts() {
            @Override
            StartOutputs outputs(SimulatedJob job) {
              SimulatedLog log = job.world().log();
              return new StartOutputs(job) {
                @Override
                public LeftOpen leftOpen() {
                  log.open().forEach(log::fence);
                  return () -> {};
                }
              };
            }
          }),

  /** The pre-aggregation keeps its sums at a barrier. */
  KEEPS_SUMS_AT_BARRIERS(
      () ->
          new Parts() {
            @Override
            void flush(OperatorTask<RoundSum> sums, long checkpoint) {}
          }),

  /** Barriers aren't aligned, and what overtakes them isn't kept. */
  DOES_NOT_ALIGN(
      () ->
          new Parts() {
            @Override
            boolean aligns() {
              return false;
            }
          }),

  /** A checkpoint contains a source's position at its end. */
  TAKES_POSITIONS_LATE(
      () ->
          new Parts() {
            @Override
            long position(long atBarrier, long atCompletion) {
              return atCompletion;
            }
          }),

  /** Some sums arrive twice. */
  DELIVERS_SUMS_TWICE(
      () ->
          new Parts() {
            private int sums;

            @Override
            List<RoundSum> onEdge(RoundSum sum) {
              return ++sums % 10 == 0 ? List.of(sum, sum) : List.of(sum);
            }
          }),

  /** Some sums are lost. */
  LOSES_SUMS(
      () ->
          new Parts() {
            private int sums;

            @Override
            List<RoundSum> onEdge(RoundSum sum) {
              return ++sums % 10 == 0 ? List.of() : List.of(sum);
            }
          }),

  /** A ledger restores its specs and marks, and no account. */
  FORGETS_ACCOUNTS(
      () ->
          new Parts() {
            @Override
            OperatorSubtaskState ledgerState(OperatorSubtaskState state) {
              return withoutKeyed(state);
            }
          }),

  /** A learner restores its marks, and no model. */
  FORGETS_MODELS(
      () ->
          new Parts() {
            @Override
            OperatorSubtaskState learnerState(OperatorSubtaskState state) {
              return withoutKeyed(state);
            }
          }),

  /** A ledger restores its accounts, and no mark of what it has judged. */
  FORGETS_LEDGER_MARKS(
      () ->
          new Parts() {
            @Override
            OperatorSubtaskState ledgerState(OperatorSubtaskState state) {
              return state == null
                  ? null
                  : state.toBuilder()
                      .setManagedOperatorState(StateObjectCollection.empty())
                      .build();
            }
          }),

  /** The job restores its keys of tokens, and not which tokens were spent. */
  FORGETS_SPENT_TOKENS(
      () ->
          new Parts() {
            @Override
            OperatorSubtaskState spendState(OperatorSubtaskState state) {
              return withoutKeyed(state);
            }
          }),

  /** Anonymous reports arrive twice at the learner. */
  DELIVERS_ANONYMOUS_TWICE(
      () ->
          new Parts() {
            @Override
            List<RoundSum> onEdge(RoundSum sum) {
              return sum.anonymousLevel > 0 ? List.of(sum, sum) : List.of(sum);
            }
          }),

  /** Anonymous reports never arrive at the learner. */
  LOSES_ANONYMOUS(
      () ->
          new Parts() {
            @Override
            List<RoundSum> onEdge(RoundSum sum) {
              return sum.anonymousLevel > 0 ? List.of() : List.of(sum);
            }
          }),

  /** A start doesn't read who is stopped. */
  FORGETS_STOPS(
      () ->
          new Parts() {
            @Override
            List<SpecRecord> stops(World world) {
              return List.of();
            }
          }),

  /** A start doesn't compare its state with what is visible. */
  IGNORES_PROGRESS(
      () ->
          new Parts() {
            @Override
            StartOutputs outputs(SimulatedJob job) {
              return new OtherProgress(job, false);
            }
          }),

  /** A start takes for visible what the brokers have aborted. */
  HIDES_LOSSES(
      () ->
          new Parts() {
            @Override
            StartOutputs outputs(SimulatedJob job) {
              return new StartOutputs(job) {
                @Override
                List<Entry> visible(Partition progress, long end) {
                  return progress.settled(0, end);
                }
              };
            }
          }),

  /** The brokers commit what has been open for too long. */
  COMMITS_WHAT_IS_OPEN(
      () ->
          new Parts() {
            @Override
            SimulatedLog log() {
              return new SimulatedLog() {
                @Override
                State timeOut() {
                  return State.COMMITTED;
                }
              };
            }
          }),

  /** A start compares its state with records that will be aborted, too. */
  READS_UNCOMMITTED_PROGRESS(
      () ->
          new Parts() {
            @Override
            StartOutputs outputs(SimulatedJob job) {
              return new OtherProgress(job, true);
            }
          }),

  /** The disk of a device loses what was forced. */
  DISK_LOSES_FORCED(
      () ->
          new Parts() {
            @Override
            void crash(SimulatedStore store, SplittableRandom random) {
              super.crash(store, random);
              store.loseLast();
            }
          }),

  /** A device reads updates that may yet be aborted. */
  FOLLOWS_UNCOMMITTED(
      () ->
          new Parts() {
            @Override
            List<Entry> followed(Partition partition, long from) {
              return partition.uncommitted(from);
            }
          }),

  /** The events of a person are in the partitions of their models. */
  SPREADS_EVENTS_OF_A_PERSON(
      () ->
          new Parts() {
            @Override
            byte[] orderedBy(byte[] accountingKey) {
              return accountingKey;
            }
          }),

  /** A rebuild misses the last event of each partition. */
  REBUILDS_WITHOUT_THE_LAST(
      () ->
          new Parts() {
            @Override
            List<Entry> rebuilt(Partition partition) {
              List<Entry> all = super.rebuilt(partition);
              return all.isEmpty() ? all : all.subList(0, all.size() - 1);
            }
          }),

  /** A rebuild adds up events, and passes over deletions. */
  REBUILDS_WITHOUT_DELETIONS(
      () ->
          new Parts() {
            @Override
            List<Entry> rebuilt(Partition partition) {
              return super.rebuilt(partition).stream()
                  .filter(entry -> entry.value() != null)
                  .toList();
            }
          }),

  /** The events that an erasure names aren't deleted. */
  KEEPS_NAMED_EVENTS(
      () ->
          new Parts() {
            @Override
            SimulatedLog log() {
              return new SimulatedLog() {
                @Override
                void append(Producer producer, Partition to, byte[] key, byte[] value, long ms) {
                  if (value != null || !to.topic().equals(World.TOPICS.accounting())) {
                    super.append(producer, to, key, value, ms);
                  }
                }
              };
            }
          }),

  /** A gateway takes what its check refuses. */
  GATEWAY_TAKES_ALL(
      () ->
          new Parts() {
            @Override
            SimulatedGateway gateway(World world) {
              return new SimulatedGateway(world) {
                @Override
                boolean takes(byte[] report, String userId) {
                  return true;
                }
              };
            }
          }),

  /** A gateway reads verdicts and accounts that may yet be aborted. */
  GATEWAY_READS_UNCOMMITTED(
      () ->
          new Parts() {
            @Override
            SimulatedGateway gateway(World world) {
              return new SimulatedGateway(world) {
                @Override
                List<Entry> visible(Partition partition, long from) {
                  return partition.uncommitted(from);
                }
              };
            }
          }),

  /** A gateway signs tokens without asking the ledger. */
  GATEWAY_SIGNS_ALL(
      () ->
          new Parts() {
            @Override
            SimulatedGateway gateway(World world) {
              return new SimulatedGateway(world) {
                @Override
                Optional<CompletableFuture<ByteString>> token(byte[] body, String userId) {
                  return super.token(body, userId)
                      .map(unused -> CompletableFuture.completedFuture(ByteString.EMPTY));
                }
              };
            }
          }),

  /** A gateway answers with the account that it has answered with before. */
  GATEWAY_KEEPS_ACCOUNTS(
      () ->
          new Parts() {
            @Override
            SimulatedGateway gateway(World world) {
              return new SimulatedGateway(world) {
                private final Map<String, CompletableFuture<Account>> kept = new HashMap<>();

                @Override
                CompletableFuture<Account> account(String userId, ByteString tag) {
                  return kept.computeIfAbsent(userId, unused -> super.account(userId, tag));
                }
              };
            }
          }),

  /** A gateway takes tokens that aren't signed. */
  GATEWAY_TAKES_UNSIGNED(
      () ->
          new Parts() {
            @Override
            SimulatedGateway gateway(World world) {
              return new SimulatedGateway(world) {
                @Override
                Optional<CheckedSpend> checked(byte[] body) {
                  return Optional.of(
                      new CheckedSpend(ByteString.copyFrom(body, 0, 1), ByteString.EMPTY));
                }
              };
            }
          }),

  /** The job doesn't look at the signatures of tokens: as if they were signed. */
  TAKES_UNSIGNED(
      () ->
          new Parts() {
            @Override
            Tokens.PaddedReport forged(Tokens.PaddedReport unsigned, Tokens.PaddedReport signed) {
              return signed;
            }
          }),

  /** The last entry of the journal is missing. */
  LOSES_JOURNAL(
      () ->
          new Parts() {
            @Override
            List<Entry> journal(SimulatedLog log) {
              List<Entry> all = super.journal(log);
              return all.isEmpty() ? all : all.subList(0, all.size() - 1);
            }
          }),

  /** The learner counts votes for the other category. */
  MISCOUNTS_VOTES(
      () ->
          new Parts() {
            @Override
            List<RoundSum> onEdge(RoundSum sum) {
              if (sum.form == VectorForm.VOTE) {
                sum.group = 1 - sum.group;
              }
              return List.of(sum);
            }
          }),

  /** The learner adds sparse gradients to another coordinate. */
  MISPLACES_SPARSE(
      () ->
          new Parts() {
            @Override
            List<RoundSum> onEdge(RoundSum sum) {
              if (sum.indices.length == 1) {
                sum.indices[0] = (sum.indices[0] + 1) % Programs.DIMENSION;
              }
              return List.of(sum);
            }
          }),

  /** A start believes that its inputs have all their records. */
  HIDES_DELETIONS(
      () ->
          new Parts() {
            @Override
            StartOutputs outputs(SimulatedJob job) {
              return new StartOutputs(job) {
                @Override
                long beginning(Partition partition) {
                  return 0;
                }
              };
            }
          }),

  /** A start takes a topic that was created again for the old one. */
  MISTAKES_NEW_TOPICS(
      () ->
          new Parts() {
            @Override
            SimulatedLog log() {
              return new SimulatedLog() {
                @Override
                long creations(String topic) {
                  return 1;
                }
              };
            }
          }),

  /** The brokers let an earlier producer go on. */
  DOES_NOT_FENCE(
      () ->
          new Parts() {
            @Override
            SimulatedLog log() {
              return new SimulatedLog() {
                @Override
                boolean isFenced(long newest, long epoch) {
                  return false;
                }
              };
            }
          });

  @SuppressWarnings("ImmutableEnumChecker") // creates parts, and keeps none
  private final Supplier<Parts> parts;

  PlantedFault(Supplier<Parts> parts) {
    this.parts = parts;
  }

  /** The parts of a world with this fault. */
  Parts parts() {
    return parts.get();
  }

  private static OperatorSubtaskState withoutKeyed(OperatorSubtaskState state) {
    return state == null
        ? null
        : state.toBuilder().setManagedKeyedState(StateObjectCollection.empty()).build();
  }

  /** Sees no record of progress, or all. */
  private static final class OtherProgress extends StartOutputs {
    private static final long serialVersionUID = 1;

    private final boolean all;

    private OtherProgress(SimulatedJob job, boolean all) {
      super(job);
      this.all = all;
    }

    @Override
    List<Entry> visible(Partition progress, long end) {
      return all
          ? progress.uncommitted(0).stream().filter(entry -> entry.offset() < end).toList()
          : List.of();
    }
  }
}
