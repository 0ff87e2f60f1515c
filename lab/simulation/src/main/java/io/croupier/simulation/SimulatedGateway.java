package io.croupier.simulation;

import com.google.protobuf.ByteString;
import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.AnonymousCheck.CheckedSpend;
import io.croupier.gateway.anonymous.StoredNonces;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.anonymous.TokenKeys;
import io.croupier.gateway.anonymous.WindowIssuers;
import io.croupier.gateway.http.SimulatedEndpoints;
import io.croupier.gateway.identity.SimulatedPepper;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.schemas.Account;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** A gateway without its server: its checks and endpoints, with the topics that it follows. */
class SimulatedGateway {
  private final World world;
  private final Specs specs = new Specs();
  private final Updates updates = new Updates();
  private final TokenKeys keys = new TokenKeys();
  private final WindowIssuers issuers =
      (modelId, window, level) ->
          keys.modulus(modelId, window, level)
              .filter(Tokens.issuer().key().modulus()::equals)
              .map(modulus -> Tokens.issuer());
  private final ReportCheck reports = new ReportCheck(World.TOPICS, true, specs, updates);
  private final AnonymousCheck anonymous = new AnonymousCheck(specs, updates, issuers);
  private final StoredNonces nonces = new StoredNonces(1 << 10);
  private final Map<Partition, Long> positions = new HashMap<>();
  private final SimulatedEndpoints endpoints =
      new SimulatedEndpoints(
          new TokenCheck(SimulatedPepper.get(), specs, updates, issuers),
          (topic, userId, record) -> store(topic, userId.getBytes(StandardCharsets.UTF_8), record),
          World.TOPICS);
  private boolean losesNext;

  /** Starts: it reads no answer to an earlier request. */
  SimulatedGateway(World world) {
    this.world = world;
    for (String topic : List.of(World.TOPICS.grants(), World.TOPICS.accountAnswers())) {
      for (Partition partition : world.log().partitions(topic)) {
        positions.put(partition, partition.stableEnd());
      }
    }
  }

  /** Reads what is visible. */
  final void follow() {
    read(World.TOPICS.models(), specs::apply);
    read(World.TOPICS.updates(), updates::apply);
    read(World.TOPICS.tokenKeys(), keys::apply);
    read(World.TOPICS.grants(), endpoints::grant);
    read(World.TOPICS.accountAnswers(), endpoints::answer);
  }

  private void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    for (Partition partition : world.log().partitions(topic)) {
      for (Entry entry : visible(partition, positions.getOrDefault(partition, 0L))) {
        reader.accept(
            new ConsumerRecord<>(
                topic, partition.index(), entry.offset(), entry.key(), entry.value()));
        positions.put(partition, entry.offset() + 1);
      }
    }
  }

  /** What it reads of a partition, from an offset on. */
  List<Entry> visible(Partition partition, long from) {
    return partition.committed(from);
  }

  /** Lets the acknowledgement of the next record be lost. */
  final void loseNextAcknowledgement() {
    losesNext = true;
  }

  private CompletableFuture<RecordMetadata> store(String topic, byte[] key, byte[] value) {
    world.stored(topic, key, value);
    boolean isLost = losesNext;
    losesNext = false;
    return isLost
        ? CompletableFuture.failedFuture(new IOException("no acknowledgement"))
        : CompletableFuture.completedFuture(null);
  }

  /** Whether it stores a report, by what it has read. */
  boolean takes(byte[] report, String userId) {
    try {
      ReportCheck.Checked unused = reports.protobuf(report, userId);
      return true;
    } catch (ProblemException e) {
      return false;
    }
  }

  /**
   * Asks for the signature of a token.
   *
   * @return empty if the gateway refuses the request before it asks the ledger
   */
  Optional<CompletableFuture<ByteString>> token(byte[] body, String userId) {
    try {
      return Optional.of(endpoints.token(body, userId));
    } catch (ProblemException e) {
      return Optional.empty();
    }
  }

  /** Asks for an account. */
  CompletableFuture<Account> account(String userId, ByteString tag) {
    return endpoints.account(userId, tag);
  }

  /** Stores an anonymous report once, if its check takes it; returns whether it does. */
  final boolean storesAnonymous(byte[] body) {
    Optional<CheckedSpend> checked = checked(body);
    checked.ifPresent(
        spend -> {
          CompletableFuture<Void> unused =
              nonces.storeOnce(
                  spend.nonce(),
                  () ->
                      store(
                          World.TOPICS.anonymous(),
                          spend.nonce().toByteArray(),
                          spend.value().toByteArray()));
        });
    return checked.isPresent();
  }

  /** What its check makes of an anonymous report; empty if it is refused. */
  Optional<CheckedSpend> checked(byte[] body) {
    try {
      return Optional.of(anonymous.protobuf(body));
    } catch (ProblemException e) {
      return Optional.empty();
    }
  }

  /** Ends: those who wait get no answer. */
  final void end() {
    endpoints.end();
  }
}
