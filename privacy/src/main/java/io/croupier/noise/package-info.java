/**
 * Noise that protects users: unpredictable bits, and variates drawn from them.
 *
 * <p>Only the operating system seeds a generator, and {@link io.croupier.noise.SecureBits#renew}
 * does so anew at the beginning of every release, so that a copied process doesn't repeat its
 * noise. Its callers are the client's randomisers, and the noise of central models. (The secret
 * that decides which rounds a device answers is drawn once, with its ledger, and stored there.) The
 * test code of this module creates seeded generators, and other modules can use it only in their
 * tests: no public API of the module itself accepts bits, a key or a seed, except {@link
 * io.croupier.noise.CandidateVectors}, whose seeds are public and protect nothing.
 *
 * <p>Sources: [CKS20] Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy", arXiv:2004.00010 (NeurIPS 2020); [Lem19] Lemire, "Fast Random Integer Generation in an
 * Interval", ACM TOMACS 2019; [MT00] Marsaglia and Tsang, ACM TOMS 2000 (gamma variates); [BM58]
 * Box and Muller, Ann. Math. Stat. 1958; [Ber17] Bernstein, "Fast-key-erasure random-number
 * generators", 2017.
 */
package io.croupier.noise;
