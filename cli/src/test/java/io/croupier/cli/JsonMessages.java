package io.croupier.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.ArrayList;
import java.util.List;

/** Messages in JSON, one in each line. */
public final class JsonMessages {

  private JsonMessages() {}

  /**
   * Parses messages.
   *
   * @param type any message of their type
   */
  @SuppressWarnings("unchecked") // a builder builds messages of its own type
  public static <T extends Message> List<T> parse(List<String> lines, T type)
      throws InvalidProtocolBufferException {
    List<T> messages = new ArrayList<>();
    for (String line : lines) {
      Message.Builder message = type.newBuilderForType();
      JsonFormat.parser().merge(line, message);
      messages.add((T) message.build());
    }
    return messages;
  }
}
