package io.croupier.cli.demo;

import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.ModelSpec;

/**
 * What a window of anonymous reports guarantees to each of its people.
 *
 * @param reports that the job admitted
 * @param local epsilon of one report
 * @param central epsilon against readers who don't know when the person reported, at {@code delta}
 */
record WindowGuarantee(long reports, double local, double central, double delta) {

  /** The guarantee of the first level of a model, from the number of its reports. */
  static WindowGuarantee of(ModelSpec spec, long reports) {
    Mechanism level = AnonymousWindows.levels(spec).get(0);
    double delta = AnonymousWindows.delta(spec);
    long counted = AnonymousWindow.counted(reports, AnonymousWindows.honest(spec), 1);
    double central =
        counted == 0
            ? level.level()
            : AnonymousWindow.of(level.cost().loss(), counted, AnonymousWindows.availability(spec))
                .epsilon(delta);
    return new WindowGuarantee(reports, level.level(), central, delta);
  }
}
