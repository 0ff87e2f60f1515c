package io.croupier.cli.replay;

import com.google.gson.JsonObject;
import io.croupier.cli.replay.ReportRecord.Unreadable;
import java.util.Base64;

/**
 * What is written of a record that holds no report: which it is, why, and the input as it was read,
 * as {@code text} of a line and as {@code base64} of anything else. The input is left out where it
 * may be a raw gradient.
 */
final class DeadLetter {

  private DeadLetter() {}

  static JsonObject of(Unreadable record, boolean isLine) {
    JsonObject letter = new JsonObject();
    letter.addProperty(isLine ? "line" : "record", record.number());
    letter.addProperty("reason", record.reason());
    if (!record.isWithheld()) {
      if (isLine && record.input().isValidUtf8()) {
        letter.addProperty("text", record.input().toStringUtf8());
      } else {
        letter.addProperty(
            "base64", Base64.getEncoder().encodeToString(record.input().toByteArray()));
      }
    }
    return letter;
  }
}
