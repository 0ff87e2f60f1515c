package io.croupier.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The brokers: topics of partitions, and the coordinator of transactions. Of Kafka's protocol it
 * has what decides which records readers see: ids, epochs and fencing of transactional producers,
 * {@code read_committed} up to the last stable offset, aborts by timeout, and compaction.
 */
class SimulatedLog {
  /** The brokers refuse a producer whose id a later one has taken. */
  static final class FencedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    FencedException(String name) {
      super(name + " is fenced");
    }
  }

  /** States of a transaction. */
  enum State {
    OPEN,
    COMMITTED,
    ABORTED
  }

  /** One transaction: the records between its beginning and its end. */
  static final class Transaction {
    private final String name;
    private final long beganMs;
    private final Map<Partition, Long> first = new TreeMap<>();
    private State state = State.OPEN;
    private boolean isLost;

    private Transaction(String name, long beganMs) {
      this.name = name;
      this.beganMs = beganMs;
    }

    String name() {
      return name;
    }

    State state() {
      return state;
    }

    /** The offset of its first record in a partition. */
    Optional<Long> first(Partition partition) {
      return Optional.ofNullable(first.get(partition));
    }

    boolean isIn(Predicate<Partition> partitions) {
      return first.keySet().stream().anyMatch(partitions);
    }
  }

  /** A record, or the end of a transaction, which readers don't see but which has an offset. */
  static final class Entry {
    private final long offset;
    private final byte[] key;
    private final byte[] value;
    private final long atMs;
    private final Transaction transaction;
    private final boolean isEnd;

    private Entry(
        long offset, byte[] key, byte[] value, long atMs, Transaction transaction, boolean isEnd) {
      this.offset = offset;
      this.key = key;
      this.value = value;
      this.atMs = atMs;
      this.transaction = transaction;
      this.isEnd = isEnd;
    }

    long offset() {
      return offset;
    }

    byte[] key() {
      return key;
    }

    byte[] value() {
      return value;
    }

    long atMs() {
      return atMs;
    }

    private boolean isVisible() {
      return !isEnd && (transaction == null || transaction.state == State.COMMITTED);
    }

    /** Whether no one sees the record, although the state of the job contains it. */
    boolean isLost() {
      return !isEnd && transaction != null && transaction.isLost;
    }
  }

  /** A partition of a topic. */
  static final class Partition implements Comparable<Partition> {
    private final String topic;
    private final int index;
    private final List<Entry> entries = new ArrayList<>();
    private final Set<Transaction> open = new LinkedHashSet<>();
    private long first;
    private long end;
    private boolean isCompacted;

    private Partition(String topic, int index) {
      this.topic = topic;
      this.index = index;
    }

    String topic() {
      return topic;
    }

    int index() {
      return index;
    }

    long end() {
      return end;
    }

    /** The offset before which retention has deleted all records. */
    long first() {
      return first;
    }

    /** Deletes the records before an offset, as retention does. */
    void deleteBefore(long offset) {
      entries.subList(0, indexOf(offset)).clear();
      first = offset;
    }

    private long add(byte[] key, byte[] value, long atMs, Transaction of, boolean isEnd) {
      entries.add(new Entry(end, key, value, atMs, of, isEnd));
      return end++;
    }

    /** Where the first open transaction begins, or else the end. */
    long stableEnd() {
      long stable = end;
      for (Transaction transaction : open) {
        stable = Math.min(stable, transaction.first.get(this));
      }
      return stable;
    }

    /** The visible records from an offset to the last stable one. */
    List<Entry> committed(long from) {
      return committed(from, stableEnd());
    }

    /** The committed records between two offsets. */
    List<Entry> committed(long from, long to) {
      List<Entry> visible = new ArrayList<>();
      for (int i = indexOf(from); i < entries.size() && entries.get(i).offset < to; i++) {
        if (entries.get(i).isVisible()) {
          visible.add(entries.get(i));
        }
      }
      return visible;
    }

    /** The records between two offsets that the state of the job contains: also what is lost. */
    List<Entry> settled(long from, long to) {
      return entries.subList(indexOf(from), indexOf(to)).stream()
          .filter(entry -> entry.isVisible() || entry.isLost())
          .toList();
    }

    /** The records of a transaction before an offset. */
    List<Entry> of(Transaction transaction, long to) {
      return entries.subList(0, indexOf(to)).stream()
          .filter(entry -> !entry.isEnd && entry.transaction == transaction)
          .toList();
    }

    /** All records from an offset on, whatever becomes of their transactions. */
    List<Entry> uncommitted(long from) {
      return entries.subList(indexOf(from), entries.size()).stream()
          .filter(entry -> !entry.isEnd)
          .toList();
    }

    private int indexOf(long offset) {
      int low = 0;
      int high = entries.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (entries.get(middle).offset < offset) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /** Deletes records below an offset of which a later one has the key, as compaction does. */
    private void compact(long below) {
      Map<List<Byte>, Long> newest = new TreeMap<>(SimulatedLog::compare);
      for (Entry entry : entries) {
        if (entry.isVisible() && entry.offset < below) {
          newest.put(key(entry.key), entry.offset);
        }
      }
      isCompacted |=
          entries.removeIf(
              entry ->
                  entry.isVisible()
                      && entry.offset < below
                      && newest.get(key(entry.key)) != entry.offset);
    }

    /** Whether compaction has deleted any record. */
    boolean isCompacted() {
      return isCompacted;
    }

    @Override
    public int compareTo(Partition other) {
      int byTopic = topic.compareTo(other.topic);
      return byTopic != 0 ? byTopic : Integer.compare(index, other.index);
    }

    @Override
    public String toString() {
      return topic + "-" + index;
    }
  }

  /** A transactional producer. Its epoch stands for Kafka's producer id and epoch. */
  static final class Producer {
    private final String name;
    private long epoch;

    private Producer(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    long epoch() {
      return epoch;
    }
  }

  /** What the coordinator knows of a transactional id. */
  private static final class Coordinated {
    private long epoch = -1;
    private Transaction last;
  }

  private final Map<String, List<Partition>> topics = new TreeMap<>();
  private final Map<String, Long> creations = new TreeMap<>();
  private final Map<String, Coordinated> ids = new TreeMap<>();

  /** What the brokers have aborted, by the id and epoch of its producer. */
  private final Map<List<Object>, Transaction> timedOut = new HashMap<>();

  private final List<Transaction> losses = new ArrayList<>();

  /** Creates a topic, also one that has been deleted. */
  void create(String topic, int partitions) {
    List<Partition> created = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      created.add(new Partition(topic, i));
    }
    topics.put(topic, created);
    creations.merge(topic, 1L, Long::sum);
  }

  /** Half of the id of a topic: how often it was created. */
  long creations(String topic) {
    return creations.get(topic);
  }

  List<Partition> partitions(String topic) {
    return topics.get(topic);
  }

  Partition partition(String topic, int index) {
    return topics.get(topic).get(index);
  }

  /** Appends a record outside of transactions; returns its offset. */
  long append(Partition partition, byte[] key, byte[] value, long nowMs) {
    return partition.add(key, value, nowMs, null, false);
  }

  /** Takes a transactional id: fences earlier producers, and aborts an open transaction. */
  Producer takeId(String name) {
    Coordinated id = ids.computeIfAbsent(name, unused -> new Coordinated());
    if (id.last != null && id.last.state == State.OPEN) {
      end(id.last, State.ABORTED);
    }
    id.epoch++;
    id.last = null;
    Producer producer = new Producer(name);
    producer.epoch = id.epoch;
    return producer;
  }

  /** Appends a record within the producer's transaction, which begins with its first record. */
  void append(Producer producer, Partition partition, byte[] key, byte[] value, long nowMs) {
    Coordinated id = current(producer.name, producer.epoch);
    if (id.last == null || id.last.state != State.OPEN) {
      id.last = new Transaction(producer.name, nowMs);
    }
    Transaction transaction = id.last;
    long offset = partition.add(key, value, nowMs, transaction, false);
    transaction.first.putIfAbsent(partition, offset);
    partition.open.add(transaction);
  }

  private Coordinated current(String name, long epoch) {
    Coordinated id = ids.get(name);
    if (id == null || isFenced(id.epoch, epoch)) {
      throw new FencedException(name);
    }
    return id;
  }

  /** Whether a producer of an epoch may not go on, since another one has its id. */
  boolean isFenced(long newest, long epoch) {
    return newest != epoch;
  }

  /**
   * Commits the transaction of a producer; succeeds again for a transaction that is committed.
   *
   * @throws FencedException if a later producer has the id, or the transaction was aborted
   */
  void commit(String name, long epoch) {
    Coordinated id = current(name, epoch);
    if (id.last == null || id.last.state == State.ABORTED) {
      throw new FencedException(name);
    }
    if (id.last.state == State.OPEN) {
      end(id.last, State.COMMITTED);
    }
  }

  /** Aborts the transaction of a producer that is still its id's. */
  void abort(String name, long epoch) {
    Coordinated id = current(name, epoch);
    if (id.last != null && id.last.state == State.OPEN) {
      end(id.last, State.ABORTED);
    }
  }

  private void end(Transaction transaction, State state) {
    transaction.state = state;
    for (Partition partition : transaction.first.keySet()) {
      partition.open.remove(transaction);
      partition.add(null, null, 0, transaction, true);
    }
  }

  /** Aborts transactions that are older than the brokers allow; returns their names. */
  List<String> abortOlder(long thanMs) {
    List<String> aborted = new ArrayList<>();
    for (Transaction transaction : open()) {
      if (transaction.beganMs < thanMs) {
        long epoch = ids.get(transaction.name).epoch++;
        timedOut.put(List.of(transaction.name, epoch), transaction);
        end(transaction, timeOut());
        aborted.add(transaction.name);
      }
    }
    return aborted;
  }

  /** How a transaction ends that has been open for too long. */
  State timeOut() {
    return State.ABORTED;
  }

  /** The transaction of a producer, if the brokers have ended it. */
  Optional<Transaction> timedOut(String name, long epoch) {
    return Optional.ofNullable(timedOut.get(List.of(name, epoch)));
  }

  /** Takes note that what the brokers have aborted was to be committed. */
  void lose(Transaction transaction) {
    if (!transaction.isLost) {
      transaction.isLost = true;
      losses.add(transaction);
    }
  }

  /** The transactions that were lost, in their order. */
  List<Transaction> losses() {
    return losses;
  }

  /** The open transactions that have records, by name. */
  List<Transaction> open() {
    return ids.values().stream()
        .map(id -> id.last)
        .filter(last -> last != null && last.state == State.OPEN)
        .toList();
  }

  /** Fences the producer of a transaction that is still open. */
  void fence(Transaction transaction) {
    if (transaction.state == State.OPEN) {
      takeId(transaction.name);
    }
  }

  /** Compacts a topic up to an offset of each partition, at most to its last stable one. */
  void compact(String topic, Predicate<Partition> chosen) {
    for (Partition partition : topics.get(topic)) {
      if (chosen.test(partition)) {
        partition.compact(partition.stableEnd());
      }
    }
  }

  /** All committed records of a topic, by partition and offset. */
  List<Entry> committed(String topic) {
    return topics.get(topic).stream()
        .map(partition -> partition.committed(0))
        .flatMap(Collection::stream)
        .toList();
  }

  private static List<Byte> key(byte[] key) {
    List<Byte> bytes = new ArrayList<>();
    if (key != null) {
      for (byte b : key) {
        bytes.add(b);
      }
    }
    return bytes;
  }

  private static int compare(List<Byte> a, List<Byte> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = Byte.compare(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }
}
