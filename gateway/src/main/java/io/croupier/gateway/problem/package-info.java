/** Errors as problem documents (RFC 9457). */
package io.croupier.gateway.problem;
