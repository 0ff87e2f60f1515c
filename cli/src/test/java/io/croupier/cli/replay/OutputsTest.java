package io.croupier.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.croupier.cli.InputException;
import io.croupier.cli.io.JsonLines;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputsTest {
  @TempDir private Path directory;

  /** Simulates a full disk: buffered data can't be written. */
  private static final class Full extends Writer {
    @Override
    public void write(char[] buffer, int offset, int length) throws IOException {
      throw new IOException("No space left on device");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static void write(JsonLines file, JsonObject json) {
    file.write(json);
  }

  @Test
  void aFileThatCannotBeWrittenToItsEndIsNamedAndTheOthersAreWritten() {
    Path file = directory.resolve("lines.jsonl");
    Outputs outputs = new Outputs(new Full());
    outputs.create("-", OutputsTest::write).accept(new JsonObject());
    outputs.create(file.toString(), OutputsTest::write).accept(new JsonObject());

    assertThatThrownBy(outputs::close)
        .isInstanceOf(InputException.class)
        .hasMessage("-: can't be written: No space left on device");
    assertThat(file).hasContent("{}");
  }

  @Test
  void standardOutputIsWrittenThrough() {
    StringWriter standardOut = new StringWriter();
    Outputs outputs = new Outputs(new BufferedWriter(standardOut));
    outputs.create("-", OutputsTest::write).accept(new JsonObject());

    outputs.close();

    assertThat(standardOut).hasToString("{}\n");
  }

  @Test
  void aFailureNamesIncompleteFiles() {
    InputException failure = new InputException("it failed");
    Outputs outputs = new Outputs(new StringWriter());
    outputs.create(null, OutputsTest::write);
    assertThat(outputs.incomplete(failure)).isSameAs(failure);

    outputs.create("-", OutputsTest::write);

    assertThat(outputs.incomplete(failure))
        .hasMessage("it failed; these files are incomplete: -")
        .hasCause(failure);
  }
}
