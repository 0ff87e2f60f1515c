package io.croupier.operators.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.schemas.Central;
import io.croupier.schemas.GradientReport;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Which reports are read without Protobuf's classes. {@link ReportDecoderFuzzTest} compares what is
 * read with the contract.
 */
class OrdinaryReaderTest {
  private static final Source SOURCE = new Source("gradients", 1, 42, 9);

  private final OrdinaryReader.Repeated repeated = new OrdinaryReader.Repeated();

  private static GradientReport.Builder envelope() {
    return GradientReport.newBuilder()
        .setModelId("m")
        .setRound(300)
        .setUserId("u")
        .setDeviceId("d")
        .setSequence(Long.MAX_VALUE);
  }

  private static GradientReport.Builder onTheGrid() {
    GradientReport.Builder report = envelope();
    report.getGridBuilder().addValues(-7).addValues(1 << 30);
    report.getGaussianBuilder().setMu(0.5);
    return report;
  }

  private static GradientReport.Builder candidate() {
    GradientReport.Builder report = envelope();
    report.getCandidateBuilder().setDimension(100).setSeed(-1).setIndex(255);
    report.getPrivUnitBuilder().setEpsilon(1).setCandidates(256).setTop(128);
    return report;
  }

  private Report read(GradientReport.Builder report) {
    return read(report.build().toByteArray());
  }

  private Report read(byte[] bytes) {
    return new OrdinaryReader(bytes, repeated).read(7, SOURCE);
  }

  @Test
  void readsReportsOnTheGrid() {
    assertRead(onTheGrid().setCreatedAtMs(1_700_000_000_000L).setGradientBound(2));
    GradientReport.Builder laplace = onTheGrid();
    laplace.getL2LaplaceBuilder().setEpsilon(0.1);
    assertRead(laplace);
  }

  private void assertRead(GradientReport.Builder report) {
    assertThat(read(report))
        .usingRecursiveComparison()
        .isEqualTo(MessageReader.read(report.build(), 7, SOURCE));
  }

  @Test
  void readsCandidates() {
    assertRead(candidate());
  }

  @Test
  void repeatsTheNameOfTheLastModelAlone() {
    assertThat(read(onTheGrid().setModelId("mm")).header().modelId()).isEqualTo("mm");
    assertThat(read(onTheGrid()).header().modelId()).isEqualTo("m");
    assertThat(read(onTheGrid().setModelId("")) == null).isTrue();
    assertThat(read(onTheGrid()).header().modelId()).isEqualTo("m");
    assertThat(read(onTheGrid().clearModelId()) == null).isTrue();
  }

  @Test
  void leavesAllOthersToTheView() {
    GradientReport.Builder dense = envelope();
    dense.getDenseBuilder().addValues(1);
    dense.getGaussianBuilder().setMu(1);
    GradientReport.Builder sparse = envelope();
    sparse.getSparseBuilder().setDimension(1).addIndices(0).addValues(1);
    for (GradientReport.Builder other :
        new GradientReport.Builder[] {
          dense,
          sparse,
          onTheGrid().setCentral(Central.getDefaultInstance()),
          onTheGrid().clearGaussian(),
          onTheGrid().clearGrid(),
          onTheGrid().clearRound(),
          onTheGrid().clearSequence(),
          onTheGrid().setRound(-1),
          onTheGrid().setUserId("\u00eb"),
          onTheGrid().setUserId(""),
          onTheGrid().setModelId("a b"),
          onTheGrid().setPrivUnit(candidate().getPrivUnit()),
          candidate().setGaussian(onTheGrid().getGaussian()),
          candidate().setGradientBound(-1),
        }) {
      assertThat(read(other) == null).as(other.toString()).isTrue();
    }
    GradientReport.Builder beyond = candidate();
    beyond.getCandidateBuilder().setIndex(256);
    assertThat(read(beyond) == null).isTrue();
    byte[] twice =
        onTheGrid().build().toByteString().concat(onTheGrid().build().toByteString()).toByteArray();
    assertThat(read(twice) == null).isTrue();
  }

  /** A truncated report must not be read as another one. */
  @Test
  void readsNoPartOfAReport() {
    for (GradientReport.Builder report : new GradientReport.Builder[] {onTheGrid(), candidate()}) {
      ByteString whole = report.build().toByteString();
      for (int length = 0; length < whole.size(); length++) {
        assertThat(read(whole.substring(0, length).toByteArray()) == null).isTrue();
      }
    }
  }

  @Test
  void neverThrows() {
    Random random = new Random(3);
    for (int n = 0; n < 100_000; n++) {
      byte[] bytes = candidate().build().toByteArray();
      for (int flips = 0; flips < 3; flips++) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      read(bytes);
    }
  }
}
