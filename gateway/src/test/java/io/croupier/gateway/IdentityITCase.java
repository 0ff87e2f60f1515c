package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.schemas.GradientReport;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No identity can be borrowed: every forged one is refused, and nothing reaches Kafka. */
@Tag("ci")
class IdentityITCase extends GatewayFixture {
  private static final int DIMENSION = 2;

  private static TestIssuer issuer;

  @BeforeAll
  static void start() throws Exception {
    broker.publish(TestBroker.spec("m", DIMENSION));
    broker.update("m", DIMENSION, 0);
    startGateway(Map.of());
    issuer = gateway.issuer;
  }

  private static byte[] report() {
    return Reports.grid("m", DIMENSION, 0, 1).build().toByteArray();
  }

  private static void assertRefused(String token, String reason) throws Exception {
    int before = broker.reports().size();
    HttpResponse<String> response = gateway.protobuf(token, report());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(401);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(response.headers().firstValue("WWW-Authenticate"))
        .get()
        .asString()
        .startsWith("Bearer");
    assertThat(TestGateway.json(response).get("detail").getAsString()).contains(reason);
    assertThat(response.body()).doesNotContain("mallory");
    assertThat(token.isEmpty() || !response.body().contains(token)).isTrue();
    assertThat(broker.reports()).hasSize(before);
  }

  @Test
  void withoutAToken() throws Exception {
    assertRefused("", "Authorization must be");
    assertRefused("no.such.token", "no signed JWT");
  }

  @Test
  void anotherUsersId() throws Exception {
    int before = broker.reports().size();
    byte[] forged =
        GradientReport.parseFrom(report()).toBuilder()
            .setUserId(gateway.userId("ada"))
            .build()
            .toByteArray();
    HttpResponse<String> response = gateway.protobuf(issuer.token("mallory"), forged);
    assertThat(response.statusCode()).isEqualTo(403);
    assertThat(response.body()).contains("user_id").doesNotContain(gateway.userId("ada"));
    assertThat(response.body()).doesNotContain(gateway.userId("mallory"));
    assertThat(broker.reports()).hasSize(before);
  }

  /** What the gateway wrote for one person can't be sent by another. */
  @Test
  void bytesOfAnotherUser() throws Exception {
    assertThat(gateway.protobuf(issuer.token("ada"), report()).statusCode()).isEqualTo(202);
    GradientReport ofAda =
        broker.reports().stream()
            .filter(stored -> stored.getUserId().equals(gateway.userId("ada")))
            .findFirst()
            .orElseThrow();
    assertThat(gateway.protobuf(issuer.token("mallory"), ofAda.toByteArray()).statusCode())
        .isEqualTo(403);
    byte[] withoutId = ofAda.toBuilder().clearUserId().build().toByteArray();
    assertThat(gateway.protobuf(issuer.token("mallory"), withoutId).statusCode()).isEqualTo(202);
    List<GradientReport> stored = broker.reports();
    assertThat(stored.get(stored.size() - 1)).isNotNull();
    assertThat(stored)
        .filteredOn(report -> report.getUserId().equals(gateway.userId("mallory")))
        .hasSize(1);
  }

