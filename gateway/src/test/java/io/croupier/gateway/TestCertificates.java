package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed certificates in a directory, {@code NAME.pem} and {@code NAME.key}. */
public final class TestCertificates {
  private static final char[] PASSWORD = "password".toCharArray();

  private TestCertificates() {}

  /**
   * Creates one with the JDK's keytool.
   *
   * @param more arguments of keytool
   */
  public static void create(Path directory, String name, String algorithm, String... more)
      throws Exception {
    Path store = directory.resolve(name + ".p12");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", "a", "-keyalg", algorithm));
    command.addAll(List.of("-dname", "CN=" + name, "-validity", "10"));
    command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString()));
    command.addAll(List.of("-storepass", new String(PASSWORD)));
    command.addAll(List.of(more));
    Process keytool =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    write(directory.resolve(name + ".pem"), "CERTIFICATE", keys.getCertificate("a").getEncoded());
    write(directory.resolve(name + ".key"), "PRIVATE KEY", keys.getKey("a", PASSWORD).getEncoded());
  }

  private static void write(Path file, String kind, byte[] der) throws Exception {
    Files.writeString(
        file,
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(der), kind));
  }

  /** The defaults of a JVM that trusts one certificate. */
  public static SSLContext trusting(Path directory, String name) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, PASSWORD);
    try (InputStream in = Files.newInputStream(directory.resolve(name + ".pem"))) {
      trusted.setCertificateEntry(
          "a", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
