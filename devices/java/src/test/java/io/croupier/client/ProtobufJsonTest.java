package io.croupier.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelUpdate;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Updates as gateways write them. */
class ProtobufJsonTest {
  private static final List<Double> NUMBERS =
      List.of(
          -0.0, 0.1, 1e300, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY, -1.0 / 3, 42.0);

  private final Random random = new Random(5);

  private static ModelUpdate read(String json) {
    ModelUpdate.Builder update = ModelUpdate.newBuilder();
    ProtobufJson.read(json.getBytes(UTF_8), update);
    return update.build();
  }

  private <B extends Message.Builder> B filled(B message) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.isRepeated()) {
        for (int i = random.nextInt(3); i > 0; i--) {
          message.addRepeatedField(field, value(message, field));
        }
      } else if (random.nextInt(4) > 0) {
        message.setField(field, value(message, field));
      }
    }
    return message;
  }

  private Object value(Message.Builder of, FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case BOOLEAN -> random.nextBoolean();
      case INT -> random.nextInt();
      case LONG -> random.nextLong();
      case FLOAT -> random.nextFloat();
      case DOUBLE -> NUMBERS.get(random.nextInt(NUMBERS.size()));
      case STRING -> "\"é\n" + random.nextInt();
      case BYTE_STRING -> ByteString.copyFromUtf8("bytes" + random.nextInt());
      case ENUM -> field.getEnumType().getValues().get(0);
      case MESSAGE -> filled(of.newBuilderForField(field)).build();
    };
  }

  @Test
  void everyFieldIsRead() throws Exception {
    for (int i = 0; i < 200; i++) {
      ModelUpdate update = filled(ModelUpdate.newBuilder()).build();
      String json = JsonFormat.printer().omittingInsignificantWhitespace().print(update);
      assertThat(read(json)).isEqualTo(update);
    }
  }

  @Test
  void whatALaterVersionWritesIsSkipped() {
    assertThat(
            read(
                """
                {"round": "7", "later": {"a": [1, {"b": null}]}, "size": "LATER", "used": null,
                 "waitsFor": 99, "weights": [1, "NaN"]}
                """))
        .isEqualTo(
            ModelUpdate.newBuilder().setRound(7).addWeights(1).addWeights(Double.NaN).build());
    assertThat(read("{\"size\": \"FEATURES\"}").getSize()).isEqualTo(AdaptiveClip.Size.FEATURES);
  }

  @Test
  void anythingElseIsRefused() {
    for (String json :
        List.of(
            "",
            "[]",
            "{",
            "{\"round\": \"x\"}",
            "{\"round\": 1.5}",
            "{\"weights\": 1}",
            "{\"windows\": [{\"levels\": [{\"modulus\": \"*\"}]}]}")) {
      assertThatThrownBy(() -> read(json))
          .as(json)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("not a ModelUpdate in JSON");
    }
  }
}
