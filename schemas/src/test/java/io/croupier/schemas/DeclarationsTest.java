package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.schemas.view.CoordinateLaplaceView;
import io.croupier.schemas.view.GradientReportView;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DeclarationsTest {
  private static final double[] TAUS = {0.3, 0.4};

  static List<Mechanism> mechanisms() {
    return List.of(
        UndisclosedNoise.UNDISCLOSED,
        new L2LaplaceMechanism(0.1, 2),
        new CoordinateLaplaceMechanism(DoubleBuffer.wrap(TAUS), DeclaredClip.L2, 0),
        new GaussianMechanism(0.2),
        CentralNoise.CENTRAL,
        new PrivUnitMechanism(0.5, 256, 100),
        new RandomisedResponseMechanism(0.3, true),
        new HashedResponseMechanism(0.3, 4));
  }

  @Test
  void everyMechanismHasAFieldAndEveryFieldAMechanism() {
    assertThat(mechanisms().stream().map(Object::getClass).toList())
        .hasSameElementsAs(Arrays.asList(Mechanism.class.getPermittedSubclasses()));
    String names = mechanisms().stream().map(Mechanism::name).collect(Collectors.joining(", "));
    assertThat(Declarations.names(GradientReport.getDescriptor())).isEqualTo(names);
    assertThat(Declarations.names(GradientReportView.getDescriptor())).isEqualTo(names);
    assertThat(Declarations.names(AccountingEvent.getDescriptor())).isEqualTo(names);
    // BANCO knows no bound on the others.
    assertThat(Declarations.names(StrongestNoise.getDescriptor()).split(", "))
        .containsExactlyInAnyOrder(
            "l2_laplace", "coordinate_laplace", "gaussian", "priv_unit", "sub_exponential");
    assertThat(Declarations.onDevices().map(FieldDescriptor::getJsonName))
        .containsExactly(
            "undisclosed",
            "l2Laplace",
            "coordinateLaplace",
            "gaussian",
            "privUnit",
            "randomisedResponse",
            "hashedResponse");
  }

  @ParameterizedTest
  @MethodSource("mechanisms")
  void recordsKeepADeclaration(Mechanism mechanism) {
    List<Message.Builder> records =
        List.of(GradientReport.newBuilder(), GradientReportView.newBuilder());
    for (Message.Builder record : records) {
      Declarations.declare(mechanism, record);
      Mechanism read = Declarations.of(Declarations.declared(record), 2);
      assertThat(read.name()).isEqualTo(mechanism.name());
      assertThat(read.level()).isEqualTo(mechanism.level());
      assertThat(read.cost()).isEqualTo(mechanism.cost());
      if (record.build() instanceof GradientReportView view) {
        assertThat(Declarations.declared(view)).isSameAs(Declarations.declared(record));
      }
      if (mechanism instanceof CoordinateLaplaceMechanism taus) {
        assertThat(((CoordinateLaplaceMechanism) read).taus()).isEqualTo(taus.taus());
        assertThat(((CoordinateLaplaceMechanism) read).clip()).isEqualTo(DeclaredClip.L2);
      } else {
        assertThat(read).isEqualTo(mechanism);
      }
    }
  }

  /** An account can be recomputed from the events alone. */
  @ParameterizedTest
  @MethodSource("mechanisms")
  void eventsCostWhatTheirReportsDo(Mechanism mechanism) {
    AccountingEvent.Builder event = AccountingEvent.newBuilder();
    Declarations.declare(mechanism, event);
    assertThat(AccountingEvents.cost(event)).isEqualTo(mechanism.cost());
    AccountingEvent.Builder reflected = AccountingEvent.newBuilder();
    Declarations.declare(mechanism, (Message.Builder) reflected);
    assertThat(event.build()).isEqualTo(reflected.build());
    assertThat(Declarations.declared(event))
        .isEqualTo(Declarations.declared((MessageOrBuilder) event))
        .isNotNull();
  }

  @Test
  void coordinatesWithoutATauAreOpen() {
    Message declared = CoordinateLaplace.newBuilder().addTaus(1).addTaus(2).build();
    assertThat(Declarations.of(declared, 5).cost().isUnbounded()).isTrue();
    assertThat(Declarations.of(declared, 2).cost().isUnbounded()).isFalse();
    assertThat(Declarations.of(declared, 0).cost().isUnbounded()).isFalse();
  }

  @Test
  void tausMayComeInSeveralRuns() {
    GradientReportView.Builder view = GradientReportView.newBuilder();
    Declarations.declare(mechanisms().get(2), view);
    CoordinateLaplaceView one = view.getCoordinateLaplace();
    CoordinateLaplaceView two =
        CoordinateLaplaceView.newBuilder()
            .addTaus(one.getTaus(0).substring(0, Double.BYTES))
            .addTaus(one.getTaus(0).substring(Double.BYTES))
            .build();
    assertThat(((CoordinateLaplaceMechanism) Declarations.of(two, 2)).taus())
        .isEqualTo(DoubleBuffer.wrap(TAUS));
    byte[] joined = one.getTaus(0).toByteArray();
    CoordinateLaplaceMechanism shared =
        (CoordinateLaplaceMechanism) Declarations.of(one, joined, 3);
    assertThat(shared.taus()).isEqualTo(DoubleBuffer.wrap(TAUS));
    assertThat(shared.clip()).isEqualTo(DeclaredClip.L2);
    assertThat(shared.openCoordinates()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "l2_laplace {} | l2_laplace.epsilon is missing: it must be a finite number above 0 | l2Laplace.epsilon is missing: it must be a finite number above 0",
        "gaussian { mu: nan } | gaussian.mu is NaN: it must be a finite number above 0 | gaussian.mu is NaN: it must be a finite number above 0",
        "coordinate_laplace { taus: [1, 0] } | coordinate_laplace.taus[1] is 0.0: it must be above 0 (Infinity: not private) | coordinateLaplace.taus[1] is 0.0: it must be above 0 (Infinity: not private)",
        "coordinate_laplace { clip: 3 } | coordinate_laplace.clip is 3: it must be L2, COORDINATES or left out | coordinateLaplace.clip is 3: it must be L2, COORDINATES or left out",
      })
  void violationsNameTheFieldAsTheReaderKnowsIt(String text, String inRecords, String inJson)
      throws TextFormat.ParseException {
    GradientReport report = TextFormat.parse(text, GradientReport.class);
    assertThat(Declarations.violations(report, FieldDescriptor::getName))
        .extracting(Violation::sentence)
        .containsExactly(inRecords);
    assertThat(Declarations.violations(report, FieldDescriptor::getJsonName))
        .extracting(Violation::sentence)
        .containsExactly(inJson);
  }

  @Test
  void onlyMechanismsAreDeclared() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Declarations.of(SubExponential.getDefaultInstance(), 1))
        .withMessage("SubExponential is no mechanism");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Declarations.declare(CentralNoise.CENTRAL, StrongestNoise.newBuilder()))
        .withMessage("StrongestNoise declares no central");
    assertThat(Declarations.declared(GradientReport.getDefaultInstance())).isNull();
    assertThat(Declarations.declared(GradientReportView.getDefaultInstance())).isNull();
    assertThat(Declarations.declared(AccountingEvent.getDefaultInstance())).isNull();
  }
}
