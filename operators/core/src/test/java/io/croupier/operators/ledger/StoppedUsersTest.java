package io.croupier.operators.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoppedUsersTest {
  private final StoppedUsers stopped = new StoppedUsers();

  @Test
  void theNewestRecordOfAUserDecides() {
    stopped.apply(0, 0, "ada", true);
    stopped.apply(0, 1, "bo", true);
    stopped.apply(0, 2, "bo", true);
    assertThat(stopped.contains("ada")).isTrue();
    stopped.apply(0, 3, "ada", false);
    stopped.apply(0, 4, "cy", false);
    assertThat(stopped.contains("ada")).isFalse();
    assertThat(stopped.contains("bo")).isTrue();
    assertThat(stopped.contains("cy")).isFalse();
  }

  /** A source repeats what the start has read. */
  @Test
  void aRepeatedRecordHasNoEffect() {
    stopped.apply(0, 5, "ada", true);
    stopped.apply(0, 7, "ada", false);
    stopped.apply(0, 5, "ada", true);
    assertThat(stopped.contains("ada")).isFalse();
    stopped.apply(1, 5, "ada", true);
    assertThat(stopped.contains("ada")).as("another partition").isTrue();
  }

  @Test
  void usersOfOthersAreNotKept() {
    StoppedUsers some = new StoppedUsers(user -> user.startsWith("a"));
    some.apply(0, 0, "ada", true);
    some.apply(0, 1, "bo", true);
    assertThat(some.contains("ada")).isTrue();
    assertThat(some.contains("bo")).isFalse();
  }
}
