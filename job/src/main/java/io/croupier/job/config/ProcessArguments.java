package io.croupier.job.config;

/** The arguments of a process, which the JVM decodes by the locale. */
public final class ProcessArguments {
  private static final char UNDECODABLE = '\ufffd';

  private ProcessArguments() {}

  /**
   * Requires that no character of the arguments was lost, which would make two names one.
   *
   * @throws IllegalArgumentException if the JVM could not decode an argument
   */
  public static void requireDecoded(String... arguments) {
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i].indexOf(UNDECODABLE) >= 0) {
        throw new IllegalArgumentException(
            "Argument %d contains bytes that are not text in the locale's encoding, %s; set LC_ALL=C.UTF-8"
                .formatted(i + 1, System.getProperty("sun.jnu.encoding")));
      }
    }
  }
}
