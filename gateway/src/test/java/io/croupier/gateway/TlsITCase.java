package io.croupier.gateway;

import static io.croupier.gateway.Condition.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.HttpReportTransport;
import io.croupier.gateway.config.GatewayConfig;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates from PEM files. */
@Tag("ci")
class TlsITCase {
  /** What the gateway logs when it has read files that it doesn't use. */
  private static final String REFUSED = "can't be used; the certificate before them stays in use";

  @TempDir private Path directory;

  /** The name in the certificate that a new connection receives, and the protocol. */
  private static String served(int port) throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {new TrustsAll()}, null);
    try (SSLSocket socket =
        (SSLSocket)
            trusting.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
      socket.startHandshake();
      Certificate[] chain = socket.getSession().getPeerCertificates();
      socket
          .getOutputStream()
          .write(
              "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 200");
      return ((X509Certificate) chain[0]).getSubjectX500Principal().getName();
    }
  }

  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  @Tag("ci")
  @Test
  void aChangedCertificateIsServedWithoutARestart() throws Exception {
    checkChange("EC");
  }

  @Tag("thorough")
  @Test
  void aChangedCertificateOfRsaIsServedWithoutARestart() throws Exception {
    checkChange("RSA");
  }

  private void checkChange(String algorithm) throws Exception {
    TestCertificates.create(directory, "first", algorithm);
    TestCertificates.create(directory, "second", algorithm);
    Files.copy(directory.resolve("first.pem"), directory.resolve("gateway.pem"));
    Files.copy(directory.resolve("first.key"), directory.resolve("gateway.key"));
    try (TestBroker broker = new TestBroker(directory.resolve("broker"))) {
      Map<String, String> settings =
          TestGateway.settings(directory, broker.kafka(), TestIssuer.COMMON);
      settings.put("listen.certificate", "gateway.pem");
      settings.put("listen.key", "gateway.key");
      io.croupier.gateway.identity.Pepper.create(directory.resolve("pepper"));
      try (LogLines log = new LogLines(Level.WARN);
          Gateway gateway = new Gateway(GatewayConfig.of(settings, directory))) {
        assertThat(gateway.address().getScheme()).isEqualTo("https");
        int port = gateway.address().getPort();
        assertThat(served(port)).isEqualTo("CN=first");
        // Between the two moves the key is not the certificate's: the first pair stays.
        replace("second.pem", "gateway.pem");
        await(() -> log.count(REFUSED) > 0);
        assertThat(served(port)).isEqualTo("CN=first");
        replace("second.key", "gateway.key");
        await(() -> served(port).equals("CN=second"));
        long before = log.count(REFUSED);
        Files.writeString(directory.resolve("gateway.pem"), "damaged");
        await(() -> log.count(REFUSED) > before);
        assertThat(served(port)).isEqualTo("CN=second");
      }
    }
  }

  /** The Java client takes the trust store of its JVM, and checks the name of the server. */
  @Test
  void theJavaClientReportsOnlyToAGatewayThatItTrusts() throws Exception {
    TestCertificates.create(directory, "here", "EC", "-ext", "san=ip:127.0.0.1");
    TestCertificates.create(directory, "elsewhere", "EC", "-ext", "san=dns:gateway.example");
    TestIssuer issuer = TestIssuer.COMMON;
    SSLContext former = SSLContext.getDefault();
    try (TestBroker broker = new TestBroker(directory.resolve("broker"))) {
      broker.publish(TestBroker.spec("m", 2));
      broker.update("m", 2, 4);
      Map<String, String> settings = TestGateway.settings(directory, broker.kafka(), issuer);
      io.croupier.gateway.identity.Pepper.create(directory.resolve("pepper"));
      for (String served : List.of("elsewhere", "here")) {
        settings.put("listen.certificate", served + ".pem");
        settings.put("listen.key", served + ".key");
        try (Gateway gateway = new Gateway(GatewayConfig.of(settings, directory))) {
          assertThat(gateway.address().toString()).startsWith("https://127.0.0.1:");
          byte[] report = Reports.grid("m", 2, 4, 1).build().toByteArray();
          SSLContext.setDefault(
              TestCertificates.trusting(directory, "here".equals(served) ? "elsewhere" : "here"));
          assertNotReached(gateway, issuer, report, "PKIX path");
          SSLContext.setDefault(TestCertificates.trusting(directory, served));
          if (served.equals("elsewhere")) {
            assertNotReached(gateway, issuer, report, "subject alternative names");
          } else {
            assertReaches(gateway, issuer, report);
          }
        }
      }
      assertThat(broker.reports()).hasSize(1);
    } finally {
      SSLContext.setDefault(former);
    }
  }

  private static void assertNotReached(
      Gateway gateway, TestIssuer issuer, byte[] report, String reason) throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (HttpReportTransport transport =
            new HttpReportTransport(
                gateway.address(),
                () -> {
                  attempts.incrementAndGet();
                  return issuer.token("ada");
                });
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.address(), "m")) {
      CompletableFuture<Void> sent = transport.send("ada", report);
      // On a slow machine, an attempt may fail earlier for lack of time.
      await(() -> obstacle(models).contains(reason));
      assertThat(obstacle(models)).contains("can't be reached");
      // The second attempt begins after the first one has failed.
      await(() -> attempts.get() > 1);
      assertThat(sent).isNotDone();
    }
  }

  /** Why the subscriber has no update until now. */
  private static String obstacle(HttpModelSubscriber models) throws Exception {
    try {
      models.await(Duration.ofMillis(10));
    } catch (TimeoutException e) {
      return e.getMessage();
    }
    throw new AssertionError("the subscriber reached the gateway");
  }

  private static void assertReaches(Gateway gateway, TestIssuer issuer, byte[] report)
      throws Exception {
    try (HttpReportTransport transport =
            new HttpReportTransport(gateway.address(), () -> issuer.token("ada"));
        HttpModelSubscriber models = new HttpModelSubscriber(gateway.address(), "m")) {
      assertThat(models.await(Duration.ofMinutes(1)).round()).isEqualTo(4);
      transport.send("ada", report).get(1, TimeUnit.MINUTES);
    }
  }

  private void replace(String from, String to) throws Exception {
    Files.move(
        directory.resolve(from),
        directory.resolve(to),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  @Tag("thorough")
  @Test
  void filesThatAreNoCertificateAndKeyAreRefused() throws Exception {
    TestCertificates.create(directory, "first", "EC");
    TestCertificates.create(directory, "second", "EC");
    TestCertificates.create(directory, "other", "RSA");
    for (List<String> pair :
        List.of(
            List.of("first.pem", "other.key"),
            List.of("first.pem", "second.key"),
            List.of("first.key", "first.key"),
            List.of("first.pem", "first.pem"))) {
      assertThatThrownBy(
              () ->
                  io.croupier.gateway.http.TlsFilesAccess.read(
                      directory.resolve(pair.get(0)), directory.resolve(pair.get(1))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be a certificate chain and its private key");
    }
  }

  /** The files are looked at every two seconds. */
  @Test
  void aFaultOfTheFilesIsLoggedOnce() throws Exception {
    TestCertificates.create(directory, "gateway", "EC");
    Path certificate = directory.resolve("gateway.pem");
    Runnable reload =
        io.croupier.gateway.http.TlsFilesAccess.read(certificate, directory.resolve("gateway.key"));
    String chain = Files.readString(certificate);
    try (LogLines log = new LogLines(Level.WARN)) {
      for (int times = 1; times <= 2; times++) {
        Files.writeString(certificate, "damaged");
        for (int i = 0; i < 10; i++) {
          reload.run();
        }
        assertThat(log.count(REFUSED)).isEqualTo(times);
        Files.writeString(certificate, chain);
        reload.run();
      }
    }
  }

  @Test
  void aMissingFileIsNamedWithItsSetting() throws Exception {
    Path file = Files.createFile(directory.resolve("empty"));
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> io.croupier.gateway.http.TlsFilesAccess.read(missing, file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("listen.certificate is %s: no such file", missing);
    assertThatThrownBy(() -> io.croupier.gateway.http.TlsFilesAccess.read(file, missing))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("listen.key is %s: no such file", missing);
  }
}
