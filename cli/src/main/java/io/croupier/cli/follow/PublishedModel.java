package io.croupier.cli.follow;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import java.util.Optional;
import java.util.function.Predicate;

/** The published updates of one model. */
public interface PublishedModel extends AutoCloseable {

  /**
   * The newest update.
   *
   * @throws InputException if the model was retired
   */
  ModelSnapshot newest();

  /** Waits for an update that isn't known; empty if the model is retired. */
  Optional<ModelSnapshot> after(Predicate<ModelSnapshot> isKnown);

  /**
   * The terms of a round, so that no privacy is spent on a report that the job would drop.
   *
   * @throws InputException if the round was never published, or is too old, or its terms are
   *     unknown
   */
  RoundTerms published(long round);

  @Override
  void close();
}
