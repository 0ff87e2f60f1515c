/** Tokens for anonymous reports: their keys, and the verdicts of the job on requests for them. */
package io.croupier.gateway.anonymous;
