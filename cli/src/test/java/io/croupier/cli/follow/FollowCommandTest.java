package io.croupier.cli.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.ModelUpdate;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FollowCommandTest {
  private static final String UPDATE =
      """
      model_id: 'm' round: 3 weights: 1 average: 0.5 used: 9 dropped_stale: 1
      dropped_unpublished: 2 open: 4 grid_exponent: -16 gradient_bound: 1 answer_probability: 0.5
      diagnostics { key: 'magnitude' value: 2 } published_at_ms: 7
      """;

  private static ModelUpdate update(String more) throws TextFormat.ParseException {
    return TextFormat.parse(UPDATE + more, ModelUpdate.class);
  }

  private static ModelSnapshot snapshot(ModelUpdate update) {
    return ModelSnapshot.parse(update.toByteArray());
  }

  /** Also features and sizes that only a newer job or device knows. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "features { name: 'walked' range { from: 0 to: 180 } } features { name: 'newer' }",
        "question_probability: 0.02 answers: 570 estimates { fraction: 0.73 standard_error: 0.02"
            + " low: 0.69 high: 0.77 answers: 563 question { name: 'accuracy' accuracy {} } }"
            + " estimates { question { name: 'loss' loss_above {} } }",
        "size: FEATURES slope_bound: 0.5 dropped_bound: 0 question_probability: 1 answers: 12",
        "size: GRADIENT dropped_bound: 0 question_probability: 1 answers: 12",
      })
  void printsTheWholeUpdate(String more) throws Exception {
    ModelUpdate update = update(more);
    assertThat(FollowCommand.update(snapshot(update))).isEqualTo(update);
  }

  @Test
  void printsARoundAgainThatServesAnotherAverage() throws Exception {
    ModelSnapshot printed = snapshot(update(""));
    ModelUpdate rolledBack = update("average_round: 1");
    ModelSnapshot counted = snapshot(update("").toBuilder().setUsed(10).build());
    assertThat(FollowCommand.isSame(counted, printed)).isTrue();
    ModelSnapshot served = snapshot(rolledBack);
    assertThat(FollowCommand.isSame(served, printed)).isFalse();
    assertThat(FollowCommand.isSame(printed, served)).isFalse();
    assertThat(FollowCommand.update(served)).isEqualTo(rolledBack);
  }

  /** A newer job may bound other sizes. */
  @Test
  void printsASizeThatItDoesNotKnowAsItsNumber() throws Exception {
    ModelUpdate update =
        update("dropped_bound: 0 question_probability: 0.02 answers: 12").toBuilder()
            .setSizeValue(7)
            .build();
    ModelUpdate printed = FollowCommand.update(snapshot(update));
    assertThat(printed).isEqualTo(update);
    assertThat(JsonFormat.printer().print(printed)).contains("\"size\": 7");
  }

  /** As a port of TLS or of Kafka does it, too. */
  @Test
  void whatHindersAGatewayIsNamed() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        UpdateSource source =
            new UpdateSource.GatewayModel(
                URI.create("http://127.0.0.1:" + server.getLocalPort()), "m", update -> {})) {
      // Java's client may connect again; the third connection follows a failure.
      for (int i = 0; i < 3; i++) {
        server.accept().close();
      }
      assertThatThrownBy(() -> source.await(Duration.ofMillis(1)))
          .isInstanceOf(InputException.class)
          .hasMessageStartingWith("--gateway: no update of model m at http://127.0.0.1:")
          .hasMessageContaining("can't be reached: ");
    }
  }
}
