package io.croupier.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PepperTest {
  @TempDir private Path directory;

  @Test
  void isCreatedOnceForItsOwnerAlone() throws Exception {
    Path file = directory.resolve("pepper");
    assertThat(Pepper.create(file)).isTrue();
    byte[] secret = Files.readAllBytes(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Pepper.create(file)).isFalse();
    assertThat(Files.readAllBytes(file)).isEqualTo(secret);
    Path another = directory.resolve("another");
    assertThat(Pepper.create(another)).isTrue();
    assertThat(Files.readAllBytes(another)).isNotEqualTo(secret);
  }

  /** An interrupted thread opens the file, but writes nothing, as on a full disk. */
  @Test
  void aFileThatCannotBeWrittenIsRemoved() {
    Path file = directory.resolve("pepper");
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> Pepper.create(file))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(file + ": ");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(file).doesNotExist();
    Path lost = directory.resolve("missing").resolve("pepper");
    assertThatThrownBy(() -> Pepper.create(lost))
        .isInstanceOf(IOException.class)
        .hasMessage(lost + ": can't be written: no such directory");
  }

  @Test
  void isRefusedIfOthersCanReadOrWriteIt() throws Exception {
    Path file = directory.resolve("pepper");
    Pepper.create(file);
    String secret = Files.readString(file).strip();
    for (String permissions : List.of("rw-r-----", "rw----r--", "rw--w----", "rwx------")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
      assertThatThrownBy(() -> Pepper.read(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("chmod 600")
          .hasMessageNotContaining(secret);
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    assertThat(Pepper.read(file)).hasToString("Pepper");
  }

  @Test
  void aFileWithoutAPepperIsRefusedAndNotQuoted() throws Exception {
    Path file = directory.resolve("pepper");
    assertThatThrownBy(() -> Pepper.read(file))
        .hasMessageContainingAll("no such file", "copy it from another gateway or a backup");
    for (String text : List.of("", "secret", "ab".repeat(31), "ab".repeat(33))) {
      Files.deleteIfExists(file);
      SecretFile.create(file, text);
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(() -> Pepper.read(file), () -> Pepper.create(file))) {
        assertThatThrownBy(use)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("contains no pepper")
            .hasMessageNotContaining("secret")
            .hasMessageNotContaining("abab");
      }
    }
  }

  /** As docs/run/gateway-identity.md specifies it. */
  @Test
  void aUserIdIsAnHmacOfIssuerAndSubject() throws Exception {
    Path file = directory.resolve("pepper");
    Pepper.create(file);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(
        new SecretKeySpec(HexFormat.of().parseHex(Files.readString(file).strip()), "HmacSHA256"));
    String issuer = "https://ex\u00e4mple";
    mac.update(ByteBuffer.allocate(4).putInt(issuer.getBytes(UTF_8).length).array());
    mac.update(issuer.getBytes(UTF_8));
    mac.update("ada".getBytes(UTF_8));
    assertThat(Pepper.read(file).userId(issuer, "ada"))
        .isEqualTo(Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal()));
  }

  /** All gateways, of later releases too, must open what devices encrypt for one of them. */
  @Test
  void theKeyOfEncapsulatedRequestsFollowsFromThePepper() throws Exception {
    Path file = directory.resolve("pepper");
    SecretFile.create(file, "0b".repeat(32));
    assertThat(HexFormat.of().formatHex(Pepper.read(file).obliviousSecret()))
        .isEqualTo("8f59ada3f87b7fce484d186e0ab152cb5e9f7e50539b0a75c44a8998a6041035");
  }

  @Test
  void differentPairsHaveDifferentIds() throws Exception {
    Path file = directory.resolve("pepper");
    Pepper.create(file);
    Pepper pepper = Pepper.read(file);
    assertThat(
            List.of(
                pepper.userId("ab", "c"),
                pepper.userId("a", "bc"),
                pepper.userId("", "abc"),
                pepper.userId("abc", ""),
                pepper.fingerprint(),
                pepper.fingerprint("ab"),
                pepper.fingerprint("abc"),
                pepper.fingerprint("croupier pepper fingerprint")))
        .doesNotHaveDuplicates();
  }
}
