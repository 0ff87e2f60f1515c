package io.croupier.operators.model;

import static io.croupier.operators.model.LocalModels.add;
import static io.croupier.operators.model.LocalModels.publish;
import static io.croupier.operators.model.LocalModels.restored;
import static io.croupier.operators.model.LocalModels.save;
import static io.croupier.operators.model.LocalModels.sgd;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.History;
import io.croupier.schemas.KeptAverage;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What readers are served after a roll-back, and that the learner doesn't notice it. */
class KeptAveragesTest {
  private static final int ROUNDS = 9;

  private static ModelSpec spec(int averages, long everyRounds) {
    return sgd()
        .setHistory(History.newBuilder().setAverages(averages).setEveryRounds(everyRounds))
        .build();
  }

  /** Publishes rounds up to a number, round r at time 10 r, and returns the updates. */
  private static List<ModelUpdateView> learn(LocalModel model, int until) {
    List<ModelUpdateView> updates = new ArrayList<>();
    for (long round = model.publishedRound() + 1; round <= until; round++) {
      updates.add(publish(model, 10 * round));
      add(model, round, 1);
    }
    return updates;
  }

  private static List<Long> kept(ModelUpdateView update) {
    return update.getKeptAveragesList().stream().map(KeptAverage::getRound).toList();
  }

  @Test
  void theNewestOfTheRoundsInQuestionAreKept() {
    LocalModel model = new LocalModel(spec(3, 2), 0);
    List<ModelUpdateView> updates = learn(model, ROUNDS);
    assertThat(kept(updates.get(3))).containsExactly(0L, 2L);
    assertThat(kept(updates.get(ROUNDS))).containsExactly(4L, 6L, 8L);
    assertThat(updates.get(ROUNDS).getKeptAverages(0).getPublishedAtMs()).isEqualTo(40);
    assertThat(updates).noneMatch(ModelUpdateView::hasAverageRound);

    model.respec(spec(1, 2));
    assertThat(kept(model.publish(false, 0).orElseThrow())).containsExactly(8L);
    model.respec(sgd().build());
    assertThat(kept(model.publish(false, 0).orElseThrow())).isEmpty();
  }

  @Test
  void aRollBackServesAnEarlierAverageAndTheModelContinuesToLearn() {
    LocalModel model = new LocalModel(spec(2, 1), 0);
    LocalModel twin = new LocalModel(spec(2, 1), 0);
    List<ModelUpdateView> before = learn(model, 4);
    List<ModelUpdateView> unused = learn(twin, 4);

    model.respec(spec(2, 1).toBuilder().setServedRound(3).build());
    assertThat(model.hasUrgentNews()).isTrue();
    ModelUpdateView same = model.publish(false, 50).orElseThrow();
    assertThat(same.getRound()).isEqualTo(4);
    assertThat(same.getAverageList()).isEqualTo(before.get(3).getAverageList());
    assertThat(same.getWeightsList()).isEqualTo(before.get(4).getWeightsList());

    List<ModelUpdateView> rolledBack = learn(model, ROUNDS);
    List<ModelUpdateView> others = learn(twin, ROUNDS);
    for (int i = 0; i < rolledBack.size(); i++) {
      assertThat(rolledBack.get(i).getAverageRound()).isEqualTo(3);
      assertThat(rolledBack.get(i).getAverageList()).isEqualTo(before.get(3).getAverageList());
      assertThat(rolledBack.get(i).getWeightsList()).isEqualTo(others.get(i).getWeightsList());
    }
    assertThat(kept(rolledBack.get(rolledBack.size() - 1)))
        .as("the served average stays, although it is the oldest")
        .containsExactly(3L, (long) ROUNDS);

    model.respec(spec(2, 1));
    ModelUpdateView ended = model.publish(false, 0).orElseThrow();
    assertThat(ended.hasAverageRound()).isFalse();
    assertThat(ended.getAverageList()).isEqualTo(others.get(others.size() - 1).getAverageList());
  }

  @Test
  void aRoundThatIsNotKeptHasNoEffect() {
    LocalModel model = new LocalModel(spec(2, 1), 0);
    ModelUpdateView newest = learn(model, 4).get(4);
    model.respec(spec(2, 1).toBuilder().setServedRound(1).build());
    ModelUpdateView update = model.publish(false, 0).orElseThrow();
    assertThat(update.getAverageList()).isEqualTo(newest.getAverageList());
    assertThat(update.hasAverageRound()).isFalse();
    assertThat(model.obstacle())
        .hasValueSatisfying(
            reason -> assertThat(reason).contains("served_round is 1", "one of [3, 4]"));
    model.respec(spec(2, 1).toBuilder().setServedRound(3).build());
    assertThat(model.obstacle()).isEmpty();
  }

  @Test
  void averagesAreSavedOnceAndForgotten() {
    ModelSpec spec = spec(2, 1);
    LocalModel model = new LocalModel(spec, 0);
    Map<String, byte[]> store = new HashMap<>();
    for (int until = 0; until <= ROUNDS; until++) {
      List<ModelUpdateView> unused = learn(model, until);
      save(model, store);
    }
    assertThat(store.keySet().stream().filter(name -> name.startsWith("kept-average-")))
        .containsExactlyInAnyOrder("kept-average-8/0", "kept-average-9/0");
    List<String> written = new ArrayList<>();
    model.save((name, bytes) -> written.add(name));
    assertThat(written).noneMatch(name -> name.startsWith("kept-average-"));

    LocalModel restored = restored(spec, store);
    ModelSpec back = spec.toBuilder().setServedRound(8).build();
    model.respec(back);
    restored.respec(back);
    assertThat(restored.publish(true, 7)).isEqualTo(model.publish(true, 7));

    model.respec(sgd().build());
    save(model, store);
    assertThat(store.keySet()).noneMatch(name -> name.startsWith("kept"));
  }

  /** Its state is lost; the spec and the last update are not. */
  @Test
  void aModelThatContinuesFromAnUpdateServesTheSameAverage() throws Exception {
    ModelSpec back = spec(2, 1).toBuilder().setServedRound(3).build();
    LocalModel model = new LocalModel(spec(2, 1), 0);
    List<ModelUpdateView> unused = learn(model, 4);
    model.respec(back);
    List<ModelUpdateView> served = learn(model, 5);
    LocalModel next = new LocalModel(back, 0);
    next.continueFrom(ModelUpdate.parseFrom(served.get(0).toByteArray()));
    ModelUpdateView update = publish(next, 0);
    assertThat(update.getRound()).isEqualTo(6);
    assertThat(update.getAverageRound()).isEqualTo(3);
    assertThat(update.getAverageList()).isEqualTo(served.get(0).getAverageList());
    assertThat(update.getKeptAverages(0).getPublishedAtMs()).isEqualTo(30);
  }
}
