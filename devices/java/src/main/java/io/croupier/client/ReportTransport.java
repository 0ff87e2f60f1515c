package io.croupier.client;

import io.croupier.schemas.Account;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How the reports of devices reach the job: {@link KafkaReportTransport} or {@link
 * HttpReportTransport}. It keeps nothing; a {@link GradientReporter} and its ledger decide what is
 * sent again. Safe for use by several threads.
 */
public interface ReportTransport {
  /**
   * Whether reports contain the user's id. Otherwise they must not, since the receiver finds out by
   * itself who sends them. Always the same for one transport.
   */
  boolean namesUser();

  /**
   * Sends a report, and may repeat the same bytes for a limited time until they are acknowledged.
   * The reports of one user are sent in the order of the calls. Doesn't throw.
   *
   * @param userId the ledger's name of the person
   * @param report a {@link io.croupier.schemas.GradientReport}; not modified
   * @return completes when the report is acknowledged. Fails with a {@link ReportRefusedException}
   *     if these bytes will never be accepted, and with any other exception if they may have
   *     arrived, or may be accepted later
   */
  CompletableFuture<Void> send(String userId, byte[] report);

  /**
   * Asks for the job's account of the person whose reports this sends, over all devices, and waits
   * for the answer.
   *
   * @throws IOException if it can't be had within {@code longest}; over Kafka, always: only a
   *     gateway knows who asks
   */
  default Account account(Duration longest) throws IOException {
    throw new IOException("no account can be had over this transport; it must be a gateway");
  }
}
