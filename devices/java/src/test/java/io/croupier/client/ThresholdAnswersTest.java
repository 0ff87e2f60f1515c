package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.SeededRandomisers;
import io.croupier.noise.Statistics;
import io.croupier.schemas.Statistic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Answers about the threshold of quantiles, as bytes. */
class ThresholdAnswersTest {
  /**
   * With this file the tests of croupier.js and of the Python package compare their answers. A
   * value is an expression of JavaScript.
   */
  private static final Path GOLDEN = Path.of("../../devices/python/tests/golden/quantiles.json");

  /** What a Java program has no number for. */
  private static final Set<String> NO_NUMBERS = Set.of("null", "true", "'31'");

  private static final String[] ABOUT_30 = {
    "31",
    "30.5",
    "30.500000000000004",
    "30.499999999999996",
    "1440",
    "1e9",
    "-1",
    "0",
    "-0.0",
    "Infinity",
    "-Infinity",
    "NaN",
    "null",
    "true",
    "'31'"
  };

  /** What is no number is no 0 here, which would be above. */
  private static final String[] ABOUT_MINUS_5 = {"-4", "-5", "-6", "NaN", "null", "true", "'31'"};

  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
  private final ReportMaker maker =
      new ReportMaker(
          ledger, Clock.fixed(Instant.ofEpochMilli(1_800_000_123_456L), ZoneOffset.UTC));

  private static RoundTerms terms(long round, double threshold) {
    return Updates.parse(
            Updates.update("m", round, 0),
            "question_probability: 1 statistics { threshold: %s statistic { name: 'minutes'"
                    .formatted(threshold)
                + " quantiles { levels: 0.5 from: -1440 to: 1440 } } }")
        .terms();
  }

  private static double number(String value) {
    return NO_NUMBERS.contains(value) ? Double.NaN : Double.parseDouble(value);
  }

  /** An answer without the person's name, of a device with a fixed id. */
  private String line(int number, double threshold, String value) throws Exception {
    RoundTerms terms = terms(number, threshold);
    Participant data =
        new GivenData() {
          @Override
          public double value(Statistic statistic) {
            return number(value);
          }
        };
    StoredReport stored =
        maker.value(
            terms,
            FrequentData.KEY,
            terms.requests().statistics().get(0),
            data,
            SeededRandomisers.bit(0.5, Statistics.seeded(number)));
    ledger.acknowledge(stored.sequence());
    return "{\"threshold\":%s,\"value\":\"%s\",\"word\":\"%s\",\"report\":\"%s\"}"
        .formatted(
            threshold,
            value,
            Long.toUnsignedString(Statistics.seeded(number).getAsLong()),
            GoldenReports.hex(stored));
  }

  @Test
  void answersAreThoseOfTheFile() throws Exception {
    List<String> lines = new ArrayList<>();
    for (String value : ABOUT_30) {
      lines.add(line(lines.size(), 30.5, value));
    }
    for (String value : ABOUT_MINUS_5) {
      lines.add(line(lines.size(), -5, value));
    }
    assertThat(GoldenReports.lines(lines)).isEqualTo(Files.readString(GOLDEN));
  }
}
