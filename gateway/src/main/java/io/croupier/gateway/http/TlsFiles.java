package io.croupier.gateway.http;

import io.croupier.gateway.config.GatewayKey;
import io.croupier.gateway.config.ListenSettings.Tls;
import io.croupier.schemas.FileErrors;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Certificate and key from PEM files, which are read again when one of them has changed. */
final class TlsFiles {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "Ed25519");

  /** Of a key store that is never written. */
  private static final String PASSWORD = "in memory";

  private final Tls files;
  private final SslContextFactory.Server context = new SslContextFactory.Server();
  private byte[] certificate;
  private byte[] key;

  /** Why the files could not be used at the last attempt; empty if they could. */
  private String fault = "";

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if they can't be read, or are not a certificate chain and its
   *     key
   */
  TlsFiles(Tls files) {
    this.files = files;
    certificate = read(GatewayKey.LISTEN_CERTIFICATE, files.certificate());
    key = read(GatewayKey.LISTEN_KEY, files.key());
    try {
      configure(context, store(certificate, key));
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s and %s must be a certificate chain and its private key, in PEM: %s"
              .formatted(files.certificate(), files.key(), e.getMessage()),
          e);
    }
  }

  private static byte[] read(GatewayKey setting, Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s is %s: %s".formatted(setting.key(), file, FileErrors.unreadable(e)), e);
    }
  }

  SslContextFactory.Server context() {
    return context;
  }

  /** Reads the files again if they have changed; new connections then have the new certificate. */
  synchronized void reload() {
    try {
      byte[] nextCertificate = read(GatewayKey.LISTEN_CERTIFICATE, files.certificate());
      byte[] nextKey = read(GatewayKey.LISTEN_KEY, files.key());
      if (Arrays.equals(certificate, nextCertificate) && Arrays.equals(key, nextKey)) {
        fault = "";
        return;
      }
      KeyStore store = store(nextCertificate, nextKey);
      context.reload(factory -> configure((SslContextFactory.Server) factory, store));
      certificate = nextCertificate;
      key = nextKey;
      fault = "";
      LOG.info("The certificate in {} is in use", files.certificate());
    } catch (Exception e) {
      // Half of a change, perhaps: the next call, seconds later, sees the other half.
      if (!fault.equals(e.toString())) {
        LOG.warn(
            "{} and {} can't be used; the certificate before them stays in use",
            files.certificate(),
            files.key(),
            e);
      }
      fault = e.toString();
    }
  }

  private static void configure(SslContextFactory.Server factory, KeyStore store) {
    factory.setKeyStore(store);
    factory.setKeyStorePassword(PASSWORD);
  }

  private static KeyStore store(byte[] chain, byte[] pem)
      throws GeneralSecurityException, IOException {
    Certificate[] certificates =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(chain))
            .toArray(Certificate[]::new);
    if (certificates.length == 0) {
      throw new GeneralSecurityException("there is no certificate");
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    PrivateKey privateKey = privateKey(pem, certificates[0].getPublicKey().getAlgorithm());
    requirePair(privateKey, certificates[0].getPublicKey());
    store.setKeyEntry("gateway", privateKey, PASSWORD.toCharArray(), certificates);
    return store;
  }

  /** While files are replaced, one may be the old one: then the key is not the certificate's. */
  private static void requirePair(PrivateKey privateKey, PublicKey publicKey)
      throws GeneralSecurityException {
    String algorithm =
        switch (privateKey.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> "Ed25519";
        };
    byte[] probe = PASSWORD.getBytes(StandardCharsets.US_ASCII);
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(privateKey);
    signature.update(probe);
    byte[] signed = signature.sign();
    signature.initVerify(publicKey);
    signature.update(probe);
    if (!signature.verify(signed)) {
      throw new GeneralSecurityException("the key is not that of the first certificate");
    }
  }

  private static PrivateKey privateKey(byte[] pem, String algorithm)
      throws GeneralSecurityException {
    Matcher matcher = KEY.matcher(new String(pem, StandardCharsets.ISO_8859_1));
    if (!matcher.find()) {
      throw new GeneralSecurityException(
          "the key must begin with BEGIN PRIVATE KEY; openssl pkcs8 -topk8 -nocrypt converts others");
    }
    PKCS8EncodedKeySpec encoded =
        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
    String name = algorithm.equals("EdDSA") ? "Ed25519" : algorithm;
    if (!KEY_ALGORITHMS.contains(name)) {
      throw new GeneralSecurityException("the key must be one of " + KEY_ALGORITHMS);
    }
    try {
      return KeyFactory.getInstance(name).generatePrivate(encoded);
    } catch (InvalidKeySpecException e) {
      // Without the cause, which describes the key.
      throw new GeneralSecurityException("the key is not of the certificate's kind, " + name);
    }
  }
}
