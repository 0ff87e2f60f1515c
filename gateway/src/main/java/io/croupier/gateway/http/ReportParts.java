package io.croupier.gateway.http;

import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.operators.ledger.StoppedUsers;

/**
 * What the senders of reports prove, and where their reports go.
 *
 * @param tokens verifies identities
 * @param pepper computes user ids
 * @param stopped users from whom nothing is taken
 * @param check judges reports
 * @param store keeps reports
 */
public record ReportParts(
    TokenVerifier tokens,
    Pepper pepper,
    StoppedUsers stopped,
    ReportCheck check,
    ReportStore store) {}
