package io.croupier.operators;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Who may know whom: mathematics without Flink, Flink without mathematics, nobody looks up. */
class ArchitectureTest {
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.croupier");

  @Test
  void onlyTheFlinkPackageKnowsFlink() {
    noClasses()
        .that()
        .resideInAPackage("io.croupier.operators..")
        .and()
        .resideOutsideOfPackage("io.croupier.operators.flink..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.flink..", "io.croupier.operators.flink..")
        .check(OURS);
  }

  @Test
  void operatorsKnowNothingOfKafkaNorOfWhoUsesThem() {
    noClasses()
        .that()
        .resideInAPackage("io.croupier.operators..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.kafka..", "io.croupier.client..", "io.croupier.job..", "io.croupier.cli..")
        .check(OURS);
  }

  @Test
  void mathematicsKnowsNeitherLearnersNorAccounts() {
    noClasses()
        .that()
        .resideInAPackage("io.croupier.operators.math..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.croupier.operators.learner..", "io.croupier.operators.accounting..")
        .check(OURS);
  }

  /**
   * A replay elsewhere has to come to the same bits; Math's may differ from platform to platform.
   */
  @Test
  void learnersTakeFunctionsThatAllPlatformsAgreeOn() {
    noClasses()
        .that()
        .resideInAnyPackage("io.croupier.operators.learner..", "io.croupier.operators.noise..")
        .should()
        .callMethodWhere(
            target(owner(type(Math.class)))
                .and(
                    target(
                        nameMatching("exp|expm1|log|log1p|log10|pow|sin|cos|tan|sinh|cosh|tanh"))))
        .check(OURS);
  }

  @Test
  void theWireContractKnowsNobody() {
    noClasses()
        .that()
        .resideInAPackage("io.croupier.schemas..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.flink..",
            "org.apache.kafka..",
            "io.croupier.operators..",
            "io.croupier.client..",
            "io.croupier.job..",
            "io.croupier.cli..")
        .check(OURS);
  }
}
