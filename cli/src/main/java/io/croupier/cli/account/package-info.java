/**
 * What noise and reports guarantee, in numbers: the commands account and calibrate. All mathematics
 * is that of {@code io.croupier.accounting}.
 */
package io.croupier.cli.account;
