/** Reads JSON from strangers. */
package io.croupier.gateway.json;
