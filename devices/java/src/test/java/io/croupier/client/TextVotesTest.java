package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.SeededRandomisers;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.TextCandidates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Votes for texts, as bytes. */
class TextVotesTest {
  /**
   * With this file the tests of croupier.js and of the Python package compare their votes. A value
   * is an expression of JavaScript.
   */
  private static final Path GOLDEN = Path.of("../../devices/python/tests/golden/texts.json");

  /** Enough for every case, at 2 for each group that is drawn. */
  private static final int WORDS = 24;

  private static final String[] VALUES = {
    "'ab'",
    "'abc'",
    "'a'",
    "'aba'",
    "'abab'",
    "'ababa'",
    "'cad'",
    "'ca'",
    "'c'",
    "'cade'",
    "'d'",
    "'de'",
    "'dd'",
    "'\u00e9'",
    "'-'",
    "'d\u00e9-e'",
    "'x'",
    "'A'",
    "''",
    "'a b'",
    "'ab '",
    "'\ud83d\ude00'",
    "null",
    "7",
    "true"
  };

  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
  private final ReportMaker maker =
      new ReportMaker(
          ledger, Clock.fixed(Instant.ofEpochMilli(1_800_000_123_456L), ZoneOffset.UTC));

  private static RoundTerms terms(long round) {
    return Updates.parse(
            Updates.update("m", round, 0),
            """
            question_probability: 1 statistics {
              statistic { name: 'words' prefixes { alphabet: 'a-e\u00e9-' length: 4 top: 3 } }
              texts { prefixes: ['', 'a', '', 'ab', 'd'] texts: ['ab', '', 'cad'] }
            }
            """)
        .terms();
  }

  private static Participant named(String text) {
    return new GivenData() {
      @Override
      public String category(Statistic statistic) {
        return text;
      }
    };
  }

  /** What a Java program has no text for is null. */
  private static String text(String value) {
    return value.startsWith("'") ? value.substring(1, value.length() - 1) : null;
  }

  private static String words(SecureBits bits) {
    return Stream.generate(() -> "\"" + Long.toUnsignedString(bits.getAsLong()) + "\"")
        .limit(WORDS)
        .collect(Collectors.joining(","));
  }

  /** A vote without the person's name, of a device with a fixed id. */
  private String line(int number, String value) throws Exception {
    RoundTerms terms = terms(number);
    TextCandidates list = terms.requests().texts().get("words");
    HashedResponseRandomiser randomiser =
        SeededRandomisers.hashedResponse(
            0.5, TextCandidates.count(list.kind()), number, 1000 + number);
    StoredReport stored =
        maker.category(
            terms,
            FrequentData.KEY,
            terms.requests().statistics().get(0),
            named(text(value)),
            randomiser);
    ledger.acknowledge(stored.sequence());
    return "{\"value\":\"%s\",\"candidate\":%d,\"seed\":\"%s\",\"words\":[%s],\"report\":\"%s\"}"
        .formatted(
            value,
            list.of(text(value)),
            Long.toUnsignedString(Statistics.seeded(number).getAsLong()),
            words(Statistics.seeded(1000 + number)),
            GoldenReports.hex(stored));
  }

  @Test
  void votesAreThoseOfTheFile() throws Exception {
    List<String> lines = new ArrayList<>();
    for (String value : VALUES) {
      lines.add(line(lines.size(), value));
    }
    assertThat(GoldenReports.lines(lines)).isEqualTo(Files.readString(GOLDEN));
  }

  /** The list of another round is unknown, so nothing is reported about it. */
  @Test
  void aTextNeedsTheListOfItsOwnRound() {
    RoundTerms terms = terms(1);
    int count = TextCandidates.count(terms.requests().texts().get("words").kind());
    assertThat(count).isEqualTo(3 + 511 * 8);
    assertThatThrownBy(
            () -> maker.respond(terms.at(5), named("ab"), new L2LaplaceRandomiser(1, 1, -16, 2)))
        .isInstanceOf(NotChosenException.class)
        .hasMessageContaining("asks this device for statistic words, which it can't give");
    assertThat(ledger.spent().reports()).isZero();
  }
}
