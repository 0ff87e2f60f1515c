package io.croupier.client;

import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How windows that a gateway serves to everybody compare with that of a device's token. */
enum ServedWindow {
  /** The token's window is one of them, with its rounds, declaration and key. */
  SAME,

  /** It isn't, or they are no windows of one model: a person may have got one of their own. */
  ANOTHER,

  /** None has the token's number. */
  NONE;

  /**
   * Compares. All devices require the same of the list, so no entry of it can be for one person:
   * the windows have one length and follow each other, and no two levels have the same mechanism
   * and epsilon, by which a device finds its level.
   */
  static ServedWindow of(HeldToken token, List<TokenWindow> served) {
    ServedWindow result = NONE;
    for (int i = 0; i < served.size(); i++) {
      TokenWindow window = served.get(i);
      long publications = window.getLastRound() - window.getFirstRound() + 1;
      long first = served.get(0).getLastRound() - served.get(0).getFirstRound() + 1;
      if (publications < 1
          || publications != first
          || window.getFirstRound() / publications != window.getWindow()
          || window.getFirstRound() % publications != 0
          || window.getWindow() != served.get(0).getWindow() + i
          || !haveEpsilonsOfTheirOwn(window.getLevelsList())) {
        return ANOTHER;
      }
      if (window.getWindow() == token.challenge().window()) {
        result = isOf(token, window) ? SAME : ANOTHER;
      }
    }
    return result;
  }

  private static boolean haveEpsilonsOfTheirOwn(List<TokenLevel> levels) {
    Set<String> known = new HashSet<>();
    return levels.stream()
        .allMatch(
            level ->
                known.add(
                    level.getDeclarationCase()
                        + " "
                        + (level.hasPrivUnit()
                            ? level.getPrivUnit().getEpsilon()
                            : level.getRandomisedResponse().getEpsilon())));
  }

  private static boolean isOf(HeldToken token, TokenWindow window) {
    if (window.getFirstRound() != token.firstRound()
        || window.getLastRound() != token.lastRound()
        || token.level() >= window.getLevelsCount()) {
      return false;
    }
    TokenLevel level = window.getLevels(token.level());
    return level.getModulus().equals(token.key().modulus())
        && level.hasPrivUnit()
        && AnonymousWindows.bytes(Declarations.of(level.getPrivUnit(), 0))
            .equals(token.challenge().declaration());
  }
}
