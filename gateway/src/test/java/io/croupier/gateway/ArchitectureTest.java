package io.croupier.gateway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.croupier.operators.anonymous.TokenedReport;
import io.croupier.operators.anonymous.WindowToken;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.Grant;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The gateway judges by the job's code, and runs without Flink. */
@Tag("ci")
class ArchitectureTest {
  private static final JavaClasses GATEWAY =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.croupier.gateway");

  @Test
  void dependsNeitherOnFlinkNorOnTheJobNorOnCommands() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.flink..",
            "io.croupier.operators.flink..",
            "io.croupier.job..",
            "io.croupier.cli..",
            "io.croupier.broker..")
        .check(GATEWAY);
  }

  /** A gateway takes reports; it draws no noise and keeps no device's ledger. */
  @Test
  void isNoDevice() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.croupier.client.ledger..", "io.croupier.client.randomiser..")
        .check(GATEWAY);
  }

  @Test
  void secretsComeFromTheOperatingSystem() {
    noClasses()
        .should()
        .dependOnClassesThat(
            com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf(
                Random.class, SplittableRandom.class, ThreadLocalRandom.class))
        .check(GATEWAY);
  }

  @Test
  void packagesFormNoCycle() {
    SlicesRuleDefinition.slices()
        .matching("io.croupier.gateway.(*)..")
        .should()
        .beFreeOfCycles()
        .check(GATEWAY);
  }

  /** What takes an anonymous report doesn't know whose requests there are. */
  @Test
  void anonymousReportsHaveNoSender() {
    noClasses()
        .that()
        .haveSimpleNameStartingWith("AnonymousCheck")
        .or()
        .haveSimpleNameStartingWith("AnonymousEndpoint")
        .or()
        .haveSimpleNameStartingWith("ObliviousEndpoint")
        .should()
        .dependOnClassesThat()
        .haveSimpleName("Senders")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("io.croupier.gateway.identity..")
        .orShould()
        .dependOnClassesThat()
        .haveSimpleName("Answers")
        .check(GATEWAY);
  }

  /**
   * No class knows both, so no log can join them: what reads a grant doesn't read anonymous
   * reports. Metrics know no record at all.
   */
  @Test
  void noLogAndNoMetricJoinsAGrantWithAReport() {
    noClasses()
        .that(
            describe(
                "read grants",
                type ->
                    type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(other -> other.getTargetClass().isEquivalentTo(Grant.class))))
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(AnonymousReport.class, WindowToken.class, TokenedReport.class)
        .check(GATEWAY);
    noClasses()
        .that()
        .haveSimpleName("GatewayMetrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.croupier.schemas..",
            "io.croupier.operators..",
            "io.croupier.client..",
            "io.croupier.gateway.anonymous..",
            "io.croupier.gateway.identity..")
        .check(GATEWAY);
    noClasses()
        .that()
        .haveSimpleNameStartingWith("AnonymousCheck")
        .or()
        .haveSimpleName("StoredNonces")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.slf4j..")
        .check(GATEWAY);
  }
}
