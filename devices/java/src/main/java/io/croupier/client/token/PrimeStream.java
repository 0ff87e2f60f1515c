package io.croupier.client.token;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The primes of 1024 bits that follow from a secret and the digest of a challenge.
 *
 * <p>With seed = HMAC-SHA-512(secret, "croupier token key" | digest), block i is HMAC-SHA-512(seed,
 * i), i in 8 bytes, big-endian (a key derivation in counter mode, NIST SP 800-108). A candidate is
 * two blocks, read as a big-endian number, with its two highest bits and its lowest bit set to 1.
 * The primes are the candidates c, in order, that are probable primes with c mod 65537 different
 * from 1. So p and q are uniform among the primes of this form, and their product has 2048 bits
 * (FIPS 186-5, appendix A.1.3).
 */
final class PrimeStream {
  private static final String ALGORITHM = "HmacSHA512";
  private static final byte[] PURPOSE = "croupier token key".getBytes(UTF_8);
  private static final int PRIME_BITS = 1024;
  private static final int LEAST_DISTANCE_BITS = PRIME_BITS - 100;

  /** A composite passes with a probability below 2^-100, so all gateways decide alike. */
  private static final int CERTAINTY = 100;

  /** Finds most composites much faster than a test of primality. */
  private static final BigInteger SMALL_PRIMES =
      IntStream.range(3, 2000)
          .mapToObj(BigInteger::valueOf)
          .filter(n -> n.isProbablePrime(CERTAINTY))
          .reduce(BigInteger.ONE, BigInteger::multiply);

  private final Mac mac;
  private long block;

  PrimeStream(byte[] secret, ByteString digest) {
    Mac seeding = mac(secret);
    seeding.update(PURPOSE);
    mac = mac(seeding.doFinal(digest.toByteArray()));
  }

  private static Mac mac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  BigInteger next() {
    while (true) {
      BigInteger candidate = candidate();
      if (candidate.gcd(SMALL_PRIMES).equals(BigInteger.ONE)
          && !candidate.mod(TokenKey.EXPONENT).equals(BigInteger.ONE)
          && candidate.isProbablePrime(CERTAINTY)) {
        return candidate;
      }
    }
  }

  private BigInteger candidate() {
    ByteBuffer bytes = ByteBuffer.allocate(PRIME_BITS / 8).put(nextBlock()).put(nextBlock());
    return new BigInteger(1, bytes.array()).setBit(PRIME_BITS - 1).setBit(PRIME_BITS - 2).setBit(0);
  }

  private byte[] nextBlock() {
    return mac.doFinal(ByteBuffer.allocate(Long.BYTES).putLong(block++).array());
  }

  /** Whether two primes differ by more than 2^924, as FIPS 186-5 requires. */
  static boolean areFarApart(BigInteger p, BigInteger q) {
    return p.subtract(q).abs().bitLength() > LEAST_DISTANCE_BITS;
  }
}
