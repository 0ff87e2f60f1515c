package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code croupier gateway}, without Kafka. */
class GatewayCommandTest {
  @TempDir private Path directory;
  private Path config;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void configure() throws Exception {
    config =
        Files.writeString(
            directory.resolve("gateway.yaml"),
            """
            kafka: {bootstrap.servers: "127.0.0.1:1"}
            pepper: {file: pepper}
            test-tokens: {allowed: true, key-file: test.jwk}
            """);
  }

  private int run(String... arguments) {
    CommandLine command = Croupier.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @Test
  void initCreatesEachSecretOnce() throws Exception {
    assertThat(run("gateway", "init", "--config", config.toString())).as(err.toString()).isZero();
    assertThat(out.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("created"));
    for (String file : new String[] {"pepper", "test.jwk"}) {
      assertThat(
              PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(file))))
          .isEqualTo("rw-------");
    }
    String pepper = Files.readString(directory.resolve("pepper"));
    out.getBuffer().setLength(0);
    assertThat(run("gateway", "init", "--config", config.toString())).isZero();
    assertThat(out.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("exists"));
    assertThat(Files.readString(directory.resolve("pepper"))).isEqualTo(pepper);
    assertThat(out.toString() + err).doesNotContain(pepper.strip());
  }

  @Test
  void tokenPrintsASignedToken() {
    assertThat(run("gateway", "init", "--config", config.toString())).isZero();
    out.getBuffer().setLength(0);
    assertThat(run("gateway", "token", "--config", config.toString(), "--subject", "ada"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString().strip()).matches("[\\w-]+\\.[\\w-]+\\.[\\w-]+");
  }

  @Test
  void withoutItsSecretsNothingStarts() {
    assertThat(run("gateway", "--config", config.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("pepper", "croupier gateway init");
    assertThat(run("gateway", "token", "--config", config.toString(), "--subject", "ada"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("test.jwk");
  }

  @Test
  void inputErrorsNameWhatIsWrong() throws Exception {
    assertThat(run("gateway")).isEqualTo(1);
    assertThat(err.toString()).contains("--config FILE");
    Files.writeString(config, "listen: {adress: 127.0.0.1}");
    assertThat(run("gateway", "--config", config.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("'listen.adress'", "'listen.address'");
    assertThat(run("gateway", "token", "--config", config.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("--subject must be given");
  }
}
