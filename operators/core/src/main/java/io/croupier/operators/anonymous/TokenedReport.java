package io.croupier.operators.anonymous;

import io.croupier.operators.report.Report;

/**
 * An anonymous report with its token, whose signature isn't verified yet.
 *
 * @param report without user, device and sequence
 * @param token for which it is admitted
 */
public record TokenedReport(Report report, WindowToken token) {}
