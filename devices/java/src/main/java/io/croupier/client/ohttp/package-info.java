/**
 * Oblivious HTTP (RFC 9458): requests that a relay forwards and can't read, to a gateway that
 * doesn't see who sends them. Messages are in the known-length form of Binary HTTP (RFC 9292), and
 * encrypted by HPKE in base mode (RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
 * AES-128-GCM.
 *
 * <p>Internal, but for {@link io.croupier.client.ohttp.ObliviousKey}: a later release may change
 * it.
 *
 * <p>The primitives are those of the JDK; its provider of X25519 is in the module {@code
 * jdk.crypto.ec}. Independent of Kafka and of the records of reports.
 */
package io.croupier.client.ohttp;
