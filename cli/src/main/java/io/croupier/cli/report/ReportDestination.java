package io.croupier.cli.report;

import io.croupier.cli.follow.FollowedModel;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.cli.io.FileFormat;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.job.config.JobConfig;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Consumer;

/** Where reports go, and where the model that they belong to comes from. */
sealed interface ReportDestination {
  /** Whether reports leave this machine; otherwise they are printed. */
  boolean isSending();

  /** Begins to follow the model. */
  PublishedModel model();

  /**
   * Opens the way for reports, and delivers the pending ones of the ledger.
   *
   * @param warnings receives a line for each pending report that is refused
   */
  ReportSink sink(LocalLedger ledger, Consumer<String> warnings);

  /** The topics of a job. */
  record OfKafka(JobConfig config, String modelId) implements ReportDestination {
    @Override
    public boolean isSending() {
      return true;
    }

    @Override
    public PublishedModel model() {
      return FollowedModel.overKafka(config.kafka(), config.topics().updates(), modelId);
    }

    @Override
    public ReportSink sink(LocalLedger ledger, Consumer<String> warnings) {
      return SentReportSink.overKafka(
          config.kafka(), config.topics().gradients(), ledger, warnings);
    }
  }

  /** A gateway. */
  record OfGateway(URI address, Path token, String modelId) implements ReportDestination {
    @Override
    public boolean isSending() {
      return true;
    }

    @Override
    public PublishedModel model() {
      return FollowedModel.overGateway(address, modelId);
    }

    @Override
    public ReportSink sink(LocalLedger ledger, Consumer<String> warnings) {
      return SentReportSink.overGateway(address, token, ledger, warnings);
    }
  }

  /** Standard output; the model is that of a file of specs. */
  record OfPrinting(Path models, String modelId, OutputStream out, FileFormat format)
      implements ReportDestination {
    @Override
    public boolean isSending() {
      return false;
    }

    @Override
    public PublishedModel model() {
      return UnpublishedModel.read(models, modelId);
    }

    @Override
    public ReportSink sink(LocalLedger ledger, Consumer<String> warnings) {
      return new PrintedReportSink(out, format, ledger, Clock.systemUTC());
    }
  }
}
