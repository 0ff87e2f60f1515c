package io.croupier.client.ledger;

/**
 * These data were reported to a model as often as they may be. No noise was drawn, no privacy is
 * spent, and the message contains nothing of the data or their key.
 */
public final class AlreadyReportedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String modelId;
  private final long reported;
  private final int times;

  /**
   * @param waiting how many tokens wait for further reports
   */
  AlreadyReportedException(String modelId, long reported, long waiting, int times) {
    super(
        "data of this key were reported to model "
            + modelId
            + " "
            + often(reported)
            + (waiting == 0 ? "" : ", tokens wait for " + waiting + " more of their reports")
            + ", and they may be "
            + often(times)
            + "; give other data another key, or set the key's times to report the same again");
    this.modelId = modelId;
    this.reported = reported;
    this.times = times;
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
