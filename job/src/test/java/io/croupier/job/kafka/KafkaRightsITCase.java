package io.croupier.job.kafka;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.croupier.broker.BrokerSecurity;
import io.croupier.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rights on a broker that checks them. */
class KafkaRightsITCase {
  private static final String GROUP = "croupier-one";

  @TempDir Path directory;

  @Tag("thorough")
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void rightToDescribeAGroupIsNotEnough() throws Exception {
    BrokerSecurity security = new BrokerSecurity(directory.resolve("stores"), List.of("job"));
    try (EmbeddedBroker broker =
            EmbeddedBroker.startSecured(directory.resolve("broker"), security);
        Admin admin = admin(broker, security, BrokerSecurity.ADMIN);
        Admin job = admin(broker, security, "job")) {
      assertMayNotCommit(job);
      grant(admin, AclOperation.DESCRIBE);
      // From here on the job may describe the group, but not commit to it.
      while (!maySee(job)) {
        Thread.onSpinWait();
      }
      assertMayNotCommit(job);

      grant(admin, AclOperation.READ);
      awaitMayCommit(job);
      admin.createTopics(List.of(new NewTopic("gradients", 1, (short) 1))).all().get();
      admin
          .alterConsumerGroupOffsets(
              GROUP, Map.of(new TopicPartition("gradients", 0), new OffsetAndMetadata(7)))
          .all()
          .get();
      KafkaRights.requireGroup(job, GROUP);
    }
  }

  private static void assertMayNotCommit(Admin job) {
    assertThatIllegalStateException()
        .isThrownBy(() -> KafkaRights.requireGroup(job, GROUP))
        .withMessageContaining("grant it Read on group croupier-one");
  }

  /** Waits until the brokers apply the new right. */
  private static void awaitMayCommit(Admin job) throws Exception {
    while (true) {
      try {
        KafkaRights.requireGroup(job, GROUP);
        return;
      } catch (IllegalStateException e) {
        Thread.onSpinWait();
      }
    }
  }

  private static boolean maySee(Admin job) throws InterruptedException {
    try {
      job.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get();
      return true;
    } catch (ExecutionException e) {
      return false;
    }
  }

  private static Admin admin(EmbeddedBroker broker, BrokerSecurity security, String user) {
    Map<String, Object> properties = new HashMap<>(security.client(user));
    properties.put("bootstrap.servers", broker.bootstrapServers());
    return Admin.create(properties);
  }

  private static void grant(Admin admin, AclOperation operation) throws Exception {
    admin
        .createAcls(
            List.of(
                new AclBinding(
                    new ResourcePattern(ResourceType.GROUP, GROUP, PatternType.LITERAL),
                    new AccessControlEntry("User:job", "*", operation, AclPermissionType.ALLOW))))
        .all()
        .get();
  }
}
