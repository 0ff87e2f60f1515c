package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.ServedWindows;
import io.croupier.gateway.anonymous.TokenKeys;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.operators.ledger.StoppedUsers;
import io.croupier.schemas.Account;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.LocalConnector;

/** The server of a gateway, with connections in memory, without Kafka; it trusts test tokens. */
final class LocalGateway implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 120;

  final Specs specs = new Specs();
  final Updates updates = new Updates();
  final StoppedUsers stopped = new StoppedUsers();
  final Pepper pepper;
  final LocalConnector connector;
  final Answers<AccountParts.Request, Account> answers = AccountParts.noAnswers();
  private final TestTokens tokens;
  private final GatewayServer server;

  /**
   * Starts a server.
   *
   * @param settings beside those that every gateway here has
   * @param store takes the reports
   * @param isAnonymous whether reports without identity are read; none is admitted
   */
  LocalGateway(Path directory, Map<String, String> settings, ReportStore store, boolean isAnonymous)
      throws Exception {
    Pepper.create(directory.resolve("pepper"));
    TestTokens.create(directory.resolve("test.jwk"));
    Map<String, String> all = new HashMap<>(settings);
    all.put("kafka.bootstrap.servers", "127.0.0.1:1");
    all.put("pepper.file", "pepper");
    all.put("listen.port", "0");
    all.put("test-tokens.allowed", "true");
    all.put("test-tokens.key-file", "test.jwk");
    GatewayConfig config = GatewayConfig.of(all, directory);
    pepper = Pepper.read(config.identity().pepper());
    tokens = TestTokens.read(directory.resolve("test.jwk"));
    TokenVerifier verifier =
        new TokenVerifier(config.identity().issuers(), Duration.ofSeconds(30), Clock.systemUTC());
    verifier.trust(tokens);
    AnonymousParts anonymous =
        new AnonymousParts(
            new AnonymousParts.TokenParts(null, null, null, config.topics().gradients()),
            new AnonymousParts.AnonymousReportParts(
                new AnonymousCheck(specs, updates, null), null, "croupier.anonymous"),
            new ServedWindows(specs, new TokenKeys()),
            ObliviousKeyPair.derive(pepper.obliviousSecret()),
            () -> true);
    server =
        GatewayServer.start(
            config,
            new ReportParts(
                verifier,
                pepper,
                stopped,
                new ReportCheck(config.topics(), false, specs, updates),
                store),
            new ModelParts(specs, updates, () -> true),
            new AccountParts(answers, store, config.topics().accountRequests(), () -> true),
            isAnonymous ? Optional.of(anonymous) : Optional.empty(),
            () -> true);
    connector = new LocalConnector(server.server());
    connector.setIdleTimeout(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    server.server().addConnector(connector);
    connector.start();
  }

  /** A test token of a person. */
  String token(String subject) {
    return tokens.mint(subject, Instant.now(), Duration.ofHours(10));
  }

  /** The id of a person with a test token. */
  String userId(String subject) {
    return pepper.userId(TestTokens.ISSUER, subject);
  }

  /** A connection on which bytes have been sent. */
  LocalConnector.LocalEndPoint begin(byte[] request) {
    LocalConnector.LocalEndPoint connection = connector.connect();
    connection.addInputAndExecute(ByteBuffer.wrap(request));
    return connection;
  }

  /** The next answer on a connection. */
  static String answer(LocalConnector.LocalEndPoint connection) throws Exception {
    return ISO_8859_1
        .decode(connection.waitForResponse(false, PATIENCE_SECONDS, TimeUnit.SECONDS))
        .toString();
  }

  @Override
  public void close() {
    server.close();
  }
}
