package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.token.TokenChallenge;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.PrivUnit;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Links the reports of a window of 10,000 people to their grants, by all that a gateway observes:
 * times, lengths and addresses, and who follows the model when. Publications and waits are drawn as
 * devices draw them; delays, addresses and visits are simulated. The measure is the probability
 * that a report's own person is judged more likely than another one, plus half of that of a tie:
 * 0.5 is chance.
 */
@Tag("ci")
class UnlinkabilityTest {
  private static final int PEOPLE = 10_000;
  private static final int PUBLICATIONS = 300;

  /** In seconds, as is every time here. */
  private static final double USUAL_WAIT = 10;

  private static final long NANOS = 1_000_000_000;

  /** People with whom that of a report is compared. */
  private static final int OTHERS = 200;

  /** Mean delay of a request, between those of fast and slow connections. */
  private static final double LEAST_DELAY = 0.02;

  private static final double MOST_DELAY = 0.5;

  /** Of the mean of a uniform rank over all people, rounded up; five of them by chance: 3e-7. */
  private static final double DEVIATION = 0.0030;

  private static final double IMPOSSIBLE = -1e6;

  private static final TokenChallenge CHALLENGE =
      new TokenChallenge("m", 0, ByteString.copyFromUtf8("level"));

  private final Random random = new Random(7);
  private final SecureRandom wait = new SecureRandom();

  /**
   * What is simulated.
   *
   * @param isLasting whether the delays of a device's requests have the same mean
   * @param addresses of all people; 1: that of a relay
   * @param longestWait of a report
   * @param visits how often each device is there in a window
   * @param length publications of each visit
   */
  private record Setting(
      boolean isLasting, int addresses, double longestWait, int visits, int length) {

    static Setting ofThoseAlwaysThere(boolean isLasting, int addresses, double longestWait) {
      return new Setting(isLasting, addresses, longestWait, 1, PUBLICATIONS);
    }

    static Setting ofVisits(int visits, int length) {
      return new Setting(true, 1, USUAL_WAIT, visits, length);
    }

    /** The probability that a device is there at a publication, by its visits but one. */
    double later() {
      return 1 - Math.pow(1 - (double) length / PUBLICATIONS, visits - 1.0);
    }
  }

  /**
   * What a gateway observes of a request.
   *
   * @param delay since the publication of the update at which the device acts
   */
  private record Observed(int publication, double delay, int bytes, int address) {}

  /**
   * What a gateway observes of a person with identity.
   *
   * @param grant the request for the next window's token, as soon as the device is there
   * @param there the publications at which it follows the model
   * @param delay the mean one of the polls
   */
  private record Person(Observed grant, BitSet there, double delay) {}

  /** A report without identity, and whose it is. */
  private record Sent(int person, Observed report) {}

  private record Deployment(Setting setting, List<Person> people, List<Sent> reports) {}

  /** What a judge knows of who is there when. */
  private enum Seen {
    /** The polls go through a relay. */
    REQUESTS_FOR_TOKENS,

    /** Who follows the model can be seen. */
    POLLS
  }

  private Deployment deployment(Setting setting) {
    List<Person> people = new ArrayList<>();
    List<Sent> reports = new ArrayList<>();
    for (int i = 0; i < PEOPLE; i++) {
      LocalLedger ledger = LocalLedger.inMemory("person" + i, Limit.NONE);
      int slot = ledger.slot(CHALLENGE.digest(), PUBLICATIONS);
      double mean = meanDelay();
      int address = random.nextInt(setting.addresses);
      BitSet there = there(setting);
      // The length of a request names level and number, which are the same for all here.
      Observed grant = new Observed(there.nextSetBit(0), delay(mean), 512, address);
      double polled =
          there.stream().mapToDouble(publication -> delay(mean)).average().orElseThrow();
      people.add(new Person(grant, there, polled));
      if (there.get(slot)) {
        double waited = (double) wait.nextLong((long) (setting.longestWait * NANOS)) / NANOS;
        double offset = waited + delay(setting.isLasting ? mean : meanDelay());
        reports.add(new Sent(i, new Observed(slot, offset, report(slot).size(), address)));
      }
    }
    return new Deployment(setting, people, reports);
  }

  private BitSet there(Setting setting) {
    BitSet there = new BitSet(PUBLICATIONS);
    for (int visit = 0; visit < setting.visits; visit++) {
      int begin = random.nextInt(PUBLICATIONS - setting.length + 1);
      there.set(begin, begin + setting.length);
    }
    return there;
  }

  private double meanDelay() {
    return LEAST_DELAY * Math.pow(MOST_DELAY / LEAST_DELAY, random.nextDouble());
  }

  private double delay(double mean) {
    return -mean * Math.log1p(-random.nextDouble());
  }

  private ByteString report(long round) {
    return AnonymousGateway.padded(
        AnonymousReport.newBuilder()
            .setModelId("m")
            .setRound(round)
            .setToken(ByteString.copyFrom(new byte[386]))
            .setCandidate(
                Candidate.newBuilder()
                    .setDimension(8)
                    .setSeed(random.nextLong())
                    .setIndex(random.nextInt(256)))
            .setPrivUnit(PrivUnit.newBuilder().setEpsilon(2).setCandidates(256).setTop(59)));
  }

