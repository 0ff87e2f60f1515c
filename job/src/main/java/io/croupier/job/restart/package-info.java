/** What a start reads of the outputs that are already visible. */
package io.croupier.job.restart;
