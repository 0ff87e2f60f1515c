/** Losses of linear predictions, with the derivatives that gradients need. */
package io.croupier.client.loss;
