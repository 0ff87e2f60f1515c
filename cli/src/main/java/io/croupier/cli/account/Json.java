package io.croupier.cli.account;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;

/** JSON output of commands. */
public final class Json {
  private static final Gson GSON =
      new GsonBuilder()
          .serializeNulls()
          .disableHtmlEscaping()
          .setPrettyPrinting()
          .registerTypeAdapter(Double.class, numbers())
          .registerTypeAdapter(RelationOption.class, words())
          .create();

  private Json() {}

  private static JsonSerializer<Double> numbers() {
    return (value, type, context) -> number(value);
  }

  private static JsonSerializer<RelationOption> words() {
    return (value, type, context) -> new JsonPrimitive(value.toString());
  }

  /** A record as an object, or a list of them as an array, with the names of the components. */
  public static JsonElement of(Object value) {
    return GSON.toJsonTree(value);
  }

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
