package io.croupier.gateway;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What all classes log, from construction to {@link #close()}: logger, message, exception. */
public final class LogLines extends AbstractAppender implements AutoCloseable {
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
  private final List<String> lines = new CopyOnWriteArrayList<>();

  /**
   * Begins to collect.
   *
   * @param level the least severe one that is collected
   */
  public LogLines(Level level) {
    super("lines", null, null, true, Property.EMPTY_ARRAY);
    start();
    context.getConfiguration().getRootLogger().addAppender(this, level, null);
    context.getConfiguration().getRootLogger().setLevel(level);
    context.updateLoggers();
  }

  /** The lines until now. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** How many lines until now contain a text. */
  public long count(String text) {
    return lines.stream().filter(line -> line.contains(text)).count();
  }

  @Override
  public void append(LogEvent event) {
    lines.add(
        event.getLoggerName()
            + " "
            + event.getMessage().getFormattedMessage()
            + (event.getThrown() == null ? "" : " " + event.getThrown()));
  }

  @Override
  public void close() {
    context.getConfiguration().getRootLogger().removeAppender(getName());
    context.updateLoggers();
    stop();
  }
}
