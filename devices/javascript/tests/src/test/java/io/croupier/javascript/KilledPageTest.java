package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.schemas.GradientReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pages that are killed, and storage that fails, before each operation on storage and network: no
 * round is reported twice, the same bytes are sent again, and every report that was sent is
 * charged.
 */
class KilledPageTest extends DeviceFixture {
  private static final int ROUNDS = 2;

  private static final int RUNS = Integer.getInteger("kills", 60);

  private void assertAccount(Value last, String when) {
    Map<Long, ByteString> bytes = new HashMap<>();
    Map<Long, Long> rounds = new HashMap<>();
    Set<String> devices = new HashSet<>();
    for (byte[] body : visits.received()) {
      GradientReport report = Visits.report(body);
      devices.add(report.getDeviceId());
      assertThat(bytes.put(report.getSequence(), ByteString.copyFrom(body)))
          .as("the same bytes under a number, %s", when)
          .isIn(null, ByteString.copyFrom(body));
      assertThat(rounds.put(report.getRound(), report.getSequence()))
          .as("one report of a round, %s", when)
          .isIn(null, report.getSequence());
    }
    assertThat(devices).as(when).hasSize(1);
    assertThat(bytes.keySet()).as("no gap, none lost, %s", when).containsExactlyInAnyOrder(0L, 1L);
    Value spent = last.getArrayElement(last.getArraySize() - 1);
    assertThat(spent.getMember("reports").asInt()).as(when).isEqualTo(bytes.size());
    assertThat(spent.getMember("epsilon").asString()).as(when).isEqualTo("2");
  }

  /** Before each operation of a first visit; a second one ends normally. */
  @Tag("thorough")
  @Test
  void aPageThatIsKilledAnywhereReportsNoRoundTwice() {
    int kills = 0;
    for (int stopAt = 1; ; stopAt++) {
      visits = new Visits(browser, scenarios);
      Value page = visits.page(stopAt, false);
      Value first = visits.visit(page, ROUNDS);
      if (first != null) {
        break;
      }
      kills++;
      Value last = visits.visit(visits.page(), ROUNDS);
      assertThat(last).isNotNull();
      assertAccount(last, "killed before operation " + stopAt);
    }
    assertThat(kills).isGreaterThan(50);
  }

  @Tag("thorough")
  @Test
  void storageAndNetworkThatFailAnywhereLoseNothing() {
    int failures = 0;
    for (int stopAt = 1; ; stopAt++) {
      visits = new Visits(browser, scenarios);
      Value page = visits.page(stopAt, true);
      assertThat(visits.visit(page, ROUNDS)).as("operation %s", stopAt).isNotNull();
      if (page.getMember("operations").getArraySize() < stopAt) {
        break;
      }
      failures++;
      page.invokeMember("kill");
      assertAccount(visits.visit(visits.page(), ROUNDS), "failure of operation " + stopAt);
    }
    assertThat(failures).isGreaterThan(50);
  }

  /** Several visits, each killed or failed at random, until one ends normally. */
  @Test
  void pagesThatAreKilledAgainAndAgainReportNoRoundTwice() {
    SplittableRandom random = new SplittableRandom(17);
    for (int run = 0; run < RUNS; run++) {
      visits = new Visits(browser, scenarios);
      StringBuilder when = new StringBuilder("run " + run);
      for (int visit = random.nextInt(1, 6); visit > 0; visit--) {
        int stopAt = random.nextInt(1, 80);
        boolean isFailure = random.nextInt(3) == 0;
        when.append(isFailure ? ", failure " : ", kill ").append(stopAt);
        Value page = visits.page(stopAt, isFailure);
        visits.visit(page, ROUNDS);
        page.invokeMember("kill");
      }
      assertAccount(visits.visit(visits.page(), ROUNDS), when.toString());
    }
  }

  /** Charge and bytes are flushed to the disk before a report is sent. */
  @Test
  void whatIsSentIsDurableBefore() {
    Value page = visits.page();
    visits.visit(page, 1);
    List<String> names = Browser.texts(page.getMember("operations"));
    int sent = names.indexOf("request");
    assertThat(names.subList(0, sent)).containsSubsequence("add reports", "commit", "complete");
    List<String> writes =
        Browser.texts(visits.world().getMember("durabilities")).stream()
            .filter(name -> name.startsWith("readwrite"))
            .toList();
    // The opening, the report, and its acknowledgement, whose loss only sends the same bytes again.
    assertThat(writes).containsExactly("readwrite strict", "readwrite strict", "readwrite default");
  }
}
