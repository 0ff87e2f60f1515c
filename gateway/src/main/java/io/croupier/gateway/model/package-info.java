/** The models that devices report to: their specs, and their newest committed updates. */
package io.croupier.gateway.model;
