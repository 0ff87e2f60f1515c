package io.croupier.javascript;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A browser that the tests of a class share. */
abstract class BrowserFixture {
  static Browser browser;

  @BeforeAll
  static void open() {
    browser = new Browser();
  }

  @AfterAll
  static void close() {
    browser.close();
  }
}
