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
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Links the reports of a window of 10,000 people to their grants, by all that a gateway observes:
 * times, lengths and addresses. Publications and waits are drawn as devices draw them; delays and
 * addresses are simulated. The measure is the probability that a report's own grant is judged more
 * likely than that of another person, plus half of that of a tie: 0.5 is chance.
 */
class UnlinkabilityTest {
  private static final int PEOPLE = 10_000;
  private static final int PUBLICATIONS = 300;

  /** In seconds, as is every time here. */
  private static final double USUAL_WAIT = 10;

  private static final long NANOS = 1_000_000_000;

  /** Grants with which that of a report is compared. */
  private static final int OTHERS = 200;

  /** Mean delay of a request, between those of fast and slow connections. */
  private static final double LEAST_DELAY = 0.02;

  private static final double MOST_DELAY = 0.5;

  /** Of the mean of a uniform rank over all people, rounded up; five of them by chance: 3e-7. */
  private static final double DEVIATION = 0.0030;

  private static final TokenChallenge CHALLENGE =
      new TokenChallenge("m", 0, ByteString.copyFromUtf8("level"));

  private final Random random = new Random(7);
  private final SecureRandom wait = new SecureRandom();

  /**
   * What a gateway observes of a request; the place in its list is the person.
   *
   * @param delay since the publication of the update at which the device acts
   */
  private record Observed(long publication, double delay, int bytes, int address) {}

  private record Deployment(double longestWait, List<Observed> grants, List<Observed> reports) {}

  /**
   * Simulates a window.
   *
   * @param isLasting whether the delays of a device's requests have the same mean
   * @param addresses of all people; 1: that of a relay
   * @param longestWait of a report
   */
  private Deployment deployment(boolean isLasting, int addresses, double longestWait) {
    List<Observed> grants = new ArrayList<>();
    List<Observed> reports = new ArrayList<>();
    for (int i = 0; i < PEOPLE; i++) {
      LocalLedger ledger = LocalLedger.inMemory("person" + i, Limit.NONE);
      long slot = ledger.slot(CHALLENGE.digest(), PUBLICATIONS);
      double mean = meanDelay();
      int address = random.nextInt(addresses);
      // The length of a request names level and number, which are the same for all here.
      grants.add(new Observed(0, delay(mean), 512, address));
      double waited = (double) wait.nextLong((long) (longestWait * NANOS)) / NANOS;
      double offset = waited + delay(isLasting ? mean : meanDelay());
      reports.add(new Observed(slot, offset, report(slot).size(), address));
    }
    return new Deployment(longestWait, grants, reports);
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
   * The logarithm of the likelihood that a report is of the person of a grant, whose delay
   * estimates the mean one: a uniform wait and an exponential delay. The address decides first.
   */
  private static double score(Observed grant, Observed report, double longestWait) {
    double mean = Math.max(LEAST_DELAY, grant.delay);
    double fromStart = Math.exp(-report.delay / mean);
    double density =
        report.delay < longestWait
            ? 1 - fromStart
            : Math.exp(-(report.delay - longestWait) / mean) - fromStart;
    double sameAddress = grant.address == report.address ? 0 : -1e6;
    return sameAddress + Math.log(Math.max(1e-300, density));
  }

  private double linked(Deployment deployment) {
    double sum = 0;
    for (int i = 0; i < PEOPLE; i++) {
      Observed report = deployment.reports.get(i);
      double own = score(deployment.grants.get(i), report, deployment.longestWait);
      double lower = 0;
      for (int j = 0; j < OTHERS; j++) {
        int other = (i + 1 + random.nextInt(PEOPLE - 1)) % PEOPLE;
        double score = score(deployment.grants.get(other), report, deployment.longestWait);
        lower += score < own ? 1 : score == own ? 0.5 : 0;
      }
      sum += lower / OTHERS;
    }
    return sum / PEOPLE;
  }

  /** False alarms: 3e-7. */
  @Test
  void behindARelayLinkingIsChance() {
    Deployment deployment = deployment(false, 1, USUAL_WAIT);
    assertThat(deployment.reports).extracting(Observed::bytes).containsOnly(1024);
    double linked = linked(deployment);
    assertThat(linked).isLessThan(0.5 + 5 * DEVIATION);
  }

  /** What a lasting delay gives away stays small beside the wait; the bound is no guarantee. */
  @Test
  void slowDevicesAreALittleEasierToLink() {
    double linked = linked(deployment(true, 1, USUAL_WAIT));
    assertThat(linked).isBetween(0.5 - 5 * DEVIATION, 0.55);
    double withoutWait = linked(deployment(true, 1, LEAST_DELAY));
    assertThat(withoutWait).isGreaterThan(0.55);
  }

  /** At 4,000 addresses, others have a person's address with probability 1/4,000. */
  @Test
  void withoutARelayTheAddressLinks() {
    Deployment deployment = deployment(false, 4000, USUAL_WAIT);
    double linked = linked(deployment);
    assertThat(linked).isGreaterThan(0.999);
    long known =
        deployment.grants.stream()
            .collect(Collectors.groupingBy(Observed::address, Collectors.counting()))
            .size();
    // A guess among those at the address is right once for each address.
    double right = (double) known / PEOPLE;
    assertThat(right).isCloseTo(0.4 * (1 - Math.exp(-2.5)), within(0.01));
  }
}
