package io.croupier.gateway.anonymous;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The windows of models that take anonymous reports, with their keys. */
public record ServedWindows(Specs specs, TokenKeys keys) {
  /**
   * Lets updates announce windows. Call it before the keys are read: specs, updates, and keys are
   * on different topics, so each of them may be the last to come.
   */
  public void announceOn(Updates updates) {
    updates.announce(this::announced);
    specs.watch(updates::refresh);
    keys.watch(updates::refresh);
  }

  /**
   * The windows that a model's update announces: that of its round, and the next one. Empty unless
   * the model takes anonymous reports.
   */
  public List<TokenWindow> announced(String modelId, long round) {
    return windows(modelId, round, 0);
  }

  /** Those, and the window before, of which reports may still arrive. */
  public List<TokenWindow> open(String modelId, long round) {
    return windows(modelId, round, 1);
  }

  private List<TokenWindow> windows(String modelId, long round, int earlier) {
    Optional<Specs.Judge> judge = specs.judge(modelId).filter(of -> of.spec().hasAnonymous());
    if (judge.isEmpty()) {
      return List.of();
    }
    ModelSpec spec = judge.get().spec();
    long present = AnonymousWindows.window(spec, round);
    List<Mechanism> levels = judge.get().levels();
    List<TokenWindow> windows = new ArrayList<>();
    for (long number = Math.max(0, present - earlier); number <= present + 1; number++) {
      long window = number;
      keys.moduli(modelId, window, levels)
          .ifPresent(moduli -> windows.add(window(spec, window, levels, moduli)));
    }
    return windows;
  }

  private static TokenWindow window(
      ModelSpec spec, long window, List<Mechanism> levels, List<ByteString> moduli) {
    TokenWindow.Builder result =
        TokenWindow.newBuilder()
            .setWindow(window)
            .setFirstRound(AnonymousWindows.firstRound(spec, window))
            .setLastRound(AnonymousWindows.firstRound(spec, window + 1) - 1);
    for (int i = 0; i < levels.size(); i++) {
      TokenLevel.Builder level = TokenLevel.newBuilder().setModulus(moduli.get(i));
      // The names of a mechanism's fields are the same in every record.
      Declarations.declare(levels.get(i), level);
      result.addLevels(level);
    }
    return result.build();
  }
}
