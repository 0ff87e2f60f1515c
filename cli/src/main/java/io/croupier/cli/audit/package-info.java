/**
 * {@code croupier audit}, which tries to refute a randomiser's guarantee from its releases alone.
 *
 * <p>Sources: [CP34] Clopper and Pearson, Biometrika 1934 (bounds on a probability); [DRS22] Dong,
 * Roth and Su, JRSS B 2022 (mu-GDP as a trade-off between errors).
 */
package io.croupier.cli.audit;
