package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arguments that {@code croupier relay} refuses before it listens. */
class RelayCommandTest {
  private static String error(int code, String... arguments) {
    List<String> all = new ArrayList<>(List.of("relay"));
    all.addAll(List.of(arguments));
    CommandOutcome outcome = CommandOutcome.of(InputStream.nullInputStream(), all);
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(code);
    assertThat(outcome.out()).isEmpty();
    return outcome.err();
  }

  @Test
  void theGatewayIsRequired() {
    assertThat(error(2)).contains("--to");
  }

  @Test
  void theGatewayMustBeReachedByTls() {
    assertThat(error(1, "--to", "http://gateway.example", "--port", "0"))
        .contains("http://gateway.example; it must begin with https");
  }

  @Test
  void otherMachinesMustReachTheRelayByTls() {
    assertThat(error(1, "--to", "https://gateway.example", "--address", "0.0.0.0"))
        .contains("--address is 0.0.0.0; without --certificate it must be one of the loopback");
    assertThat(error(1, "--to", "https://gateway.example", "--key", "k.pem"))
        .contains("--certificate and --key must be given together");
    assertThat(
            error(
                1,
                "--to",
                "https://gateway.example",
                "--key",
                "k.pem",
                "--certificate",
                "absent.pem"))
        .contains("absent.pem and k.pem must be a certificate chain and its private key");
  }
}
