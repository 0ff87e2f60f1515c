package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

/** What a page shows a person of their account. */
class GivenSectionTest extends BrowserFixture {
  /** As much of a document as the section needs; a text is no markup. */
  private static final String DOCUMENT =
      """
      ({
        createElement: (name) => ({
          name, children: [],
          append(...children) { this.children.push(...children); },
          toString() {
            const of = this.className === undefined ? '' : '.' + this.className;
            return name + of + '(' + this.children.map(String).join('|') + ')';
          },
        }),
      })""";

  private String shown(String account, String words) {
    Value options = browser.eval("({document: " + DOCUMENT + ", words: " + words + "})");
    return browser
        .export("givenSection")
        .execute(browser.eval("(" + account + ")"), options)
        .invokeMember("toString")
        .asString();
  }

  @Test
  void anAccountInWords() {
    assertThat(
            shown(
                """
                {spent: {reports: 2, epsilon: 4}, left: {epsilon: 0}, stopped: true,
                 models: [{modelId: 'm', spent: {reports: 1, epsilon: 2}, left: {reports: 3}},
                          {modelId: 'n', spent: {reports: 1, epsilon: 2}}],
                 refusals: [{modelId: '<b>', reason: 'no & no'}]}""",
                "{}"))
        .isEqualTo(
            "section.croupier-given(h2(What you have given)"
                + "|p(You are stopped: nothing that you send is taken or counted.)"
                + "|p(All of it together is at most 54.6 times as likely with your data as with"
                + " anybody else's.)"
                + "|table(thead(tr(th(model)|th(reports)|th(epsilon)|th(left)))"
                + "|tbody(tr(td(m)|td(1)|td(2)|td(3 (reports)))|tr(td(n)|td(1)|td(2)|td(no limit))"
                + "|tr(td(all together)|td(2)|td(4)|td(0))))"
                + "|ul(li(<b>: no & no)))");
  }

  @Test
  void nothingIsGivenYetAndTextsAreTheApps() {
    assertThat(
            shown(
                "{spent: {}, models: [], refusals: []}",
                "{title: 'Ihre Beitr\u00e4ge', nothing: 'Noch keine.'}"))
        .isEqualTo("section.croupier-given(h2(Ihre Beitr\u00e4ge)|p(Noch keine.))");
  }

  /** A factor is stated only of what epsilons alone bound. */
  @Test
  void otherNoiseHasNoFactor() {
    String account = "{spent: {reports: 1, epsilon: %s}, models: [], refusals: []}";
    String words = "{meaning: (times) => times, otherNoise: 'other'}";
    for (String spent :
        new String[] {"0, mu: 1", "2, mu: 1", "2, undisclosed: 1", "2, unbounded: 1"}) {
      assertThat(shown(account.formatted(spent), words)).as(spent).contains("|p(other)|");
    }
    assertThat(
            shown(
                "{spent: {reports: 1, epsilon: 1}, left: {mu: 0.5}, models: [], refusals: []}",
                "{}"))
        .contains("td(0.5 (mu))");
  }

  /** What is given is never shown as less. */
  @Test
  void likelihoodsAreRoundedUp() {
    String account = "{spent: {reports: 1, epsilon: %s}, models: [], refusals: []}";
    String words = "{meaning: (times) => times}";
    assertThat(shown(account.formatted("2"), words)).contains("|p(7.4)|");
    assertThat(shown(account.formatted("8"), words)).contains("|p(2,990)|");
    assertThat(shown(account.formatted("20"), words)).contains("|p(486,000,000)|");
    assertThat(shown(account.formatted("100"), words)).contains("|p(10^44)|");
    assertThat(shown(account.formatted("Infinity"), words)).contains("|p(10^\u221e)|");
  }
}
