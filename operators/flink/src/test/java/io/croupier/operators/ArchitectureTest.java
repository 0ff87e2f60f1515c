package io.croupier.operators;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.elements.ClassesShould;
import io.croupier.operators.anonymous.TokenedReport;
import io.croupier.operators.anonymous.WindowToken;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.UserAccount;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.TokenContent;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grant;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.WindowGuarantee;
import io.croupier.schemas.view.GradientReportView;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.apache.flink.metrics.MetricGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The dependencies between packages: mathematics without Flink, Flink without mathematics, no
 * dependency upwards.
 */
@Tag("ci")
class ArchitectureTest {
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          // Those of the core, if the build has packed them.
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("io.croupier");

  /** Classes of packages, which must not do what follows. */
  private static ClassesShould classesOf(String... packages) {
    return noClasses().that().resideInAnyPackage(packages).should();
  }

  private static void assertIndependent(String of, String... others) {
    classesOf(of).dependOnClassesThat().resideInAnyPackage(others).check(OURS);
  }

  @Test
  void onlyTheFlinkPackageDependsOnFlink() {
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
  void operatorsDependNeitherOnKafkaNorOnTheirUsers() {
    assertIndependent(
        "io.croupier.operators..",
        "org.apache.kafka..",
        "io.croupier.client..",
        "io.croupier.job..",
        "io.croupier.cli..");
  }

  /** The checks at a start serve both operators, and neither operator needs the other one. */
  @Test
  void ledgerAndLearnerDependOnRestartAndNotOnEachOther() {
    String flink = "io.croupier.operators.flink";
    assertIndependent(flink + ".ledger", flink + ".learner");
    assertIndependent(flink + ".learner", flink + ".ledger");
    for (String shared : List.of(flink, flink + ".restart", flink + ".shuffle")) {
      assertIndependent(shared, flink + ".ledger", flink + ".learner");
    }
  }

  @Test
  void mathematicsDependsNeitherOnLearnersNorOnAccounts() {
    assertIndependent(
        "io.croupier.operators.math..",
        "io.croupier.operators.learner..",
        "io.croupier.operators.ledger..");
  }

  /**
   * A replay on another machine must give the same bits, and a recomputed account the same units;
   * the functions of Math may differ between platforms.
   */
  @Test
  void learnersAndAccountsUseFunctionsThatAreEqualOnAllPlatforms() {
    classesOf(
            "io.croupier.operators.learner..",
            "io.croupier.operators.clip..",
            "io.croupier.operators.report..",
            "io.croupier.operators.central..",
            "io.croupier.operators.ledger..")
        .callMethodWhere(
            target(owner(type(Math.class)))
                .and(
                    target(
                        nameMatching("exp|expm1|log|log1p|log10|pow|sin|cos|tan|sinh|cosh|tanh"))))
        .check(OURS);
  }

  /**
   * The noise can be reviewed by itself: it depends neither on Flink nor on records nor on
   * learners.
   */
  @Test
  void centralNoiseIsPureMathematics() {
    classes()
        .that()
        .resideInAPackage("io.croupier.operators.central")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    "java..",
                    "io.croupier.noise..",
                    "io.croupier.accounting..",
                    "io.croupier.operators.central",
                    "org.apache.commons.math3..")
                .or(assignableTo(LearnerState.class))
                .or(type(LearnerState.Visitor.class)))
        .check(OURS);
  }

  /** No public method accepts noise, bits or a generator: a release creates them with its state. */
  @Test
  void noPublicMethodAcceptsCentralNoise() {
    noCodeUnits()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(resideInAPackage("io.croupier.operators.central"))
        .and()
        .areDeclaredInClassesThat(modifier(JavaModifier.PUBLIC))
        .should()
        .haveRawParameterTypes(
            describe(
                "of noise",
                types ->
                    types.stream()
                        .anyMatch(
                            t ->
                                t.getPackageName().startsWith("io.croupier.noise")
                                    || t.getSimpleName().equals("NodeNoise"))))
        .check(OURS);
  }

  /** Central weights are post-processing: they follow from noisy prefix sums alone. */
  @Test
  void centralUpdatesUseNoReportsNoAccountsAndNoRandomness() {
    classesOf("io.croupier.operators.central.ftrl..")
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.flink..",
            "io.croupier.operators.flink..",
            "io.croupier.operators.report..",
            "io.croupier.operators.ledger..",
            "io.croupier.operators.central")
        .orShould()
        .dependOnClassesThat(assignableTo(Random.class))
        .orShould()
        .dependOnClassesThat(assignableTo(RandomGenerator.class))
        .check(OURS);
  }

  @Test
  void theWireContractHasNoDependencies() {
    assertIndependent(
        "io.croupier.schemas..",
        "org.apache.flink..",
        "org.apache.kafka..",
        "io.croupier.operators..",
        "io.croupier.client..",
        "io.croupier.job..",
        "io.croupier.cli..");
  }

  /** What reads anonymous reports knows neither accounts nor records that name a user. */
  @Test
  void nothingAfterTheAnonymousTopicCanNameAUser() {
    String[] anonymous = {
      "io.croupier.operators.anonymous..", "io.croupier.operators.flink.spend.."
    };
    classesOf(anonymous)
        .dependOnClassesThat()
        .belongToAnyOf(
            UserAccount.class,
            Ledger.class,
            GradientReport.class,
            GradientReportView.class,
            Grant.class,
            AccountingEvent.class,
            AccountingKey.class)
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("io.croupier.operators.flink.ledger..")
        .check(OURS);
    for (String part : List.of("userId", "deviceId", "sequence", "createdAtMs")) {
      classesOf(anonymous).callMethod(Header.class, part).check(OURS);
    }
    classesOf(anonymous)
        .dependOnClassesThat()
        .belongToAnyOf(TokenContent.class)
        .orShould()
        .callMethod(Report.class, "digest")
        .check(OURS);
  }

  /** What admits anonymous reports logs nothing, and its metrics have no labels of a report. */
  @Test
  void noLogAndNoMetricJoinsAGrantWithAReport() {
    classesOf("io.croupier.operators.anonymous..", "io.croupier.operators.flink.spend..")
        .dependOnClassesThat()
        .resideInAPackage("org.slf4j..")
        .orShould()
        .callMethod(MetricGroup.class, "addGroup", String.class)
        .orShould()
        .callMethod(MetricGroup.class, "addGroup", String.class, String.class)
        .check(OURS);
    noClasses()
        .that(
            describe(
                "read grants",
                type ->
                    type.getDirectDependenciesFromSelf().stream()
                        .anyMatch(other -> other.getTargetClass().isEquivalentTo(Grant.class))))
        .and()
        .resideOutsideOfPackage("io.croupier.schemas..")
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(AnonymousReport.class, WindowToken.class, TokenedReport.class)
        .check(OURS);
  }

  @Test
  void recordsAfterTheAnonymousTopicHaveNoUser() {
    assertThat(AnonymousReport.getDescriptor().getFields())
        .extracting(FieldDescriptor::getName)
        .containsExactly(
            "model_id",
            "round",
            "token",
            "padding",
            "candidate",
            "answer",
            "priv_unit",
            "randomised_response");
    for (Descriptor guarantee :
        List.of(GuaranteeEvent.getDescriptor(), WindowGuarantee.getDescriptor())) {
      assertThat(guarantee.getFields())
          .extracting(FieldDescriptor::getName)
          .noneMatch(name -> name.matches(".*(user|device|sequence|nonce|token).*"));
    }
    assertThat(RoundSum.class.getFields())
        .extracting(Field::getName)
        .noneMatch(name -> name.matches("(?i).*(user|device|sequence|nonce|token).*"));
  }
}
