/**
 * Studies of the learners' results: their excess risk on simulated people, in tables and pictures.
 * {@link io.croupier.studies.Studies} is the command.
 *
 * <p>Sources: [vdH19] van der Hoeven, NeurIPS 2019 (user-specified local privacy); [JO19] Jun and
 * Orabona, arXiv:1911.09564 (BANCO); [LDP] the non-asymptotic analysis of locally private SGD;
 * [DHS11] Duchi, Hazan and Singer, JMLR 2011; [IHC23] Ivgi, Hinder and Carmon, ICML 2023;
 * [KMSTTX21] Kairouz et al., ICML 2021 (DP-FTRL); [DMRST22] Denisov et al., NeurIPS 2022; [FHU22]
 * Fichtenberger, Henzinger and Upadhyay, arXiv:2202.11205; [MXZ24] McMahan, Xu and Zhang,
 * arXiv:2408.08868.
 */
package io.croupier.studies;
