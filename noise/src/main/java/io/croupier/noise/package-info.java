/**
 * Noise that protects somebody: bits that nobody can guess, and variates drawn from them.
 *
 * <p>Only the operating system seeds a generator, and {@link io.croupier.noise.SecureBits#renew}
 * does so anew at the beginning of every release, so that a copied process doesn't repeat its
 * noise. Its callers are two: the base class of all client randomisers, and the noise of central
 * models. (Which rounds a device answers is drawn once, with its ledger, and kept there.) Seeded
 * ones are made by the test code of this module, which other modules see in their tests alone:
 * nothing public of the module itself takes bits, a key or a seed.
 *
 * <p>Sources: [CKS20] Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy", arXiv:2004.00010 (NeurIPS 2020); [Lem19] Lemire, "Fast Random Integer Generation in an
 * Interval", ACM TOMACS 2019; [MT00] Marsaglia and Tsang, ACM TOMS 2000 (gamma variates); [BM58]
 * Box and Muller, Ann. Math. Stat. 1958; [Ber17] Bernstein, "Fast-key-erasure random-number
 * generators", 2017.
 */
package io.croupier.noise;
