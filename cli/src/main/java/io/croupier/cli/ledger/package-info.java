/** The command {@code ledger}, which prints what users have spent. */
package io.croupier.cli.ledger;
