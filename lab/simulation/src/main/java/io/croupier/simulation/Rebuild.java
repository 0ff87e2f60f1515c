package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.ledger.LedgerOperator;
import io.croupier.operators.flink.ledger.RebuildOperator;
import io.croupier.operators.flink.ledger.UserOfEvent;
import io.croupier.operators.flink.ledger.UserOfRecord;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.Account;
import io.croupier.schemas.Account.Device;
import io.croupier.schemas.Account.OnModel;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.AccountRequests;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Spend;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/**
 * Asks the job for all accounts, rebuilds the ledger from its events, asks that one, too, and
 * compares the answers. An operator's close() may throw any exception.
 */
@SuppressWarnings("try")
final class Rebuild {
  /** Events state totals that are rounded up, and a compacted topic has only some of them. */
  private static final double OF_COMPACTED = 1e-10;

  private final World world;

  Rebuild(World world) {
    this.world = world;
  }

  void check(SplittableRandom random) throws Exception {
    Partition requests = world.log().partition(World.TOPICS.accountRequests(), 0);
    Partition answers = world.log().partition(World.TOPICS.accountAnswers(), 0);
    long first = requests.end();
    long answered = answers.end();
    byte[] request =
        AccountRequest.newBuilder()
            .setTag(ByteString.copyFrom(new byte[AccountRequests.TAG_BYTES]))
            .build()
            .toByteArray();
    for (int user = 0; user < World.USERS; user++) {
      byte[] key = ("user-" + user).getBytes(UTF_8);
      long unused = world.log().append(requests, key, request, world.nowMs());
    }
    for (int i = 0; i < 5 && answers.committed(answered).size() < World.USERS; i++) {
      world.settleOnce(random);
    }
    List<Entry> ofJob = answers.committed(answered);
    if (ofJob.size() != World.USERS) {
      throw new WorldFinding(13, "The job has answered " + ofJob.size() + " requests for accounts");
    }
    LedgerOperator ledger =
        world.parts().ledger(world, world.parts().outputs(world.job()), LedgerStart.REBUILT);
    world.log().compact(World.TOPICS.accounting(), partition -> random.nextBoolean());
    try (OperatorTask<?> task =
        new OperatorTask<>(world.tasks(), ledger, 1, 0, new UserOfRecord(), null)) {
      task.start(state(), world.nowMs());
      for (SpecRecord spec : world.followed(World.TOPICS.models())) {
        task.processSecond(spec);
      }
      for (Entry entry : requests.committed(first)) {
        task.processFirst(raw(requests, entry));
      }
      task.prepareSnapshotPreBarrier(1); // answers the requests that wait
      compare(ofJob, task.drainSide());
    }
  }

  /** The state of a rebuild. */
  private OperatorSubtaskState state() throws Exception {
    String topic = World.TOPICS.accounting();
    RebuildOperator rebuild = new RebuildOperator(StartOutputs.end(world.log(), topic));
    try (OperatorTask<Integer> task =
        new OperatorTask<>(world.tasks(), rebuild, 1, 0, new UserOfEvent(), null)) {
      task.start(null, world.nowMs());
      for (Partition partition : world.log().partitions(topic)) {
        for (Entry entry : world.parts().rebuilt(partition)) {
          task.processFirst(raw(partition, entry));
        }
      }
      rebuild.endInput(1);
      return task.snapshot(1, world.nowMs());
    }
  }

  private static RawRecord raw(Partition partition, Entry entry) {
    RawRecord raw = new RawRecord();
    raw.topic = partition.topic();
    raw.partition = partition.index();
    raw.offset = entry.offset();
    raw.appendedAtMs = entry.atMs();
    raw.key = entry.key();
    raw.value = entry.value();
    return raw;
  }

