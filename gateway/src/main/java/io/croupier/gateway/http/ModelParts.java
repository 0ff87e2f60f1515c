package io.croupier.gateway.http;

import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import java.util.function.BooleanSupplier;

/**
 * The models that are served.
 *
 * @param caughtUp whether all specs and updates have been read
 */
public record ModelParts(Specs specs, Updates updates, BooleanSupplier caughtUp) {}
