package io.croupier.cli.replay;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("ci")
class ReplayArchitectureTest {

  @Test
  void replayDependsOnNeitherKafkaNorFlink() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.kafka..",
            "org.apache.flink..",
            "io.croupier.operators.flink..",
            "io.croupier.job..",
            "io.croupier.broker..",
            "io.croupier.client..")
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.croupier.cli.replay", "io.croupier.cli.io"));
  }
}