  private void compare(List<Entry> ofJob, List<OutboundRecord> ofRebuild)
      throws InvalidProtocolBufferException {
    boolean isWhole =
        world.log().partitions(World.TOPICS.accounting()).stream()
            .noneMatch(Partition::isCompacted);
    double most = isWhole ? 0 : OF_COMPACTED;
    Map<String, Account> rebuilt = new HashMap<>();
    for (OutboundRecord answer : ofRebuild) {
      if (answer.destination == Destination.ACCOUNT_ANSWERS) {
        rebuilt.put(World.text(answer.key), Account.parseFrom(answer.value));
      }
    }
    for (Entry answer : ofJob) {
      String userId = World.text(answer.key());
      Account account = Account.parseFrom(answer.value());
      Set<String> models =
          account.getModelsList().stream().map(OnModel::getModelId).collect(Collectors.toSet());
      Account other = rebuilt.get(userId);
      boolean isRebuilt =
          countsForgotten(userId)
              ? isNoLess(account.getSpent(), other.getSpent())
              : agree(comparable(account, models), comparable(other, models), most);
      if (!isRebuilt) {
        throw new WorldFinding(9, "The account of " + userId + " isn't rebuilt");
      }
      if (account.getStopped() != world.people().isStopped(userId)) {
        throw new WorldFinding(14, "The account states wrongly whether " + userId + " is stopped");
      }
    }
  }

  /**
   * Whether the topic still has an event from before a person's totals were forgotten, which that
   * erasure didn't name, and the record that forgot them is compacted away. A rebuild then counts
   * the event, until an erasure names it and the topic is compacted: more than was spent, not less.
   */
  private boolean countsForgotten(String userId) {
    for (Partition partition : world.log().partitions(World.TOPICS.accounting())) {
      long forgottenAt = world.checks().forgottenAt(userId, partition);
      List<Entry> entries = partition.committed(0);
      if (entries.stream().noneMatch(entry -> entry.offset() == forgottenAt)
          && entries.stream()
              .takeWhile(entry -> entry.offset() < forgottenAt)
              .anyMatch(entry -> World.text(AccountingKey.user(entry.key())).equals(userId))) {
        return true;
      }
    }
    return false;
  }

  /** Whether no sum of the second is less, by more than the events' totals are rounded. */
  private static boolean isNoLess(Spend a, Spend b) {
    return a.getAllFields().entrySet().stream()
        .allMatch(
            sum -> {
              double least = ((Number) sum.getValue()).doubleValue();
              return ((Number) b.getField(sum.getKey())).doubleValue()
                  >= least - OF_COMPACTED * least;
            });
  }

  /** Whether numbers differ by a relative error at most, and nothing else does. */
  private static boolean agree(Object a, Object b, double most) {
    if (a instanceof Double x && b instanceof Double y) {
      return x.equals(y) || Math.abs(x - y) <= most * Math.abs(x);
    }
    if (a instanceof List<?> x && b instanceof List<?> y) {
      return x.size() == y.size()
          && IntStream.range(0, x.size()).allMatch(i -> agree(x.get(i), y.get(i), most));
    }
    if (a instanceof Message x && b instanceof Message y) {
      return x.getAllFields().keySet().equals(y.getAllFields().keySet())
          && x.getAllFields().keySet().stream()
              .allMatch(field -> agree(x.getField(field), y.getField(field), most));
    }
    return a.equals(b);
  }

  /**
   * Without refusals, which events don't keep as an account does. A rebuilt account also lists
   * models on which nothing was charged; what it has of the others is in any order.
   */
  private static Account comparable(Account account, Set<String> models) {
    Account.Builder sorted = account.toBuilder().clearRefusals().clearModels().clearDevices();
    account.getModelsList().stream()
        .filter(model -> models.contains(model.getModelId()))
        .sorted(Comparator.comparing(OnModel::getModelId))
        .forEach(sorted::addModels);
    account.getDevicesList().stream()
        .sorted(Comparator.comparing(Device::getDeviceId))
        .forEach(sorted::addDevices);
    return sorted.build();
  }
}
