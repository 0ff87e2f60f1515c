package io.croupier.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacesTest {

  private static void assertRefused(Places places, String address, ProblemType type) {
    assertThatThrownBy(() -> places.take(address))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refused -> {
              assertThat(refused.problem().type()).isEqualTo(type);
              assertThat(refused.problem().retryAfter()).isPresent();
              assertThat(refused.problem().detail()).doesNotContain(address);
            });
  }

  @Test
  void oneAddressHasOnlyItsShare() {
    Places places = new Places(5, 2);
    List<Places.Place> taken = new ArrayList<>();
    for (String address : List.of("192.0.2.1", "192.0.2.1", "192.0.2.2")) {
      taken.add(places.take(address));
    }
    assertRefused(places, "192.0.2.1", ProblemType.TOO_MANY_REQUESTS);
    assertThat(places.taken()).isEqualTo(3);
    taken.get(0).close();
    taken.get(0).close();
    taken.add(places.take("192.0.2.1"));
    assertRefused(places, "192.0.2.1", ProblemType.TOO_MANY_REQUESTS);
    taken.forEach(Places.Place::close);
    assertThat(places.taken()).isZero();
    // Nothing is kept of those who have left.
    assertThat(places.senders()).isZero();
  }

  @Test
  void aRequestMayTakeMorePlacesUntilItIsClosed() {
    Places places = new Places(10, 6);
    Places.Place first = places.none("ada");
    assertThat(places.taken()).isZero();
    first.grow(4);
    first.grow(1);
    Places.Place second = places.none("ada");
    assertThatThrownBy(() -> second.grow(2)).isInstanceOf(ProblemException.class);
    assertThat(places.taken()).isEqualTo(5);
    Places.Place other = places.none("bea");
    other.grow(5);
    assertThatThrownBy(() -> other.grow(1)).isInstanceOf(ProblemException.class);
    // What was refused has freed its places, and takes none any more.
    other.grow(3);
    assertThat(places.taken()).isEqualTo(5);
    first.close();
    assertThat(places.taken()).isZero();
    assertThat(places.senders()).isZero();
  }

  @Test
  void allAddressesTogetherHaveAllPlaces() {
    Places places = new Places(3, 2);
    places.take("192.0.2.1");
    places.take("192.0.2.2");
    Places.Place last = places.take("192.0.2.3");
    assertRefused(places, "192.0.2.4", ProblemType.UNAVAILABLE);
    assertThat(places.senders()).isEqualTo(3);
    last.close();
    assertThat(places.take("192.0.2.4")).isNotNull();
  }
}
