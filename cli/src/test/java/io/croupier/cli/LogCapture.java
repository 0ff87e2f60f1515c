package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** Captures all log messages of level INFO and above with their causes, until it is closed. */
final class LogCapture extends AbstractAppender implements AutoCloseable {
  private final Logger root = (Logger) LogManager.getRootLogger();
  private final Level before = root.getLevel();
  private final List<Appender> others = List.copyOf(root.getAppenders().values());
  private final List<String> text = new CopyOnWriteArrayList<>();

  LogCapture() {
    super("capture", null, null, false, Property.EMPTY_ARRAY);
    start();
    others.forEach(root::removeAppender);
    root.addAppender(this);
    Configurator.setRootLevel(Level.INFO);
  }

  List<String> text() {
    return List.copyOf(text);
  }

  /** Waits for a message that contains {@code wanted}. */
  synchronized void await(String wanted, Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (text.stream().noneMatch(line -> line.contains(wanted))) {
      long left = deadline - System.nanoTime();
      assertThat(left).as("time left for '%s'", wanted).isPositive();
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  @Override
  public synchronized void append(LogEvent event) {
    text.add(event.getMessage().getFormattedMessage());
    for (Throwable cause = event.getThrown(); cause != null; cause = cause.getCause()) {
      text.add(cause.toString());
    }
    notifyAll();
  }

  @Override
  public void close() {
    Configurator.setRootLevel(before);
    root.removeAppender(this);
    others.forEach(root::addAppender);
    stop();
  }
}
