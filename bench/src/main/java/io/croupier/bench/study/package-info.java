/**
 * Studies of what the learners achieve: their excess risk on simulated people, in tables and
 * pictures. {@link io.croupier.bench.study.Studies} is the command.
 *
 * <p>Sources: [vdH19] van der Hoeven, NeurIPS 2019 (user-specified local privacy); [JO19] Jun and
 * Orabona, arXiv:1911.09564 (BANCO); [LDP] the non-asymptotic analysis of locally private SGD;
 * [DHS11] Duchi, Hazan and Singer, JMLR 2011; [IHC23] Ivgi, Hinder and Carmon, ICML 2023.
 */
package io.croupier.bench.study;
