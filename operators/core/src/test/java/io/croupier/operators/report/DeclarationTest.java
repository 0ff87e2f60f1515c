package io.croupier.operators.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.math.PackedVectors;
import java.nio.DoubleBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeclarationTest {
  /** A report of valid parameters, whatever its declaration. */
  private static Report report(Declaration declaration) {
    Report report = new Report();
    report.declaration = declaration;
    report.level = 0.5;
    report.candidates = 256;
    report.top = 100;
    report.dimension = 1;
    report.taus = PackedVectors.encode(new double[] {0.5});
    return report;
  }

  @Test
  void everyMechanismHasADeclaration() {
    Set<Class<?>> declared = new HashSet<>();
    for (Declaration declaration : Declaration.values()) {
      declared.add(Declaration.of(report(declaration)).getClass());
    }
    assertThat(declared)
        .hasSameSizeAs(Declaration.values())
        .containsExactlyInAnyOrder(Mechanism.class.getPermittedSubclasses());
  }

  @ParameterizedTest
  @EnumSource
  void reportsKeepAMechanism(Declaration declaration) {
    Mechanism mechanism = Declaration.of(report(declaration));
    Report report = new Report();
    report.dimension = 1;
    Declaration.declare(mechanism, report);
    assertThat(report.declaration).isEqualTo(declaration);
    Mechanism read = Declaration.of(report);
    assertThat(read.getClass()).isEqualTo(mechanism.getClass());
    assertThat(read.level()).isEqualTo(mechanism.level());
    assertThat(read.cost()).isEqualTo(mechanism.cost());
  }

  @Test
  void everyClipIsDeclared() {
    for (DeclaredClip clip : DeclaredClip.values()) {
      Report report = new Report();
      Declaration.declare(
          new CoordinateLaplaceMechanism(DoubleBuffer.wrap(new double[] {1}), clip, 0), report);
      assertThat(((CoordinateLaplaceMechanism) Declaration.of(report)).clip()).isEqualTo(clip);
    }
  }
}
