package io.croupier.cli.follow;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import java.util.Optional;

/** The published updates of one model. */
public interface PublishedModel extends AutoCloseable {

  /**
   * The newest update.
   *
   * @throws InputException if the model was retired
   */
  ModelSnapshot newest();

  /** Waits for an update of another round than {@code round}; empty if the model is retired. */
  Optional<ModelSnapshot> after(long round);

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
