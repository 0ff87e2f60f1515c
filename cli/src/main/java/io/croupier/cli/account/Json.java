package io.croupier.cli.account;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;

/** What commands print for programs. */
public final class Json {
  private static final Gson GSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().setPrettyPrinting().create();

  private Json() {}

  /** A number with all its digits; an infinite one as Protobuf's JSON has it, "Infinity". */
  public static JsonPrimitive number(double value) {
    return Double.isFinite(value)
        ? new JsonPrimitive(value)
        : new JsonPrimitive(Double.toString(value));
  }

  /** On several lines, without an end of the last. */
  public static String text(JsonElement json) {
    return GSON.toJson(json);
  }
}
