package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.RoundSum;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Classes in state or shuffles are POJOs for Flink, so that their fields may evolve. */
class StatePojosTest {

  /** All classes that are kept in state, or may be in transit between operators in a checkpoint. */
  static Stream<Class<?>> classes() {
    return Stream.of(
        PublishedSpec.class,
        LedgerMark.class,
        LearnerMark.class,
        RawRecord.class,
        SpecRecord.class,
        RoundSum.class,
        OutboundRecord.class);
  }

  @ParameterizedTest
  @MethodSource("classes")
  void isAPojoWithoutGenericFields(Class<?> type) {
    assertThat(TypeInformation.of(type))
        .isInstanceOfSatisfying(
            PojoTypeInfo.class,
            pojo -> {
              assertThat(pojo.createSerializer(withoutGenericTypes())).isNotNull();
              assertThat(pojo.getArity()).isEqualTo(type.getFields().length - notKept(type));
              for (int i = 0; i < pojo.getArity(); i++) {
                assertThat(pojo.getTypeAt(i)).isNotInstanceOf(GenericTypeInfo.class);
              }
            });
  }

  /** With generic types disabled, as in the job, a serialiser that falls back to Kryo throws. */
  private static SerializerConfigImpl withoutGenericTypes() {
    SerializerConfigImpl config = new SerializerConfigImpl();
    config.setGenericTypes(false);
    return config;
  }

  private static int notKept(Class<?> type) {
    return (int)
        Arrays.stream(type.getFields())
            .filter(field -> (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) != 0)
            .count();
  }
}
