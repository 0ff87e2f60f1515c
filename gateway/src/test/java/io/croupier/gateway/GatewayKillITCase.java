package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.gateway.identity.Pepper;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills gateways with SIGKILL under load. Devices resend the same bytes until they have a 202: then
 * each report is on the topic at the place that a 202 named, and the ledger admits it once. Use
 * {@code -Dkills=50} for a long run.
 */
@Tag("ci")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class GatewayKillITCase {
  private static final int KILLS = Integer.getInteger("kills", 10);
  private static final int DEVICES = 8;
  private static final int DIMENSION = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration REQUEST = Duration.ofSeconds(15);

  @TempDir private Path directory;
  private GatewayProcess gateway;

  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicLong accepted = new AtomicLong();

  /** Where 202s said that the reports of a device are, by user and sequence number. */
  private final ConcurrentMap<String, Set<String>> positions = new ConcurrentHashMap<>();

  @Test
  void noAcceptedReportIsLostOrCountedTwice() throws Exception {
    try (TestBroker broker = new TestBroker(directory.resolve("broker"));
        GatewayProcess started =
            new GatewayProcess(directory.resolve("gateway"), broker.kafka(), Map.of())) {
      gateway = started;
      broker.publish(TestBroker.spec("m", DIMENSION));
      broker.update("m", DIMENSION, 0);
      List<Thread> devices = new ArrayList<>();
      for (int i = 0; i < DEVICES; i++) {
        String user = "user" + i;
        devices.add(new Thread(() -> report(user), user));
      }
      gateway.start();
      try {
        gateway.awaitReady();
        devices.forEach(Thread::start);
        for (int kill = 0; kill < KILLS; kill++) {
          long before = accepted.get();
          // Under load: reports are accepted before, and under way at the kill.
          awaitAccepted(before + 20 + 7L * kill);
          gateway.kill();
          gateway.start();
        }
        awaitAccepted(accepted.get() + 20);
        ended.set(true);
        for (Thread device : devices) {
          device.join(PATIENCE.toMillis());
          assertThat(device.isAlive()).isFalse();
        }
      } finally {
        ended.set(true);
      }
      check(broker);
    }
  }

  private void awaitAccepted(long count) throws Exception {
    Condition.await(() -> accepted.get() >= count);
  }

  /** A device that sends one report after the other, each until it is accepted. */
  private void report(String user) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    String token = gateway.issuer.token(user);
    for (long sequence = 1; !ended.get(); sequence++) {
      byte[] bytes = Reports.grid("m", DIMENSION, 0, sequence).build().toByteArray();
      while (!send(client, token, user, sequence, bytes)) {
        try {
          Thread.sleep(20);
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }

  private boolean send(HttpClient client, String token, String user, long sequence, byte[] bytes) {
    try {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(gateway.address.resolve("/v1/reports"))
                  .timeout(REQUEST)
                  .header("Authorization", "Bearer " + token)
                  .header("Content-Type", "application/x-protobuf")
                  .POST(BodyPublishers.ofByteArray(bytes))
                  .build(),
              BodyHandlers.ofString());
      if (response.statusCode() != 202) {
        return false;
      }
      JsonObject position = JsonParser.parseString(response.body()).getAsJsonObject();
      positions
          .computeIfAbsent(user + " " + sequence, key -> ConcurrentHashMap.newKeySet())
          .add(position.get("partition") + " " + position.get("offset"));
      accepted.incrementAndGet();
      return true;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void check(TestBroker broker) throws Exception {
    Pepper pepper = gateway.pepper();
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < DEVICES; i++) {
      names.put(pepper.userId(gateway.issuer.name, "user" + i), "user" + i);
    }
    ReportDecoder decoder = new ReportDecoder();
    ReportIntake intake = new ReportIntake(TestBroker.spec("m", DIMENSION), 0);
    Map<String, HeapAccount> accounts = new HashMap<>();
    Set<String> admitted = new TreeSet<>();
    Map<String, String> contents = new TreeMap<>();
    int duplicates = 0;
    for (ConsumerRecord<byte[], byte[]> record : broker.read(broker.topics().gradients())) {
      Received decoded = decoder.decode(record.key(), record.value(), false, Source.unknown(0));
      assertThat(decoded).isInstanceOf(Report.class);
      GradientReport report = GradientReport.parseFrom(record.value());
      String name = names.get(report.getUserId()) + " " + report.getSequence();
      contents.put(record.partition() + " " + record.offset(), name);
      Outcome outcome =
          new Ledger()
              .judge(
                  (Report) decoded,
                  intake.terms(),
                  accounts.computeIfAbsent(report.getUserId(), user -> new HeapAccount()))
              .getOutcome();
      assertThat(outcome).isIn(Outcome.ADMITTED, Outcome.DUPLICATE);
      if (outcome == Outcome.ADMITTED) {
        assertThat(admitted.add(name)).as("%s is admitted once", name).isTrue();
      } else {
        duplicates++;
      }
    }
    positions.forEach(
        (name, places) -> {
          assertThat(admitted).contains(name);
          assertThat(places).allSatisfy(place -> assertThat(contents).containsEntry(place, name));
        });
    assertThat(accepted.get()).isGreaterThan(KILLS * 20L);
    System.out.printf(
        "%d kills: %d reports accepted, %d admitted, %d records were resends%n",
        KILLS, positions.size(), admitted.size(), duplicates);
  }
}
