package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
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

  /** The user id as docs/run/gateway-identity.md states it, computed by another way. */
  @Test
  void userPrintsTheUserIdOfAPerson() throws Exception {
    Files.writeString(directory.resolve("pepper"), "0b".repeat(32));
    Files.setPosixFilePermissions(
        directory.resolve("pepper"), PosixFilePermissions.fromString("rw-------"));
    assertThat(run("gateway", "user", "--config", config.toString(), "--subject", "ada"))
        .as(err.toString())
        .isZero();
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(HexFormat.of().parseHex("0b".repeat(32)), "HmacSHA256"));
    mac.update(new byte[] {0, 0, 0, 17});
    assertThat(out.toString().strip())
        .isEqualTo(
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(mac.doFinal("urn:croupier:testada".getBytes(UTF_8))));

    assertThat(run("gateway", "user", "--config", config.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("--subject must be given");
    assertThat(
            run(
                "gateway",
                "user",
                "--config",
                config.toString(),
                "--subject",
                "ada",
                "--issuer",
                "main"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("--issuer must be one of the configuration's: test");
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