  /**
   * The logarithm of the likelihood that a report is of a person, whose delay estimates the mean
   * one: a uniform wait and an exponential delay. Address and presence decide first.
   */
  private static double score(Person person, Observed report, Setting setting, Seen seen) {
    double mean = Math.max(LEAST_DELAY, seen == Seen.POLLS ? person.delay : person.grant.delay);
    double fromStart = Math.exp(-report.delay / mean);
    double density =
        report.delay < setting.longestWait
            ? 1 - fromStart
            : Math.exp(-(report.delay - setting.longestWait) / mean) - fromStart;
    double sameAddress = person.grant.address == report.address ? 0 : IMPOSSIBLE;
    double isThere =
        seen == Seen.POLLS
            ? person.there.get(report.publication)
                ? -Math.log(person.there.cardinality())
                : IMPOSSIBLE
            : since(report.publication - person.grant.publication, setting);
    return sameAddress + isThere + Math.log(Math.max(1e-300, density));
  }

  /** Of a report so many publications after the first one at which the person is there. */
  private static double since(int publications, Setting setting) {
    if (publications < 0) {
      return IMPOSSIBLE;
    }
    return publications < setting.length ? 0 : Math.max(IMPOSSIBLE, Math.log(setting.later()));
  }

  private double linked(Deployment deployment) {
    return linked(deployment, Seen.REQUESTS_FOR_TOKENS);
  }

  private double linked(Deployment deployment, Seen seen) {
    double sum = 0;
    for (Sent sent : deployment.reports) {
      double own = score(deployment.people.get(sent.person), sent.report, deployment.setting, seen);
      double lower = 0;
      for (int j = 0; j < OTHERS; j++) {
        int other = (sent.person + 1 + random.nextInt(PEOPLE - 1)) % PEOPLE;
        double score = score(deployment.people.get(other), sent.report, deployment.setting, seen);
        lower += score < own ? 1 : score == own ? 0.5 : 0;
      }
      sum += lower / OTHERS;
    }
    return sum / deployment.reports.size();
  }

  /** False alarms: 3e-7. */
  @Test
  void behindARelayLinkingIsChance() {
    Deployment deployment = deployment(Setting.ofThoseAlwaysThere(false, 1, USUAL_WAIT));
    assertThat(deployment.reports)
        .extracting(Sent::report)
        .extracting(Observed::bytes)
        .containsOnly(1024);
    assertThat(linked(deployment)).isLessThan(0.5 + 5 * DEVIATION);
  }

  /** What a lasting delay gives away stays small beside the wait; the bound is no guarantee. */
  @Test
  void slowDevicesAreALittleEasierToLink() {
    double linked = linked(deployment(Setting.ofThoseAlwaysThere(true, 1, USUAL_WAIT)));
    assertThat(linked).isBetween(0.5 - 5 * DEVIATION, 0.55);
    double withoutWait = linked(deployment(Setting.ofThoseAlwaysThere(true, 1, LEAST_DELAY)));
    assertThat(withoutWait).isGreaterThan(0.55);
  }

  /** Who is there during the whole window has polls like everybody's. */
  @Test
  void pollsShowNothingOfThoseWhoAreAlwaysThere() {
    Deployment deployment = deployment(Setting.ofThoseAlwaysThere(true, 1, USUAL_WAIT));
    assertThat(deployment.reports).hasSize(PEOPLE);
    assertThat(linked(deployment, Seen.POLLS)).isBetween(0.5 - 5 * DEVIATION, 0.52);
  }

  /** A report of a publication is of somebody who was there: 0.89 and 0.975. */
  @Test
  void pollsLinkThoseWhoAreThereForAPart() {
    assertThat(linked(deployment(Setting.ofVisits(1, 60)), Seen.POLLS)).isBetween(0.86, 0.92);
    assertThat(linked(deployment(Setting.ofVisits(1, 15)), Seen.POLLS)).isBetween(0.95, 0.99);
  }

  /** Through a relay, the request for the next token shows one visit; all, if there is one. */
  @Test
  void throughARelayPollsShowNoVisit() {
    Deployment often = deployment(Setting.ofVisits(20, 3));
    assertThat(linked(often, Seen.POLLS)).isBetween(0.88, 0.94);
    assertThat(linked(often)).isBetween(0.505, 0.57);
    assertThat(linked(deployment(Setting.ofVisits(1, 60)))).isBetween(0.86, 0.92);
  }

  /** At 4,000 addresses, others have a person's address with probability 1/4,000. */
  @Test
  void withoutARelayTheAddressLinks() {
    Deployment deployment = deployment(Setting.ofThoseAlwaysThere(false, 4000, USUAL_WAIT));
    assertThat(linked(deployment)).isGreaterThan(0.999);
    long known =
        deployment.people.stream()
            .collect(Collectors.groupingBy(person -> person.grant.address, Collectors.counting()))
            .size();
    // A guess among those at the address is right once for each address.
    assertThat((double) known / PEOPLE).isCloseTo(0.4 * (1 - Math.exp(-2.5)), within(0.01));
  }
}