  @Test
  void anotherIssuer() throws Exception {
    TestIssuer stranger = new TestIssuer("https://stranger.example");
    assertRefused(stranger.token("mallory"), "issuer is not one");
    // Its own key, and the name of ours.
    TestIssuer impostor = new TestIssuer(issuer.name);
    assertRefused(impostor.token("mallory"), "no key of the token's issuer");
    assertRefused(
        TestIssuer.sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(issuer.key.getKeyID()).build(),
            issuer.claims("mallory"),
            new RSASSASigner(impostor.key)),
        "no key of the token's issuer");
    assertRefused(
        TestIssuer.sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256).jwk(impostor.key.toPublicJWK()).build(),
            issuer.claims("mallory"),
            new RSASSASigner(impostor.key)),
        "no key of the token's issuer");
    assertRefused(issuer.sign(issuer.claims("mallory").issuer(null)), "issuer is not one");
  }

  @Test
  void wrongAudience() throws Exception {
    assertRefused(issuer.sign(issuer.claims("mallory").audience("other")), "aud must contain");
    assertRefused(
        issuer.sign(issuer.claims("mallory").audience((String) null)), "aud must contain");
  }

  /** Each token has the time of its own request, since a slow machine needs long for them all. */
  private static Date fromNow(int seconds) {
    return Date.from(Instant.now().plusSeconds(seconds));
  }

  @Test
  void expiredOrNotYetValid() throws Exception {
    assertRefused(
        issuer.sign(issuer.claims("mallory").expirationTime(fromNow(-60))), "has expired");
    assertRefused(issuer.sign(issuer.claims("mallory").expirationTime(null)), "exp is missing");
    assertRefused(
        issuer.sign(issuer.claims("mallory").notBeforeTime(fromNow(60))), "not valid yet");
    // Clocks may differ by half a minute.
    assertThat(
            gateway
                .protobuf(
                    issuer.sign(
                        issuer.claims("eve").expirationTime(fromNow(-5)).notBeforeTime(fromNow(5))),
                    report())
                .statusCode())
        .isEqualTo(202);
  }

  @Test
  void withoutASubject() throws Exception {
    assertRefused(issuer.sign(issuer.claims(null)), "token's sub must be a text");
    assertRefused(issuer.sign(issuer.claims("")), "token's sub must be a text");
  }

  @Test
  void withoutASignature() throws Exception {
    JWTClaimsSet claims = issuer.claims("mallory").build();
    assertRefused(new PlainJWT(claims).serialize(), "no signed JWT");
    String[] parts = issuer.token("mallory").split("\\.", -1);
    String none =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8));
    assertRefused(none + "." + parts[1] + "." + parts[2], "no signed JWT");
    assertRefused(parts[0] + "." + parts[1] + ".", "");
    String other =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(
                new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8)
                    .replace("mallory", "ada")
                    .getBytes(UTF_8));
    assertRefused(parts[0] + "." + other + "." + parts[2], "no key of the token's issuer");
  }

  /** The public key, known to everybody, is no shared secret. */
  @Test
  void keyConfusion() throws Exception {
    byte[] pem =
        ("-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                    .encodeToString(issuer.key.toRSAPublicKey().getEncoded())
                + "\n-----END PUBLIC KEY-----\n")
            .getBytes(UTF_8);
    List<byte[]> secrets =
        List.of(
            pem,
            issuer.key.toRSAPublicKey().getEncoded(),
            issuer.key.toPublicJWK().toJSONString().getBytes(UTF_8),
            issuer.key.getModulus().decode());
    for (byte[] secret : secrets) {
      for (JWSAlgorithm algorithm :
          List.of(JWSAlgorithm.HS256, JWSAlgorithm.HS384, JWSAlgorithm.HS512)) {
        assertRefused(
            TestIssuer.sign(
                new JWSHeader.Builder(algorithm).keyID(issuer.key.getKeyID()).build(),
                issuer.claims("mallory"),
                new MACSigner(secret)),
            "alg must be one of those");
      }
    }
  }

  @Test
  void anAlgorithmThatTheIssuerDoesNotUse() throws Exception {
    assertRefused(
        TestIssuer.sign(
            new JWSHeader.Builder(JWSAlgorithm.RS512).keyID(issuer.key.getKeyID()).build(),
            issuer.claims("mallory"),
            new RSASSASigner(issuer.key)),
        "alg must be one of those");
  }

  @Test
  void testTokensNeedTheConfigurationsConsent() throws Exception {
    Path file = gateway.directory.resolve("test.jwk");
    assertThat(TestTokens.create(file)).isTrue();
    String token = TestTokens.read(file).mint("ada", Instant.now(), Duration.ofHours(1));
    assertRefused(token, "issuer is not one");
    Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
    settings.put("test-tokens.allowed", "true");
    settings.put("test-tokens.key-file", "test.jwk");
    try (Gateway trial = new Gateway(GatewayConfig.of(settings, gateway.directory))) {
      long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      HttpResponse<String> response;
      do {
        response =
            gateway.send(
                java.net.http.HttpRequest.newBuilder(trial.address().resolve("/v1/reports"))
                    .header("Authorization", "Bearer " + token)
                    .header("Content-Type", "application/x-protobuf")
                    .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(report()))
                    .build());
      } while (response.statusCode() == 503 && System.nanoTime() < deadline);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
    }
    String ofTrials =
        Pepper.read(gateway.directory.resolve("pepper")).userId(TestTokens.ISSUER, "ada");
    assertThat(ofTrials).isNotEqualTo(gateway.userId("ada"));
    assertThat(broker.reports()).anyMatch(report -> report.getUserId().equals(ofTrials));
  }

  /** More senders than the gateway has threads, and the server of their issuer's keys hangs. */
  @Tag("thorough")
  @Test
  void aHangingUrlOfKeysDelaysNoOtherIssuer() throws Exception {
    TestIssuer slow = new TestIssuer("https://slow.example");
    try (ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Map<String, String> settings = new LinkedHashMap<>();
      // This gateway has a pepper of its own.
      settings.put("topics.gateway", "of-a-slow-issuer");
      settings.put("issuers.slow.issuer", slow.name);
      settings.put("issuers.slow.audience", TestIssuer.AUDIENCE);
      settings.put("issuers.slow.added", "true");
      settings.put("issuers.slow.jwks", "http://127.0.0.1:" + hanging.getLocalPort() + "/keys");
      try (TestGateway other =
          new TestGateway(sharedDirectory.resolve("slow"), broker.kafka(), settings)) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          answers.add(
              other.client.sendAsync(
                  other.post(slow.token("user" + i), "application/x-protobuf", report()),
                  HttpResponse.BodyHandlers.ofString()));
        }
        assertThat(other.protobuf(other.issuer.token("ada"), report()).statusCode()).isEqualTo(202);
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
          HttpResponse<String> response = answer.get(5, TimeUnit.MINUTES);
          assertThat(response.statusCode()).isEqualTo(503);
          assertThat(response.headers().firstValue("Retry-After")).isPresent();
          assertThat(TestGateway.json(response).get("detail").getAsString())
              .contains("keys can't be fetched");
        }
      }
    }
  }

  @Test
  void aSecondPepperIsRefused() throws Exception {
    Path other = gateway.directory.resolve("other-pepper");
    assertThat(Pepper.create(other)).isTrue();
    Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
    settings.put("pepper.file", "other-pepper");
    assertThatThrownBy(() -> new Gateway(GatewayConfig.of(settings, gateway.directory)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("The pepper is not that of the other gateways");
    // The topic reveals neither pepper nor any user id.
    Pepper pepper = Pepper.read(gateway.directory.resolve("pepper"));
    assertThat(broker.read("croupier.gateway"))
        .extracting(record -> new String(record.value(), UTF_8))
        .startsWith(pepper.fingerprint(), "issuers " + pepper.fingerprint(gateway.issuer.name));
  }

  /** A slash more, and each person would have a second user id. */
  @Test
  void anotherIssuerIsRefusedUnlessItsPeopleAreOthers() throws Exception {
    Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
    settings.put("topics.gateway", "renamed-issuer");
    assertThat(starts(settings, "pepper")).isTrue();
    String renamed = gateway.issuer.name + "/";
    settings.put("issuers.main.issuer", renamed);
    assertThatThrownBy(() -> new Gateway(GatewayConfig.of(settings, gateway.directory)).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "issuers.main is '" + renamed + "'", "set issuers.main.identity to the earlier one");
    settings.put("issuers.main.identity", gateway.issuer.name);
    assertThat(starts(settings, "pepper")).isTrue();
    settings.remove("issuers.main.identity");
    settings.put("issuers.main.added", "true");
    assertThat(starts(settings, "pepper")).isTrue();
    // It is one of the deployment's issuers from now on.
    settings.remove("issuers.main.added");
    assertThat(starts(settings, "pepper")).isTrue();
    settings.put("issuers.main.issuer", gateway.issuer.name);
    assertThat(starts(settings, "pepper")).isTrue();
    // Another claim for the subject makes everybody another user, too.
    settings.put("issuers.main.subject", "oid");
    assertThatThrownBy(() -> new Gateway(GatewayConfig.of(settings, gateway.directory)).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("issuers.main is '" + gateway.issuer.name + "', which, with its");
  }

  /** Nor does the gateway create the topic of the deployment on the way. */
  @Test
  void missingTopicsAreNamedBeforeOneIsCreated() throws Exception {
    Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
    settings.put("topics.prefix", "missing");
    settings.put("topics.stops", "croupier.stops");
    assertThatThrownBy(() -> new Gateway(GatewayConfig.of(settings, gateway.directory)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "These topics don't exist: missing.account-answers, missing.account-requests,"
                + " missing.gradients, missing.models, missing.updates. Create them with 'croupier"
                + " topics create'");
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", settings.get("kafka.bootstrap.servers")))) {
      assertThat(admin.listTopics().names().get()).noneMatch(name -> name.startsWith("missing"));
    }
  }

  /** Without it, another pepper could decide. */
  @Test
  void aDeletedFingerprintIsRefused() throws Exception {
    String topic = "deleted-fingerprint";
    Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
    settings.put("topics.gateway", topic);
    assertThat(starts(settings, "pepper")).isTrue();
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", settings.get("kafka.bootstrap.servers")))) {
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.TOPIC, topic),
                  List.of(
                      new AlterConfigOp(
                          new ConfigEntry("cleanup.policy", "delete"), AlterConfigOp.OpType.SET))))
          .all()
          .get();
      Map<TopicPartition, RecordsToDelete> all =
          Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(-1));
      Condition.await(
          () -> {
            try {
              admin.deleteRecords(all).all().get();
              return true;
            } catch (ExecutionException e) {
              // The broker applies the policy some time after it has acknowledged it.
              assertThat(e).hasCauseInstanceOf(PolicyViolationException.class);
              return false;
            }
          });
    }
    assertThatThrownBy(() -> new Gateway(GatewayConfig.of(settings, gateway.directory)))
        .hasMessageContaining("The first record of topic " + topic);
  }

  /** Of two gateways that start first together with different peppers, one starts. */
  @Tag("thorough")
  @Test
  void twoFirstGatewaysAgreeOnAPepper() throws Exception {
    for (int round = 0; round < 3; round++) {
      String prefix = "race" + round;
      List<String> peppers = List.of("pepper-a" + round, "pepper-b" + round);
      List<CompletableFuture<Boolean>> starts =
          peppers.stream()
              .map(
                  name -> {
                    Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
                    settings.put("pepper.file", name);
                    settings.put("topics.gateway", prefix + ".gateway");
                    return CompletableFuture.supplyAsync(() -> starts(settings, name));
                  })
              .toList();
      assertThat(starts.stream().filter(CompletableFuture::join)).as("round %d", round).hasSize(1);
      // Whichever was first stays the first.
      for (int i = 0; i < 2; i++) {
        Map<String, String> settings = new LinkedHashMap<>(gateway.settings);
        settings.put("pepper.file", peppers.get(i));
        settings.put("topics.gateway", prefix + ".gateway");
        assertThat(starts(settings, peppers.get(i))).isEqualTo(starts.get(i).join());
      }
    }
  }

  private static boolean starts(Map<String, String> settings, String pepper) {
    try {
      Pepper.create(gateway.directory.resolve(pepper));
      new Gateway(GatewayConfig.of(settings, gateway.directory)).close();
      return true;
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("two budgets");
      return false;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
