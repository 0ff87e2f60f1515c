package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

/** Compares some fields of JSON. */
public final class JsonFields {

  private JsonFields() {}

  /**
   * Fails unless an object has these fields with these values; it may have others.
   *
   * @param fields an object, whose names and texts may be without quotation marks
   */
  public static void assertHas(JsonObject object, String fields) {
    JsonObject expected = JsonParser.parseString(fields).getAsJsonObject();
    JsonObject found = new JsonObject();
    expected.keySet().forEach(name -> found.add(name, object.get(name)));
    assertThat(found).as("%s", object).isEqualTo(expected);
  }
}
