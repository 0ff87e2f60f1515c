package io.croupier.cli.account;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;

/** JSON output of commands. */
public final class Json {
  private static final Gson GSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().setPrettyPrinting().create();

  private Json() {}

  /** A number with all its digits; infinity is "Infinity", as in the Protobuf JSON mapping. */
  public static JsonPrimitive number(double value) {
    return Double.isFinite(value)
        ? new JsonPrimitive(value)
        : new JsonPrimitive(Double.toString(value));
  }

  /** The text on several lines, without a final line separator. */
  public static String text(JsonElement json) {
    return GSON.toJson(json);
  }
}
