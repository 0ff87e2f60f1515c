package io.croupier.cli.data;

/**
 * The quality of weights.
 *
 * @param loss mean loss
 * @param fit share of correct predictions (classes), or share of the explained variance (R², for
 *     numeric targets)
 */
public record Score(double loss, double fit) {}
