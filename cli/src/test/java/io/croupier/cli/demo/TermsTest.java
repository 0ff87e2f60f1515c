package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TermsTest {

  @Test
  void aShareOfThePeopleDisclosesNothing() {
    assertThat(undisclosed(0, 28_155)).isZero();
    assertThat(undisclosed(0.2, 28_155)).isEqualTo(5_631);
    assertThat(undisclosed(0.29, 100)).isEqualTo(29);
    assertThat(undisclosed(1, 28_155)).isEqualTo(28_155);
    assertThat(terms(0.2, 28_155).undisclosedPeople()).isEqualTo(5_631);
  }

  @Test
  void theyAreSpreadOverTheOrder() {
    Terms terms = terms(0.2, 1000);

    for (int from = 0; from < 1000; from += 5) {
      assertThat(IntStream.range(from, from + 5).filter(terms::isUndisclosed).count()).isOne();
    }
  }

  private static long undisclosed(double share, int people) {
    return IntStream.range(0, people).filter(terms(share, people)::isUndisclosed).count();
  }

  private static Terms terms(double share, int people) {
    return new Terms(8, share, 0.25, 1, people, 1);
  }
}
