/** The settings of the job, and where they come from. */
package io.croupier.job.config;
