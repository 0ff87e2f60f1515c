package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** lab/recipes.md lists the files that a new kind of report changes, and they stay few. */
class KindFilesTest {
  private static final Pattern VOTES =
      Pattern.compile("\\bVote\\b|\\bVOTE\\b|\\bVoteContent\\b|\\bVoteTally\\b|hasVote\\(");

  private static final Set<String> OF_VOTES =
      Set.of(
          "AskedStatistic.java",
          "HashedResponseRandomiser.java",
          "PrefixTally.java",
          "Statistics.java",
          "VoteContent.java",
          "VoteTally.java");

  private static final Pattern ANSWERS =
      Pattern.compile("\\bAnswer\\b|\\bVectorForm.ANSWER\\b|\\bAnswerContent\\b|hasAnswer\\(");

  private static final Set<String> OF_ANSWERS =
      Set.of("AnswerContent.java", "BitRandomiser.java", "Questions.java");

  private static final Pattern TOKENS =
      Pattern.compile(
          "\\bToken\\b|\\bTokenContent\\b|\\bTokenRecord\\b|\\bTokenGrants\\b|tokens\\(\\)");

  private static final Set<String> OF_TOKENS =
      Set.of("TokenContent.java", "TokenGrants.java", "TokenRecord.java");

  private static Set<String> others(Pattern name, Set<String> own) throws IOException {
    Set<String> found = Recipe.filesNaming(name);
    assertThat(found).containsAll(own);
    Set<String> others = new TreeSet<>(found);
    others.removeAll(own);
    return others;
  }

  @Test
  void aKindIsInTheListedFilesAlone() throws IOException {
    assertThat(others(VOTES, OF_VOTES))
        .isEqualTo(Recipe.files("Add a kind of report"))
        .hasSizeLessThanOrEqualTo(12);
  }

  /** Few files of schemas, operators and job know a kind. */
  @ParameterizedTest
  @CsvSource({"answers, 10", "votes, 10", "tokens, 10"})
  void theHeartKnowsLittleOfAKind(String kind, int most) throws IOException {
    Set<String> known =
        switch (kind) {
          case "answers" -> others(ANSWERS, OF_ANSWERS);
          case "votes" -> others(VOTES, OF_VOTES);
          default -> others(TOKENS, OF_TOKENS);
        };
    known.retainAll(Recipe.filesOf("schemas", "operators", "job"));
    assertThat(known).hasSizeBetween(2, most);
  }
}
