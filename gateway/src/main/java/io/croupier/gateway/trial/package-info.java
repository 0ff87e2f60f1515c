/** Visitors of a page who take part in a trial, under identities that prove nothing. */
package io.croupier.gateway.trial;
