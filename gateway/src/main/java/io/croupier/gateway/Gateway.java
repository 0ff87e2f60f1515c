package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.ServedWindows;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.anonymous.TokenIssuers;
import io.croupier.gateway.anonymous.TokenKeys;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.http.AccountParts;
import io.croupier.gateway.http.AnonymousParts;
import io.croupier.gateway.http.GatewayServer;
import io.croupier.gateway.http.ModelParts;
import io.croupier.gateway.http.ReportParts;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.DeploymentTopic;
import io.croupier.gateway.kafka.KafkaHealth;
import io.croupier.gateway.kafka.ReportSender;
import io.croupier.gateway.kafka.RequiredTopics;
import io.croupier.gateway.kafka.TopicFollower;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.operators.ledger.StoppedUsers;
import io.croupier.schemas.Account;
import io.croupier.schemas.Grant;
import io.croupier.schemas.Topics;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A server in front of Kafka, to which people's devices report over HTTP. It keeps no state: any
 * number of gateways with the same configuration and pepper may run side by side.
 */
public final class Gateway implements AutoCloseable {
  /** What to close, the last opened first. */
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  private final GatewayServer server;

  /**
   * Starts a gateway; it serves requests when this returns, and is ready once it has read the
   * specs, the updates, and who is stopped.
   *
   * @throws IllegalArgumentException if a file of the configuration can't be used, or the pepper or
   *     an issuer is not that of the other gateways
   * @throws IllegalStateException if Kafka can't be used, a topic or a right on it is missing, or
   *     the port can't be listened on
   */
  public Gateway(GatewayConfig config) {
    Pepper pepper = Pepper.read(config.identity().pepper());
    try {
      TokenVerifier tokens =
          opened(
              new TokenVerifier(
                  config.identity().issuers(), config.identity().clockSkew(), Clock.systemUTC()));
      if (config.identity().testTokens()) {
        tokens.trust(TestTokens.read(config.identity().testKey().orElseThrow()));
      }
      // Before the topic of the deployment is created.
      topics(config).require(config.kafka());
      new DeploymentTopic(config.kafka(), config.topics().gateway())
          .require(pepper.fingerprint(), issuers(config, pepper));
      Specs specs = new Specs();
      Updates updates = new Updates();
      StoppedUsers stopped = new StoppedUsers();
      TopicFollower ofSpecs =
          opened(new TopicFollower(config.kafka(), config.topics().models(), specs::apply));
      TopicFollower ofUpdates =
          opened(new TopicFollower(config.kafka(), config.topics().updates(), updates::apply));
      TopicFollower ofStops =
          opened(
              new TopicFollower(
                  config.kafka(), config.topics().stops(), record -> follow(record, stopped)));
      ReportSender sender = opened(new ReportSender(config.kafka(), config.reports().timeout()));
      String gradients = config.topics().gradients();
      KafkaHealth health =
          opened(new KafkaHealth(config.kafka(), gradients, () -> sender.locate(gradients)));
      ModelParts models =
          new ModelParts(
              specs,
              updates,
              () -> ofSpecs.isCaughtUp() && ofUpdates.isCaughtUp() && ofStops.isCaughtUp());
      ReportCheck check = new ReportCheck(config.topics(), config.reports().raw(), specs, updates);
      server =
          opened(
              GatewayServer.start(
                  config,
                  new ReportParts(tokens, pepper, stopped, check, sender),
                  models,
                  accounts(config, sender),
                  config.reports().anonymous()
                      ? Optional.of(anonymous(config, pepper, models, sender))
                      : Optional.empty(),
                  health::isReachable));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** All but that of the deployment, which the first gateway creates. */
  private static RequiredTopics topics(GatewayConfig config) {
    Topics topics = config.topics();
    Set<String> read =
        new HashSet<>(
            List.of(topics.models(), topics.updates(), topics.stops(), topics.accountAnswers()));
    Set<String> written = new HashSet<>(List.of(topics.gradients(), topics.accountRequests()));
    if (config.reports().raw()) {
      written.add(topics.rawGradients());
    }
    if (config.reports().anonymous()) {
      read.addAll(List.of(topics.grants(), topics.tokenKeys()));
      written.addAll(List.of(topics.anonymous(), topics.tokenKeys()));
    }
    return new RequiredTopics(read, written);
  }

  private static void follow(ConsumerRecord<byte[], byte[]> record, StoppedUsers stopped) {
    if (record.key() != null) {
      stopped.apply(
          record.partition(),
          record.offset(),
          new String(record.key(), UTF_8),
          record.value() != null);
    }
  }

  private AccountParts accounts(GatewayConfig config, ReportSender sender) {
    Answers<AccountParts.Request, Account> answers = AccountParts.noAnswers();
    // No request waits for an earlier answer.
    TopicFollower ofAnswers =
        opened(
            new TopicFollower(
                config.kafka(),
                config.topics().accountAnswers(),
                0,
                (record, live) -> answers.apply(record)));
    return new AccountParts(
        answers,
        sender,
        config.topics().accountRequests(),
        () -> ofAnswers.isCaughtUp() && ofAnswers.isReadable());
  }

  private AnonymousParts anonymous(
      GatewayConfig config, Pepper pepper, ModelParts models, ReportSender sender) {
    Topics topics = config.topics();
    Specs specs = models.specs();
    Updates updates = models.updates();
    TokenKeys keys = new TokenKeys();
    ServedWindows windows = new ServedWindows(specs, keys);
    windows.announceOn(updates);
    Answers<ByteString, Grant> grants =
        new Answers<>(Grant::parseFrom, (key, grant) -> grant.getTag());
    TopicFollower ofKeys =
        opened(new TopicFollower(config.kafka(), topics.tokenKeys(), keys::apply));
    // Each copy of a request has a verdict of its own, so the earlier ones don't matter.
    TopicFollower ofGrants =
        opened(
            new TopicFollower(
                config.kafka(), topics.grants(), 0, (record, live) -> grants.apply(record)));
    BooleanSupplier allRead =
        () -> models.caughtUp().getAsBoolean() && ofKeys.isCaughtUp() && ofGrants.isCaughtUp();
    TokenIssuers issuers =
        opened(
            new TokenIssuers(
                pepper.tokenSecret(),
                specs,
                updates,
                keys,
                allRead,
                (name, key) -> sender.send(topics.tokenKeys(), name, key)));
    return new AnonymousParts(
        new AnonymousParts.TokenParts(
            new TokenCheck(pepper, specs, updates, issuers), grants, sender, topics.gradients()),
        new AnonymousParts.AnonymousReportParts(
            new AnonymousCheck(specs, updates, issuers), sender, topics.anonymous()),
        windows,
        ObliviousKeyPair.derive(pepper.obliviousSecret()),
        allRead);
  }

  private static List<DeploymentTopic.DeploymentIssuer> issuers(
      GatewayConfig config, Pepper pepper) {
    return config.identity().issuers().stream()
        .map(
            issuer ->
                new DeploymentTopic.DeploymentIssuer(
                    issuer.people().name(),
                    issuer.people().identity(),
                    pepper.fingerprint(issuer.people().source()),
                    issuer.people().added()))
        .toList();
  }

  private <T extends AutoCloseable> T opened(T part) {
    parts.push(part);
    return part;
  }

  /** Where the gateway listens, such as http://127.0.0.1:8080. */
  public URI address() {
    return server.address();
  }

  /**
   * Answers the requests that the gateway has received, and stops. It accepts no connections from
   * now on. This takes at most the time that a report may take, {@code limits.body-time} and {@code
   * reports.timeout}, and a few seconds.
   */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("a part of the gateway can't be closed", e);
      }
    }
  }
}
