package io.croupier.noise;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reproducible noise protects nothing. */
@Tag("ci")
class ArchitectureTest {
  private static final JavaClasses NOISE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.croupier.noise");

  private static final DescribedPredicate<JavaClass> INTEGERS =
      JavaClass.Predicates.assignableTo(UniformIntegers.class);

  @Test
  void dependsOnNothing() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "javax.crypto..", "io.croupier.noise..")
        .check(NOISE);
  }

  /**
   * Parameters of a law are allowed; suppliers, keys and long values are not. Candidate vectors and
   * groups protect nothing: their seed is in the report.
   */
  @Test
  void nothingPublicTakesBitsKeysOrSeeds() {
    assertThat(NOISE.stream().map(JavaClass::getSimpleName))
        .contains("SecureBits", "ExactNoise", "NoiseSource", "UniformIntegers");
    List<String> harmless = List.of("int", "double", SecureBits.class.getName());
    noCodeUnits()
        .that()
        .arePublic()
        .and()
        .areNotDeclaredIn(CandidateVectors.class)
        .and()
        .areNotDeclaredIn(SeededGroups.class)
        .and()
        .areDeclaredInClassesThat(DescribedPredicate.not(INTEGERS))
        .should()
        .haveRawParameterTypes(otherThan(harmless))
        .check(NOISE);
    // Bounds and thresholds; what makes an instance takes no number.
    noCodeUnits()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(INTEGERS)
        .should()
        .haveRawParameterTypes(otherThan(List.of("long", SecureBits.class.getName())))
        .check(NOISE);
    assertThat(UniformIntegers.class.getConstructors()).isEmpty();
  }

  private static DescribedPredicate<List<JavaClass>> otherThan(List<String> harmless) {
    return DescribedPredicate.describe(
        "other than " + harmless,
        types -> !harmless.containsAll(types.stream().map(HasName::getName).toList()));
  }

  @Test
  void onlyTheOperatingSystemSeedsAGenerator() {
    noClasses()
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.belongToAnyOf(
                Random.class, SplittableRandom.class, ThreadLocalRandom.class))
        .check(NOISE);
    noClasses()
        .should()
        .callMethod(SecureBits.class, "insecureForTestsOnly", byte[].class)
        .orShould()
        .callMethod(SecureBits.class, "copyForTestsOnly")
        .check(NOISE);
  }
}
