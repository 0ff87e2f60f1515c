/** Admits anonymous reports, each token once. Nothing here knows a user. */
package io.croupier.operators.flink.spend;
