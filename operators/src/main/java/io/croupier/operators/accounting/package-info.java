/**
 * What each person has spent of their privacy: pure, with the state in the caller's hands.
 *
 * <p>Relation: replace-one. All sums err on the side of too much spent, and saturate instead of
 * overflowing.
 *
 * <p>[BS16] Bun and Steinke, TCC 2016 (zero-concentrated differential privacy).
 */
package io.croupier.operators.accounting;
