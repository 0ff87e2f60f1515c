package io.croupier.client.ledger;

import io.croupier.client.ledger.ReportedData.DataCounts;

/**
 * These data were reported to a model, or tokens were charged for them, as often as they may be. No
 * noise was drawn, no privacy is spent, and the message contains nothing of the data or their key.
 */
public final class AlreadyReportedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String modelId;
  private final long reported;
  private final int times;

  AlreadyReportedException(String modelId, DataCounts counts, int times) {
    super(
        "data of this key were reported to model "
            + modelId
            + " "
            + often(counts.reported())
            + tokens(counts.charged() - counts.reported())
            + ", and they may be "
            + often(times)
            + "; give other data another key, or set the key's times to report the same again");
    this.modelId = modelId;
    reported = counts.reported();
    this.times = times;
  }

  /** A token is charged for good, whether or not a report with it was drawn. */
  private static String tokens(int more) {
    return more > 0 ? ", tokens were charged for " + more + " more of their reports" : "";
  }

  private static String often(long times) {
    return times == 1 ? "once" : times + " times";
  }

  /** The model to which they were reported. */
  public String modelId() {
    return modelId;
  }

  /** How often they were reported. */
  public long reported() {
    return reported;
  }

  /** How often they may be reported. */
  public int times() {
    return times;
  }
}
