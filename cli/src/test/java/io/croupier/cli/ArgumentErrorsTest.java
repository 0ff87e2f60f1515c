package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors in arguments, and the exit codes of all kinds of errors. */
class ArgumentErrorsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "demmo | Unknown command 'demmo'; did you mean demo or models or test-device? | croupier",
        "models aply x | Unknown command 'aply'; did you mean apply? | croupier models",
        "follow --model m --update 1 | Unknown option '--update'; did you mean --updates? | croupier follow",
        "replay --models m --reports r x y | Unexpected argument 'x' | croupier replay",
        "report | Arguments are missing: --model ID, --user ID | croupier report",
        "report --model m --user u | One of these is missing: --ledger FILE or --without-ledger | croupier report",
        "report --model m --user u --ledger l --label=y | An argument is missing: --data FILE | croupier report",
        "report --model m --user u --ledger l --data a --data b | --data is given 2 times; it must be given once | croupier report",
        "report --model m --user u --ledger l --data a --loss=squared --loss squared | --loss is given 2 times; it must be given once | croupier report",
        "report --model m --model n | --model is given 2 times; it must be given once | croupier report",
        "ledger --kafka a:1 --user ada --user bob | --user is given 2 times; it must be given once | croupier ledger",
        "stop --subject a --gateway g --user u | 'Only one of these may be given: (--user=ID | --from=FILE | [--subject=NAME --gateway=FILE [--issuer=NAME]])' | croupier stop",
        "report --model m --user | A value is missing: --user ID | croupier report",
        "ledger --subject a --gateway | A value is missing: --gateway FILE | croupier ledger",
        "models apply --kafka a:1 | An argument is missing: FILE | croupier models apply",
        "demo --epsilon abc | --epsilon is 'abc'; it must be a number | croupier demo",
        "demo --epsilon 1d | --epsilon is '1d'; it must be a number | croupier demo",
        "demo --epsilon 0x1p3 | --epsilon is '0x1p3'; it must be a number | croupier demo",
        "demo --epsilon NaN | --epsilon is 'NaN'; it must be a number | croupier demo",
        "demo --users \u0663\u0660 | --users is '\u0663\u0660'; it must be a whole number | croupier demo",
        "ledger --kafka a:1 --top \u0663 | --top is '\u0663'; it must be a whole number | croupier ledger",
        "topics create --kafka a:1 --replication \u0663 | --replication is '\u0663'; it must be a whole number | croupier topics create",
        "demo --users 1.5 | --users is '1.5'; it must be a whole number | croupier demo",
        "demo --mechanism laplace | --mechanism is 'laplace'; it must be one of priv-unit, l2-laplace, coordinate-laplace, gaussian | croupier demo",
        "demo drfit | VARIATION is 'drfit'; it must be one of drift, statistics, anonymous | croupier demo",
        "demo --drift | Unknown option '--drift'; did you mean 'croupier demo drift'? | croupier demo",
        "run --set checkpoint.interval | --set is 'checkpoint.interval'; it must be KEY=VALUE | croupier run",
        "account gaussian --mu 1 | One of these is missing: --delta D or --epsilon E | croupier account gaussian",
        "account gaussian --mu 1 --delta 0.1 --epsilon 1 | --delta=D, --epsilon=E are mutually exclusive (specify only one) | croupier account gaussian",
      })
  void areTwoLines(String command, String sentence, String help) {
    CommandRun outcome = CommandRun.croupier(command);

    assertThat(outcome.code()).isEqualTo(ExitCode.ARGUMENTS.code());
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines()).containsExactly(sentence, "See '%s --help'.".formatted(help));
  }

  @ParameterizedTest
  @CsvSource({"'', croupier", "models, croupier models", "topics, croupier topics"})
  void aMissingCommandShowsTheHelp(String command, String name) {
    CommandRun outcome = CommandRun.croupier(command);

    assertThat(outcome.code()).isEqualTo(ExitCode.ARGUMENTS.code());
    assertThat(outcome.err()).startsWith("Missing command").contains("Usage: " + name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--version | SUCCESS",
        "account gaussian --mu 1 --delta 1e-6 | SUCCESS",
        "models validate ../examples/models.yaml | SUCCESS",
        "models validate nowhere.yaml | FAILURE",
        "demo --epsilon -1 | FAILURE",
        "run | FAILURE",
        "run --config nowhere.yaml | FAILURE",
        "audit --mechanism coordinate-laplace --taus Infinity | FAILURE",
        "ledger | ARGUMENTS",
        "ledger --top many | ARGUMENTS",
        "ledgers | ARGUMENTS",
      })
  void eachKindOfEndHasItsCode(String command, ExitCode code) {
    assertThat(CommandRun.croupier(command).code()).isEqualTo(code.code());
  }

  @Test
  void theHelpNamesTheCodes() {
    String help = CommandRun.croupier("--help").out().replaceAll("\\s+", " ");

    for (ExitCode code : ExitCode.values()) {
      assertThat(help).containsPattern("Exit codes:.* %d ".formatted(code.code()));
    }
    assertThat(help).doesNotContain("Exit codes: 3", "; 3 ");
  }
}
