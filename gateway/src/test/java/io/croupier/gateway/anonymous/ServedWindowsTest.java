package io.croupier.gateway.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.schemas.TokenWindow;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Windows of ten rounds. */
class ServedWindowsTest {
  private final TestWindows windows = new TestWindows();
  private final ServedWindows served = new ServedWindows(windows.specs, windows.keys);

  @AfterEach
  void stop() {
    windows.close();
  }

  private static List<Long> numbers(List<TokenWindow> windows) {
    return windows.stream().map(TokenWindow::getWindow).toList();
  }

  /** A report may arrive in the window after that of its round. */
  @Test
  void theOpenWindowsIncludeTheOneBefore() throws Exception {
    windows.publish("m", 2);
    windows.update("m", 4);
    assertThat(windows.next()).startsWith("m/0/");
    assertThat(windows.next()).startsWith("m/1/");
    windows.update("m", 14);
    assertThat(windows.next()).startsWith("m/2/");
    assertThat(numbers(served.announced("m", 4))).containsExactly(0L, 1L);
    assertThat(numbers(served.open("m", 4))).containsExactly(0L, 1L);
    assertThat(numbers(served.announced("m", 14))).containsExactly(1L, 2L);
    assertThat(numbers(served.open("m", 14))).containsExactly(0L, 1L, 2L);
    TokenWindow before = served.open("m", 14).get(0);
    assertThat(before.getFirstRound()).isZero();
    assertThat(before.getLastRound()).isEqualTo(9);
    assertThat(before.getLevels(0).getModulus())
        .isEqualTo(windows.keys.modulus("m", 0, TestWindows.level(2)).orElseThrow());
  }

  /** A gateway that starts reads three topics at once. */
  @Test
  void anUpdateAnnouncesThemWhicheverTopicIsReadLast() throws Exception {
    windows.publish("m", 2);
    windows.update("m", 4);
    assertThat(windows.next()).startsWith("m/0/");
    assertThat(windows.next()).startsWith("m/1/");
    for (List<Integer> order :
        List.of(
            List.of(0, 1, 2),
            List.of(0, 2, 1),
            List.of(1, 0, 2),
            List.of(1, 2, 0),
            List.of(2, 0, 1),
            List.of(2, 1, 0))) {
      try (TestWindows started = new TestWindows(() -> false)) {
        new ServedWindows(started.specs, started.keys).announceOn(started.updates);
        for (int topic : order) {
          switch (topic) {
            case 0 -> started.publish("m", 2);
            case 1 -> started.update("m", 4);
            default -> {
              for (long window = 0; window < 2; window++) {
                started.key("m", window, 2, modulus(window));
              }
            }
          }
        }
        assertThat(numbers(started.updates.newest("m").orElseThrow().windows()))
            .as("%s", order)
            .containsExactly(0L, 1L);
      }
    }
  }

  private ByteString modulus(long window) {
    return windows.keys.modulus("m", window, TestWindows.level(2)).orElseThrow();
  }

  @Test
  void anotherModelHasNone() {
    assertThat(served.open("n", 4)).isEmpty();
  }
}
