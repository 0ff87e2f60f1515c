/**
 * Blind tokens for anonymous reports: RSABSSA-SHA384-PSS-Randomized (RFC 9474) in the structures of
 * token type 2 (RFC 9577, RFC 9578).
 *
 * <p>Internal: a later release may change it.
 *
 * <p>An issuer signs a request without seeing the token, so it can't recognise the token later. The
 * private operation is that of the JDK, which blinds its exponentiation and checks its result.
 * Blinding, unblinding and encoding use {@code BigInteger}, whose time depends on the values: they
 * run on the device, once for each token, and their secrets are used for no other token.
 *
 * <p>Independent of Kafka, of HTTP and of the records of reports.
 */
package io.croupier.client.token;
