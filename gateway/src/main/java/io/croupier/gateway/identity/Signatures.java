package io.croupier.gateway.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.SignedJWT;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/**
 * Verifies the signature of a token by a public key. Only public keys are used, each by its own
 * kind of algorithm, so no token can pass a key off as a shared secret.
 */
final class Signatures {
  /** NIST SP 800-131A: no shorter keys. */
  private static final int LEAST_RSA_BITS = 2048;

  /** RFC 8410: the header of an Ed25519 key in DER. */
  private static final byte[] ED25519 = HexFormat.of().parseHex("302a300506032b6570032100");

  private static final int ED25519_BYTES = 32;

  private Signatures() {}

  /** Whether the key is one of ours for the token's algorithm, and the signature is right. */
  static boolean isValid(SignedJWT token, JWK key) {
    try {
      if (key instanceof OctetKeyPair pair && Curve.Ed25519.equals(pair.getCurve())) {
        return isValid(token, pair);
      }
      JWSVerifier verifier = verifier(key);
      JWSHeader header = token.getHeader();
      return verifier != null
          && verifier.supportedJWSAlgorithms().contains(header.getAlgorithm())
          && token.verify(verifier);
    } catch (JOSEException | GeneralSecurityException e) {
      return false;
    }
  }

  private static JWSVerifier verifier(JWK key) throws JOSEException {
    if (key instanceof RSAKey rsa) {
      return rsa.size() >= LEAST_RSA_BITS ? new RSASSAVerifier(rsa) : null;
    }
    return key instanceof ECKey curve ? new ECDSAVerifier(curve) : null;
  }

  /** By the JDK: Nimbus needs another library for this algorithm. */
  private static boolean isValid(SignedJWT token, OctetKeyPair key)
      throws GeneralSecurityException {
    String algorithm = token.getHeader().getAlgorithm().getName();
    byte[] x = key.getDecodedX();
    if (!(algorithm.equals("EdDSA") || algorithm.equals("Ed25519")) || x.length != ED25519_BYTES) {
      return false;
    }
    ByteArrayOutputStream der = new ByteArrayOutputStream();
    der.writeBytes(ED25519);
    der.writeBytes(x);
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(
        KeyFactory.getInstance("Ed25519")
            .generatePublic(new X509EncodedKeySpec(der.toByteArray())));
    signature.update(token.getSigningInput());
    return signature.verify(token.getSignature().decode());
  }
}
