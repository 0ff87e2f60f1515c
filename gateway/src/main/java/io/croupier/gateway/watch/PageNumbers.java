package io.croupier.gateway.watch;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers for the page, which shows fewer digits than the topics have. */
final class PageNumbers {
  /** Integers below 2^53 stay exact in a browser; these digits are more than a chart shows. */
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private PageNumbers() {}

  /** A number of six digits; null if it is not finite. */
  static JsonElement number(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return JsonNull.INSTANCE;
    }
    if (value == Math.rint(value) && Math.abs(value) < 1L << 53) {
      return new JsonPrimitive((long) value);
    }
    return new JsonPrimitive(new BigDecimal(value).round(DIGITS).doubleValue());
  }
}
