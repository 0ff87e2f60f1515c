/** What several commands read and write: record formats, tables, and progress bars. */
package io.croupier.cli.io;
