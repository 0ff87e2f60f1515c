/** Who sends a report: tokens, and the user ids that follow from them. */
package io.croupier.gateway.identity;
