package io.croupier.gateway.http;

import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.report.ReportCheck;

/**
 * What the senders of reports prove, and where their reports go.
 *
 * @param tokens verifies identities
 * @param pepper computes user ids
 * @param check judges reports
 * @param store keeps reports
 */
public record ReportParts(
    TokenVerifier tokens, Pepper pepper, ReportCheck check, ReportStore store) {}
