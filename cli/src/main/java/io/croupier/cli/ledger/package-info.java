/** What the ledger says that people have spent: the command ledger. */
package io.croupier.cli.ledger;
