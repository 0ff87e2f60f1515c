/**
 * What mechanisms guarantee, alone and composed: accountants, exact where the mathematics allows
 * it. Pure mathematics that depends on nothing, so that devices, the job and the command all use
 * the same.
 */
package io.croupier.accounting;
