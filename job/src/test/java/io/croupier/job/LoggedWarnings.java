package io.croupier.job;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/**
 * The messages of level WARN or above that a class or package logs, from construction to {@link
 * #close()}.
 */
public final class LoggedWarnings extends AbstractAppender implements AutoCloseable {
  private final Logger logger;
  private final Level level;
  private final List<String> messages = new CopyOnWriteArrayList<>();

  public LoggedWarnings(Class<?> source) {
    this(source.getName());
  }

  /** Collects from a class, or from all classes of a package. */
  public LoggedWarnings(String source) {
    this(source, Level.WARN);
  }

  /** Collects messages of another level, too. */
  public LoggedWarnings(String source, Level level) {
    super("warnings", null, null, false, Property.EMPTY_ARRAY);
    this.level = level;
    logger = (Logger) LogManager.getLogger(source);
    start();
    // The first appender of a logger gives it the level of its parent.
    logger.addAppender(this);
    logger.setLevel(level);
  }

  public List<String> messages() {
    return List.copyOf(messages);
  }

  @Override
  public void append(LogEvent event) {
    if (event.getLevel().isMoreSpecificThan(level)) {
      messages.add(event.getMessage().getFormattedMessage());
    }
  }

  @Override
  public void close() {
    logger.removeAppender(this);
    logger.setLevel(null);
    stop();
  }
}
