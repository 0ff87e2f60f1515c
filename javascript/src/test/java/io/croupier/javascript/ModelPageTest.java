package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

/** The features of docs/model.md in JavaScript are those of its Java code. */
class ModelPageTest {

  @Test
  void featuresAreThoseOfTheJavaCode() throws Exception {
    Matcher code =
        Pattern.compile("```js\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/model.md")));
    assertThat(code.find()).isTrue();

    try (Browser browser = new Browser()) {
      Value features = browser.eval("(() => {" + code.group(1) + "return features; })()");
      Value day = browser.eval("(() => ({ minutesWalked: 45, hoursSlept: 9, shift: 'night' }))()");
      Value extreme =
          browser.eval("(() => ({ minutesWalked: 500, hoursSlept: -1, shift: 'on call' }))()");

      assertThat(features.execute(day).as(double[].class)).containsExactly(1, -0.5, 0.5, 0, 1, 0);
      assertThat(features.execute(extreme).as(double[].class)).containsExactly(1, 1, -1, 0, 0, 0);
    }
  }
}
