package io.croupier.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.job.kafka.CommittedRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Where anything is found that names a person: as it is, as the bytes that a hexadecimal name
 * stands for, or in Base64.
 */
final class PersonTraces {
  private final Map<String, Object> kafka;
  private final List<String> names = new ArrayList<>();

  /**
   * Searches for names.
   *
   * @param kafka properties of Kafka's clients
   * @param names such as a subject, a user id and a device id
   */
  PersonTraces(Map<String, Object> kafka, String... names) {
    this.kafka = kafka;
    for (String name : names) {
      this.names.add(name);
      this.names.add(Base64.getEncoder().withoutPadding().encodeToString(name.getBytes(UTF_8)));
      if (name.length() % 2 == 0 && name.matches("[0-9a-f]{16,}")) {
        byte[] bytes = HexFormat.of().parseHex(name);
        this.names.add(new String(bytes, ISO_8859_1));
        this.names.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
        this.names.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
      }
    }
  }

  boolean isIn(String text) {
    return names.stream().anyMatch(text::contains);
  }

  private boolean isIn(byte[] bytes) {
    return bytes != null && isIn(new String(bytes, ISO_8859_1));
  }

  private boolean isIn(ConsumerRecord<byte[], byte[]> record) {
    return isIn(record.key())
        || isIn(record.value())
        || StreamSupport.stream(record.headers().spliterator(), false)
            .anyMatch(header -> isIn(header.key()) || isIn(header.value()));
  }

  /** The topics with a committed record that names the person, those of the brokers among them. */
  Set<String> topics() throws Exception {
    Set<String> all;
    try (Admin admin = Admin.create(kafka)) {
      all = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
    }
    Set<String> found = new TreeSet<>();
    for (String topic : all) {
      CommittedRecords.forEach(
          kafka,
          topic,
          record -> {
            if (isIn(record)) {
              found.add(topic);
            }
          });
    }
    return found;
  }

  /** The files below a folder that name the person; some may disappear meanwhile. */
  Set<Path> files(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = files.filter(Files::isRegularFile).toList();
    }
    Set<Path> found = new TreeSet<>();
    for (Path file : all) {
      try {
        if (isIn(Files.readAllBytes(file))) {
          found.add(file);
        }
      } catch (NoSuchFileException e) {
        // A checkpoint that a newer one replaced.
      }
    }
    return found;
  }
}
