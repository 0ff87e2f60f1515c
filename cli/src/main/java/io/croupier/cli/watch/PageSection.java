package io.croupier.cli.watch;

import java.util.Map;

/**
 * A section that a program adds to its page.
 *
 * @param html the element; empty for none
 * @param files contents of the further files that it needs, by name; each ends in .js, .css or
 *     .json
 */
public record PageSection(String html, Map<String, String> files) {

  /** No section. */
  public static final PageSection NONE = new PageSection("", Map.of());

  /** Copies the map. */
  public PageSection {
    files = Map.copyOf(files);
  }
}
