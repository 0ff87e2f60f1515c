package io.croupier.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.croupier.client.ohttp.ObliviousKey;
import io.croupier.client.randomiser.Randomiser;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The client's dependencies stay small. */
@Tag("ci")
class ArchitectureTest {
  private static final JavaClasses CLIENT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.croupier.client");

  private static void assertDependsOnly(String part, String... others) {
    classes()
        .that()
        .resideInAPackage(part)
        .should()
        .onlyDependOnClassesThat(
            JavaClass.Predicates.resideInAPackage(part)
                .or(JavaClass.Predicates.resideInAnyPackage(others)))
        .check(CLIENT);
  }

  private static void assertKnowsNothingOfKafka(String part) {
    noClasses()
        .that()
        .resideInAPackage(part)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.croupier.client", "org.apache.kafka..")
        .check(CLIENT);
  }

  @Test
  void importsNothingButRecordsKafkaJsonAndLogging() {
    assertDependsOnly(
        "io.croupier.client..",
        "java..",
        "javax.crypto..",
        "io.croupier.schemas..",
        "io.croupier.accounting..",
        "io.croupier.noise..",
        "com.google.protobuf..",
        "com.google.gson.stream..",
        "org.apache.kafka.clients..",
        "org.apache.kafka.common..",
        "org.slf4j..");
  }

  /** Devices that report over a gateway have no Kafka on their class path. */
  @Test
  void onlyTheTransportAndTheSubscriberOfKafkaUseKafka() {
    classes()
        .that(
            JavaClass.Predicates.resideInAPackage("io.croupier.client..")
                .and(
                    DescribedPredicate.not(
                        JavaClass.Predicates.belongToAnyOf(
                            KafkaReportTransport.class, ModelSubscriber.class))))
        .should()
        .onlyDependOnClassesThat(
            DescribedPredicate.not(
                JavaClass.Predicates.resideInAPackage("org.apache.kafka..")
                    .or(
                        JavaClass.Predicates.belongToAnyOf(
                            KafkaReportTransport.class, ModelSubscriber.class))))
        .check(CLIENT);
  }

  @Test
  void randomisersKnowNothingOfKafka() {
    assertKnowsNothingOfKafka("io.croupier.client.randomiser..");
  }

  /** Noise from a known generator state protects nothing. */
  @Test
  void noCallerChoosesTheBitsOfARandomiser() {
    List<JavaClass> randomisers =
        CLIENT.stream().filter(type -> type.isAssignableTo(Randomiser.class)).toList();
    assertThat(randomisers).hasSizeGreaterThan(Randomiser.class.getPermittedSubclasses().length);
    for (JavaClass randomiser : randomisers) {
      assertThat(randomiser.reflect().getConstructors())
          .allSatisfy(
              constructor ->
                  assertThat(constructor.getParameterTypes())
                      .doesNotContain(LongSupplier.class, byte[].class));
    }
  }

  /** Neither a method nor a class that could be used for this purpose accepts bits. */
  @Test
  void nothingPublicTakesBits() {
    noCodeUnits()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(
            JavaClass.Predicates.resideInAPackage("io.croupier.client.randomiser")
                .and(HasModifiers.Predicates.modifier(JavaModifier.PUBLIC)))
        .should()
        .haveRawParameterTypes(
            DescribedPredicate.describe(
                "of bits",
                types ->
                    types.stream()
                        .anyMatch(
                            type ->
                                type.isAssignableTo(LongSupplier.class)
                                    || type.isEquivalentTo(byte[].class))))
        .check(CLIENT);
  }

  @Test
  void onlyTheOperatingSystemSeedsAGenerator() {
    noClasses()
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.belongToAnyOf(
                Random.class, SplittableRandom.class, ThreadLocalRandom.class))
        .check(CLIENT);
  }

  /** The gateway and the job use tokens, too. */
  @Test
  void tokensKnowNothingOfReports() {
    assertDependsOnly(
        "io.croupier.client.token..", "java..", "javax.crypto..", "com.google.protobuf..");
  }

  /** The gateway uses it, too. */
  @Test
  void obliviousHttpKnowsNothingOfReports() {
    assertDependsOnly(
        "io.croupier.client.ohttp..", "java..", "javax.crypto..", "com.google.protobuf..");
  }

  /** A program that uses only the public API needs no import of another package. */
  @Test
  void thePublicApiNamesNoInternalClass() {
    for (JavaClass type : CLIENT) {
      boolean isApi =
          type.getModifiers().contains(JavaModifier.PUBLIC)
              && !type.getPackageName().matches("io.croupier.client.(token|ohttp)");
      for (JavaCodeUnit unit : isApi ? type.getCodeUnits() : Set.<JavaCodeUnit>of()) {
        if (unit.getModifiers().contains(JavaModifier.PUBLIC)) {
          List<JavaClass> named = new ArrayList<>(unit.getRawParameterTypes());
          named.add(unit.getRawReturnType());
          assertThat(named)
              .as(unit.getFullName())
              .noneMatch(
                  each ->
                      each.getPackageName().matches("io.croupier.client.(token|ohttp)")
                          && !each.isEquivalentTo(ObliviousKey.class));
        }
      }
    }
  }

  @Test
  void theLedgerKnowsNothingOfKafka() {
    assertKnowsNothingOfKafka("io.croupier.client.ledger..");
  }
}
