package io.croupier.gateway.anonymous;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.gateway.model.Specs;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.TokenLevel;
import io.croupier.schemas.TokenWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The windows that an update announces: that of its round, and the next one. */
public final class ServedWindows {
  private final Specs specs;
  private final TokenKeys keys;

  /** Announces windows of the models' specs once their keys are published. */
  public ServedWindows(Specs specs, TokenKeys keys) {
    this.specs = specs;
    this.keys = keys;
  }

  /** The windows of a model with a round; empty unless it takes anonymous reports. */
  public List<TokenWindow> of(String modelId, long round) {
    Optional<Specs.Judge> judge = specs.judge(modelId).filter(of -> of.spec().hasAnonymous());
    if (judge.isEmpty()) {
      return List.of();
    }
    ModelSpec spec = judge.get().spec();
    long present = AnonymousWindows.window(spec, round);
    List<Mechanism> levels = judge.get().levels();
    List<TokenWindow> windows = new ArrayList<>();
    for (long window : new long[] {present, present + 1}) {
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
