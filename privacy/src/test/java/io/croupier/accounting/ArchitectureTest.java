package io.croupier.accounting;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ci")
class ArchitectureTest {
  private static final JavaClasses ACCOUNTING =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.croupier.accounting");

  @Test
  void dependsOnNothing() {
    classes()
        .that()
        .resideInAPackage("io.croupier.accounting..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "io.croupier.accounting..")
        .check(ACCOUNTING);
  }

  /**
   * Learners and ledgers use these functions, and a replay on another platform must yield the same
   * bits; the functions of Math may differ between platforms.
   */
  @Test
  void takesFunctionsThatAllPlatformsAgreeOn() {
    noClasses()
        .should()
        .callMethodWhere(
            target(owner(type(Math.class)))
                .and(
                    target(
                        nameMatching(
                            "exp|expm1|log|log1p|log10|pow|sin|cos|tan|sinh|cosh|tanh|hypot|cbrt"))))
        .check(ACCOUNTING);
  }
}
