/** The operator's side of a model: files of specs, and the topic that the job reads them from. */
package io.croupier.cli.models;
