package io.croupier.accounting;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

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
}
