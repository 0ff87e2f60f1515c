/**
 * The commands {@code account} and {@code calibrate}, which compute privacy guarantees. All
 * mathematics is in {@code io.croupier.accounting}.
 */
package io.croupier.cli.account;
