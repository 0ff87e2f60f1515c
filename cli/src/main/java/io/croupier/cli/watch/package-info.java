/** A live page about models, accounts and dead letters, and the feed behind it. */
package io.croupier.cli.watch;
