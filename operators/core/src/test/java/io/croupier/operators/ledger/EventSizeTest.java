package io.croupier.operators.ledger;

import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import java.util.Collections;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/**
 * Events of the ledger and of central models fit their topics, whatever reports and specs contain.
 */
class EventSizeTest {
  /** A batch of one record, its header, and the overhead of a transaction. */
  private static final int RECORD_OVERHEAD = 200;

  private static final int LONGEST_TOPIC_NAME = 249;
  private static final int LONGEST_MODEL_ID = 100;

  /** Of a tree with as many levels as possible. */
  private static final List<Integer> LONGEST_COUNTS =
      Collections.nCopies(RunningZeta.ofTree(Schedule.MAX_STEPS).counts.length, Integer.MAX_VALUE);

  /** Sets every field to its longest value, numbers to the longest possible ones. */
  private static Message fill(Message.Builder builder) {
    for (FieldDescriptor field : builder.getDescriptorForType().getFields()) {
      if (field.isRepeated()) {
        builder.setField(field, LONGEST_COUNTS);
        continue;
      }
      switch (field.getJavaType()) {
        case INT -> builder.setField(field, -1);
        case LONG -> builder.setField(field, -1L);
        case DOUBLE -> builder.setField(field, -1.0);
        case BOOLEAN -> builder.setField(field, true);
        case STRING -> builder.setField(field, longest(field.getName()));
        case ENUM -> builder.setField(field, field.getEnumType().getValues().get(1));
        case MESSAGE -> {
          if (field.getRealContainingOneof() == null) {
            builder.setField(field, fill(builder.newBuilderForField(field)));
          }
        }
        default -> throw new IllegalStateException("No length for " + field);
      }
    }
    return builder.build();
  }

  private static String longest(String field) {
    return switch (field) {
      case "user_id", "device_id" -> "u".repeat(GradientReports.MAX_ID_BYTES);
      case "model_id", "mechanism" -> "m".repeat(LONGEST_MODEL_ID);
      case "topic" -> "t".repeat(LONGEST_TOPIC_NAME);
      case "reason" -> new Judgement(REFUSED_BUDGET, "r".repeat(100_000)).reason();
      default -> throw new IllegalStateException("No length for " + field);
    };
  }

  @Test
  void theLargestEventsFit() {
    AccountingEvent event =
        ((AccountingEvent) fill(AccountingEvent.newBuilder()))
            .toBuilder()
                .mergeFrom(
                    Specs.parse(
                        "coordinate_laplace {epsilon: 1 not_private: -1 clip: L2}",
                        AccountingEvent.class))
                .build();
    int key = 3 + LONGEST_MODEL_ID + 4 * GradientReports.MAX_ID_BYTES;
    assertThat(new AccountingEventWriter().write(event).length + key + RECORD_OVERHEAD)
        .isBetween(Ledger.MAX_EVENT_BYTES / 2, Ledger.MAX_EVENT_BYTES);
    assertThat(fill(GuaranteeEvent.newBuilder()).getSerializedSize() + key + RECORD_OVERHEAD)
        .isLessThan(Ledger.MAX_EVENT_BYTES);
  }

  @Test
  void aRefusalNamesTheStrongestOfAMillionTaus() {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setModelId("m").setDimension(2);
    CoordinateLaplace.Builder taus =
        spec.getBancoBuilder().getStrongestNoiseBuilder().getCoordinateLaplaceBuilder();
    DoubleStream.iterate(1.0, tau -> tau + 0.125).limit(1_000_000).forEach(taus::addTaus);
    taus.setTaus(777_777, 0.5);
    AdmissionRules rules = TestReports.rules(spec.build(), false, true);

    AccountingEvent event =
        new Ledger().judge(TestReports.undisclosed(1).build(), rules, new MapAccount());

    assertThat(event.getReason())
        .isEqualTo(
            "declaration is undisclosed: the noise must be disclosed and no stronger than the"
                + " model's strongest_noise, coordinate_laplace { taus: 0.5 }");
  }

  @Test
  void aReasonThatIsTooLongIsTruncated() {
    assertThat(new Judgement(DUPLICATE, "because ".repeat(1000)).reason())
        .hasSize(1000)
        .startsWith("because because ")
        .endsWith("...");
    assertThat(new Judgement(DUPLICATE, "r".repeat(1000)).reason()).isEqualTo("r".repeat(1000));
  }
}
