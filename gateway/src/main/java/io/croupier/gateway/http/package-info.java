/** The server: routes, limits, answers. */
package io.croupier.gateway.http;
