package io.croupier.cli.watch;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers for the page, which shows fewer digits than the topics have. */
final class PageNumbers {
  /** More than a chart shows. */
  private static final int DIGITS = 6;

  private static final JsonSerializer<Double> NUMBER = (value, type, context) -> number(value);

  /** Writes records for the page: numbers as {@link #number(double)} does, and no absent parts. */
  private static final Gson RECORDS =
      new GsonBuilder()
          .registerTypeAdapter(double.class, NUMBER)
          .registerTypeAdapter(Double.class, NUMBER)
          .create();

  private PageNumbers() {}

  /** A record, or a list of records or numbers, in JSON. */
  static JsonElement json(Object value) {
    return RECORDS.toJsonTree(value);
  }

  /** A number of six digits; null if it is not finite. */
  static JsonElement number(double value) {
    return number(value, DIGITS);
  }

  /** A number of so many digits; null if it is not finite. */
  static JsonElement number(double value, int digits) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return JsonNull.INSTANCE;
    }
    // Integers below 2^53 stay exact in a browser.
    if (value == Math.rint(value) && Math.abs(value) < 1L << 53) {
      return new JsonPrimitive((long) value);
    }
    MathContext rounding = new MathContext(digits, RoundingMode.HALF_EVEN);
    double rounded = new BigDecimal(value).round(rounding).doubleValue();
    // The largest doubles may be rounded to infinity.
    return new JsonPrimitive(Double.isFinite(rounded) ? rounded : value);
  }
}
