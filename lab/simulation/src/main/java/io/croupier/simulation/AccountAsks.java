package io.croupier.simulation;

import com.google.protobuf.ByteString;
import io.croupier.schemas.Account;
import io.croupier.schemas.Account.Device;
import io.croupier.schemas.Account.OnModel;
import io.croupier.schemas.AccountRequests;
import io.croupier.simulation.SimulatedLog.Partition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * People who ask a gateway for their accounts. An answer is the account that a person's events had
 * at some moment between the request and the answer.
 */
final class AccountAsks {
  /** As many requests of a person wait at most, as the gateway has it. */
  private static final int MOST = 4;

  /** The account after an event; the first one is that of the request. */
  private record Moment(int partition, long offset, Account account) {}

  private static final class Ask {
    private final String userId;
    private final CompletableFuture<Account> answer;
    private final List<Moment> moments = new ArrayList<>();

    /** Where the partitions of events ended when the answer came; empty before. */
    private List<Long> ends = List.of();

    private Ask(String userId, CompletableFuture<Account> answer) {
      this.userId = userId;
      this.answer = answer;
    }
  }

  private final World world;
  private final List<Ask> asks = new ArrayList<>();
  private int requests;

  AccountAsks(World world) {
    this.world = world;
  }

  /** A person asks. */
  Optional<String> ask(String userId, SplittableRandom random) {
    if (asks.stream().filter(ask -> ask.userId.equals(userId)).count() == MOST) {
      return Optional.empty();
    }
    ByteBuffer tag = ByteBuffer.allocate(AccountRequests.TAG_BYTES).putInt(requests++);
    if (random.nextInt(8) == 0) {
      world.gateway().loseNextAcknowledgement();
    }
    Ask ask = new Ask(userId, world.gateway().account(userId, ByteString.copyFrom(tag.array())));
    ask.moments.add(new Moment(0, -1, world.checks().account(userId).stated()));
    asks.add(ask);
    return Optional.of(userId + " asks for the account");
  }

  /** An event has changed an account, or its totals are forgotten. */
  void changed(String userId, Partition partition, long offset) {
    for (Ask ask : asks) {
      if (ask.userId.equals(userId)) {
        Account account = world.checks().account(userId).stated();
        ask.moments.add(new Moment(partition.index(), offset, account));
      }
    }
  }

  /** Checks what the gateway has answered. */
  void check() {
    if (asks.isEmpty()) {
      return;
    }
    List<Partition> partitions = world.log().partitions(World.TOPICS.accounting());
    for (Ask ask : asks) {
      if (ask.ends.isEmpty() && ask.answer.isDone()) {
        ask.ends = partitions.stream().map(Partition::end).toList();
      }
    }
    asks.removeIf(ask -> ask.answer.isCompletedExceptionally() || isRight(ask));
    for (Ask ask : asks) {
      if (!ask.ends.isEmpty()
          && partitions.stream()
              .allMatch(of -> world.checks().hasSeen(of, ask.ends.get(of.index())))) {
        throw new WorldFinding(
            16, "The account of %s was never as the gateway answers".formatted(ask.userId));
      }
    }
  }

  private static boolean isRight(Ask ask) {
    if (ask.ends.isEmpty()) {
      return false;
    }
    Account answer = ask.answer.join();
    Set<String> models =
        answer.getModelsList().stream().map(OnModel::getModelId).collect(Collectors.toSet());
    return ask.moments.stream()
        .filter(moment -> moment.offset < ask.ends.get(moment.partition))
        .anyMatch(moment -> comparable(moment.account, models).equals(comparable(answer, models)));
  }

  /** What was spent, and by which devices; the rest follows from specs and the time. */
  private static Account comparable(Account account, Set<String> models) {
    Account.Builder sorted =
        Account.newBuilder().setSpent(account.getSpent()).setErased(account.getErased());
    account.getModelsList().stream()
        .filter(model -> models.contains(model.getModelId()))
        .sorted(Comparator.comparing(OnModel::getModelId))
        .forEach(
            model ->
                sorted
                    .addModelsBuilder()
                    .setModelId(model.getModelId())
                    .setSpent(model.getSpent().toBuilder().clearEpsilonAtDelta()));
    account.getDevicesList().stream()
        .sorted(Comparator.comparing(Device::getDeviceId))
        .forEach(sorted::addDevices);
    return sorted.build();
  }

  /** How many requests have no answer. */
  long waiting() {
    return asks.stream().filter(ask -> !ask.answer.isDone()).count();
  }
}
