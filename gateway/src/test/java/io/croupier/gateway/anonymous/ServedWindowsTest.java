package io.croupier.gateway.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

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

  @Test
  void anotherModelHasNone() {
    assertThat(served.open("n", 4)).isEmpty();
  }
}
