/**
 * What a report is: its decoding, and the consequences of its declared noise, which are its
 * variance in a bet and its largest plausible length.
 *
 * <p>[JO19] Jun and Orabona, Parameter-Free Locally Differentially Private Stochastic Subgradient
 * Descent, arXiv:1911.09564. G is the bound on the norm of a gradient before its noise; noise is
 * calibrated to a sensitivity of 2G between any two people.
 */
package io.croupier.operators.report;
