package io.croupier.cli.data;

/**
 * How good some weights are.
 *
 * @param loss mean loss
 * @param fit share of people who are predicted right (two classes), or share of the variance that
 *     is explained (a number)
 */
public record Score(double loss, double fit) {}
