package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import java.util.Optional;

/** One model, as far as it is published. */
interface PublishedModel extends AutoCloseable {

  /**
   * The newest state.
   *
   * @throws InputException if the model is no longer there
   */
  ModelSnapshot newest();

  /** Waits for a state of another round than {@code round}; empty if the model ends instead. */
  Optional<ModelSnapshot> after(long round);

  /**
   * Sees to it that no privacy is spent on a report that the job must drop.
   *
   * @throws InputException if the round was never published, or too long ago
   */
  void requirePublished(long round);

  @Override
  void close();
}
