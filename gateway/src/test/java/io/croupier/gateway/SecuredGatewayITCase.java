package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.broker.BrokerSecurity;
import io.croupier.broker.EmbeddedBroker;
import io.croupier.gateway.config.GatewayConfig;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway on a broker with TLS, passwords and exactly the rights of docs/run/gateway-settings.md.
 */
@Tag("ci")
class SecuredGatewayITCase {
  @TempDir private Path directory;

  private static AclBinding right(String topic, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:gateway", "*", operation, AclPermissionType.ALLOW));
  }

  private static Map<String, String> login(
      EmbeddedBroker broker, BrokerSecurity security, String user) {
    Map<String, String> login = new HashMap<>(security.client(user));
    login.put("bootstrap.servers", broker.bootstrapServers());
    return login;
  }

  @Test
  void theDocumentedRightsSuffice() throws Exception {
    BrokerSecurity security =
        new BrokerSecurity(directory.resolve("security"), List.of("gateway", "device"));
    try (EmbeddedBroker broker =
            EmbeddedBroker.startSecured(directory.resolve("broker"), security);
        TestTopics topics = new TestTopics(login(broker, security, BrokerSecurity.ADMIN));
        Admin admin =
            Admin.create(
                Map.<String, Object>copyOf(login(broker, security, BrokerSecurity.ADMIN)))) {
      topics.publish(TestBroker.spec("m", 2));
      topics.update(TestBroker.update("m", 2, 0, TestBroker.BOUND).build());
      Map<String, String> gateway = login(broker, security, "gateway");
      Path folder = directory.resolve("gateway");

      List<AclBinding> rights = new ArrayList<>();
      rights.add(right(topics.topics().gradients(), AclOperation.WRITE));
      rights.add(right(topics.topics().updates(), AclOperation.READ));
      rights.add(right(topics.topics().models(), AclOperation.READ));
      rights.add(right(topics.topics().stops(), AclOperation.READ));
      rights.add(right(topics.topics().accountAnswers(), AclOperation.READ));
      // Enough to see the topic, and not to write it.
      rights.add(right(topics.topics().accountRequests(), AclOperation.READ));
      assertThatThrownBy(() -> new TestGateway(folder, gateway, Map.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "The gateway lacks rights on the brokers: grant it Read on topic"
                  + " croupier.account-answers, Write on topic croupier.account-requests, Write on"
                  + " topic croupier.gradients, Read on topic croupier.models, Read on topic"
                  + " croupier.stops, Read on topic croupier.updates (kafka-acls.sh --add)");
      admin.createAcls(rights).all().get();
      assertThatThrownBy(() -> new TestGateway(folder, gateway, Map.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("grant it Write on topic croupier.account-requests (");

      // The message names what to do, since the gateway may not create the topic.
      admin
          .createAcls(List.of(right(topics.topics().accountRequests(), AclOperation.WRITE)))
          .all()
          .get();
      assertThatThrownBy(() -> new TestGateway(folder, gateway, Map.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("kafka-topics.sh --create --topic croupier.gateway");

      admin
          .createTopics(
              List.of(
                  new NewTopic("croupier.gateway", 1, (short) 1)
                      .configs(
                          Map.of(
                              TopicConfig.CLEANUP_POLICY_CONFIG,
                              TopicConfig.CLEANUP_POLICY_COMPACT))))
          .all()
          .get();
      AclBinding first = right("croupier.gateway", AclOperation.WRITE);
      admin.createAcls(List.of(right("croupier.gateway", AclOperation.READ), first)).all().get();
      try (TestGateway started = new TestGateway(folder, gateway, Map.of())) {
        assertThat(report(started).statusCode()).isEqualTo(202);
      }
      // Only the first gateway writes the fingerprint.
      admin.deleteAcls(List.of(first.toFilter())).all().get();
      try (TestGateway next = new TestGateway(folder, gateway, Map.of())) {
        assertThat(report(next).statusCode()).isEqualTo(202);
      }
      assertThat(topics.reports()).hasSize(2);

      // A device's own principal starts no gateway, and writes nothing.
      Map<String, String> settings =
          TestGateway.settings(folder, login(broker, security, "device"), TestIssuer.COMMON);
      assertThatThrownBy(() -> new Gateway(GatewayConfig.of(settings, folder)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("lacks rights");
    }
  }

  private static HttpResponse<String> report(TestGateway gateway) throws Exception {
    return gateway.protobuf(
        gateway.issuer.token("ada"), Reports.grid("m", 2, 0, 1).build().toByteArray());
  }
}
