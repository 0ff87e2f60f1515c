/** Commands about one person: who is meant, erasure, stop and resumption. */
package io.croupier.cli.person;
