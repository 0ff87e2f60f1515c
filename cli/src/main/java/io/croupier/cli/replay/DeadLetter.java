package io.croupier.cli.replay;

import com.google.gson.JsonObject;
import io.croupier.cli.replay.ReportRecord.Unreadable;
import java.util.Base64;

/**
 * The JSON form of a dead letter: the number of the record, the reason, and the input, as {@code
 * text} for a line and as {@code base64} otherwise. The input is omitted if it may be a raw
 * gradient.
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
