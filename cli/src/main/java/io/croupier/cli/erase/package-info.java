/** The command that erases a person's account. */
package io.croupier.cli.erase;
