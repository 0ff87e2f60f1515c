/**
 * Reports without a person: how they are read, and which token admits one. Nothing here knows a
 * user.
 */
package io.croupier.operators.anonymous;
