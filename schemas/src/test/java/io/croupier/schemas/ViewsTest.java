package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.ModelUpdateView;
import io.croupier.schemas.view.VectorView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The views and the contract are two readings of the same bytes. */
class ViewsTest {
  private static final long SEED = 5;
  private final Random random = new Random(SEED);

  @Test
  void everyFieldOfAViewHasItsNumberAndNameFromTheContract() {
    sameFields(GradientReport.getDescriptor(), GradientReportView.getDescriptor());
    sameFields(ModelUpdate.getDescriptor(), ModelUpdateView.getDescriptor());
    sameFields(
        Sparse.getDescriptor(),
        GradientReportView.getDescriptor().findFieldByName("sparse").getMessageType());
    sameFields(
        Example.getDescriptor(),
        GradientReportView.getDescriptor().findFieldByName("example").getMessageType());
    sameFields(
        CoordinateLaplace.getDescriptor(),
        GradientReportView.getDescriptor().findFieldByName("coordinate_laplace").getMessageType());
  }

  private static void sameFields(Descriptor contract, Descriptor view) {
    assertThat(view.getFields())
        .extracting(FieldDescriptor::getName)
        .containsExactlyElementsOf(
            contract.getFields().stream().map(FieldDescriptor::getName).toList());
    for (FieldDescriptor field : contract.getFields()) {
      assertThat(view.findFieldByName(field.getName()).getNumber()).isEqualTo(field.getNumber());
    }
  }

  @Test
  void reportsReadTheSameBothWays() throws InvalidProtocolBufferException {
    for (int n = 0; n < 300; n++) {
      GradientReport report = report();
      GradientReportView view = GradientReportView.parseFrom(report.toByteArray());
      assertThat(noUnknown(view)).as("seed %s, report %s", SEED, n).isTrue();
      assertThat(view.toByteArray()).isEqualTo(report.toByteArray());
      assertThat(GradientReport.parseFrom(view.toByteArray())).isEqualTo(report);
      if (report.hasDense()) {
        assertThat(doubles(view.getDense().getValues(0)))
            .containsExactly(array(report.getDense().getValuesList()));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gradient_bound: 2 answer { question: 'a' bit: false } randomised_response { epsilon: 1 }",
        "vote { statistic: 's' seed: 7 index: 1 } hashed_response { epsilon: 1 groups: 4 }",
        "candidate { dimension: 2 seed: 18446744073709551615 index: 63 }"
            + " priv_unit { epsilon: 1 candidates: 64 top: 24 }",
      })
  void aViewHoldsTheSameFields(String text) throws InvalidProtocolBufferException {
    GradientReport report = Texts.report(text);
    assertThat(GradientReports.violations(report)).isEmpty();
    GradientReportView view = GradientReportView.parseFrom(report.toByteArray());
    assertThat(noUnknown(view)).isTrue();
    // What is no vector has the type of the contract.
    for (FieldDescriptor field : report.getAllFields().keySet()) {
      assertThat(view.getField(view.getDescriptorForType().findFieldByName(field.getName())))
          .isEqualTo(report.getField(field));
    }
  }

  @Test
  void updatesReadTheSameBothWays() throws InvalidProtocolBufferException {
    for (int n = 0; n < 300; n++) {
      ModelUpdate.Builder builder = ModelUpdate.newBuilder().setModelId("m").setRound(n);
      int dimension = 1 + random.nextInt(20);
      for (int i = 0; i < dimension; i++) {
        builder.addWeights(random.nextGaussian()).addAverage(random.nextGaussian());
      }
      ModelUpdate update = builder.setGridExponent(-n).putDiagnostics("magnitude", n).build();
      ModelUpdateView view = ModelUpdateView.parseFrom(update.toByteArray());
      assertThat(noUnknown(view)).isTrue();
      assertThat(view.toByteArray()).isEqualTo(update.toByteArray());
      assertThat(doubles(view.getWeights(0))).containsExactly(array(update.getWeightsList()));
      assertThat(doubles(view.getAverage(0))).containsExactly(array(update.getAverageList()));
    }
  }

  @Test
  void aWriterMayUseTheViewAsWell() throws InvalidProtocolBufferException {
    ByteBuffer values = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    values.putDouble(0, 0.5).putDouble(8, -0.25);
    GradientReportView view =
        GradientReportView.newBuilder()
            .setDense(VectorView.newBuilder().addValues(ByteString.copyFrom(values)))
            .setUndisclosed(Undisclosed.getDefaultInstance())
            .build();
    assertThat(GradientReport.parseFrom(view.toByteArray()).getDense().getValuesList())
        .containsExactly(0.5, -0.25);
  }

  private GradientReport report() {
    GradientReport.Builder report =
        GradientReport.newBuilder()
            .setModelId("m")
            .setUserId("u")
            .setRound(random.nextLong())
            .setSequence(random.nextInt());
    int dimension = 1 + random.nextInt(20);
    for (int i = 0; i < dimension; i++) {
      double value = random.nextGaussian();
      switch (dimension % 4) {
        case 0 -> report.getDenseBuilder().addValues(value);
        case 1 -> report.getGridBuilder().addValues(random.nextInt());
        case 2 ->
            report
                .getSparseBuilder()
                .setDimension(1000)
                .addIndices(random.nextInt())
                .addValues(value);
        default -> report.getExampleBuilder().addX(value).setY(value);
      }
      if (dimension % 3 == 0) {
        report.getCoordinateLaplaceBuilder().addTaus(Math.abs(value)).setClipValue(dimension % 5);
      }
    }
    return report.build();
  }

  private static boolean noUnknown(Message message) {
    return message.getUnknownFields().asMap().isEmpty()
        && message.getAllFields().values().stream()
            .allMatch(value -> !(value instanceof Message part) || noUnknown(part));
  }

  private static double[] doubles(ByteString bytes) {
    double[] values = new double[bytes.size() / Double.BYTES];
    bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(values);
    return values;
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
