package io.croupier.javascript;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.io.IOAccess;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.graalvm.polyglot.proxy.ProxyObject;

/**
 * A JavaScript engine that has loaded croupier.js. It is no browser: it has no DOM, storage or
 * network.
 */
final class Browser implements AutoCloseable {
  static final Path FILES = Path.of("../target/classes/META-INF/resources/croupier");

  private final Context context;
  private final Value module;
  private LongSupplier words;

  Browser() {
    context =
        Context.newBuilder("js")
            // Modules of the tests import one another.
            .allowIO(IOAccess.newBuilder().allowHostFileAccess(true).build())
            .option("engine.WarnInterpreterOnly", "false")
            .option("js.esm-eval-returns-exports", "true")
            .option("js.text-encoding", "true")
            .build();
    try {
      module = load(FILES.resolve("croupier.js"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Value load(Path file) throws IOException {
    return context.eval(
        Source.newBuilder("js", file.toUri().toURL())
            .mimeType("application/javascript+module")
            .build());
  }

  /** The exports of another module, of the tests. */
  Value test(String name) {
    try {
      return load(Path.of("src/test/resources/io/croupier/javascript").resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An export of croupier.js. */
  Value export(String name) {
    return module.getMember(name);
  }

  /** All exports of croupier.js. */
  Value exports() {
    return module;
  }

  /** A part of croupier.js that is no part of its API. */
  Value internal(String name) {
    return module.getMember("internals").getMember(name);
  }

  Value eval(String javaScript) {
    return context.eval("js", javaScript);
  }

  /** Calls a function with the exports of croupier.js, and what else it takes. */
  Value call(String function, Object... others) {
    return eval(function).execute(withFirst(module, others));
  }

  /** Calls a function with the parts of croupier.js that are no part of its API. */
  Value callInternals(String function, Object... others) {
    return eval(function).execute(withFirst(module.getMember("internals"), others));
  }

  private static Object[] withFirst(Value first, Object... others) {
    return Stream.concat(Stream.of(first), Arrays.stream(others)).toArray();
  }

  /** The snapshot that croupier.js reads from an update in JSON. */
  Value readUpdate(String json) {
    return call("({readUpdate}, json) => readUpdate(JSON.parse(json))", json);
  }

  /** Where {@link #crypto} takes its words from: from now on another one. */
  void words(LongSupplier supplier) {
    words = supplier;
  }

  /**
   * A Web Crypto object whose words are those of a supplier, 64 bits each, the lower half first.
   */
  ProxyObject crypto(LongSupplier supplier) {
    words = supplier;
    ProxyExecutable getRandomValues =
        arguments -> {
          Value array = arguments[0];
          int bits = array.getMember("BYTES_PER_ELEMENT").asInt() * Byte.SIZE;
          long mask = (1L << bits) - 1;
          for (long i = 0; i < array.getArraySize(); ) {
            long word = words.getAsLong();
            for (int at = 0; at < Long.SIZE && i < array.getArraySize(); at += bits) {
              array.setArrayElement(i++, word >>> at & mask);
            }
          }
          return array;
        };
    return ProxyObject.fromMap(Map.of("getRandomValues", getRandomValues, "subtle", subtle()));
  }

  /** Hashes, X25519 and AES-GCM of Web Crypto, by the JDK; keys are their bytes. */
  private Value subtle() {
    ProxyExecutable digest =
        arguments -> {
          try {
            MessageDigest hash = MessageDigest.getInstance(arguments[0].asString());
            return array(hash.digest(bytes(arguments[1])));
          } catch (NoSuchAlgorithmException e) {
            throw new IllegalArgumentException(e);
          }
        };
    ProxyExecutable newKey =
        arguments -> {
          ByteBuffer key = ByteBuffer.allocate(WebKeys.BYTES);
          while (key.hasRemaining()) {
            key.putLong(words.getAsLong());
          }
          return array(key.array());
        };
    ProxyExecutable agree =
        arguments -> array(WebKeys.agree(bytes(arguments[0]), bytes(arguments[1])));
    ProxyExecutable cipher =
        arguments ->
            array(
                WebKeys.aesGcm(
                    arguments[0].asBoolean(),
                    bytes(arguments[1]),
                    bytes(arguments[2]),
                    bytes(arguments[3])));
    return eval("""
            (digest, newKey, agree, cipher) => ({
              digest: async (name, bytes) => digest(name, bytes).buffer,
              generateKey: async () => {
                const privateKey = newKey();
                return { privateKey, publicKey: agree(privateKey, Uint8Array.of(9, ...new Uint8Array(31))) };
              },
              importKey: async (format, bytes) => bytes,
              exportKey: async (format, key) => key.slice().buffer,
              deriveBits: async (peer, key) => agree(key, peer.public).buffer,
              encrypt: async ({ iv }, key, bytes) => cipher(true, key, iv, bytes).buffer,
              decrypt: async ({ iv }, key, bytes) => cipher(false, key, iv, bytes).buffer,
            })
            """)
        .execute(digest, newKey, agree, cipher);
  }

  /** The same bytes in this engine. */
  Value array(byte[] bytes) {
    Value array = eval("(n) => new Uint8Array(n)").execute(bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      array.setArrayElement(i, bytes[i] & 0xff);
    }
    return array;
  }

  /** An array of this engine. */
  Value array(double... values) {
    Value array = eval("(n) => new Float64Array(n)").execute(values.length);
    for (int i = 0; i < values.length; i++) {
      array.setArrayElement(i, values[i]);
    }
    return array;
  }

  /** The integer, as a BigInt of this engine. */
  Value big(long value) {
    return eval("(text) => BigInt.asUintN(64, BigInt(text))").execute(Long.toString(value));
  }

  /** The cases of a golden file, which the devices in all languages have. */
  static JsonNode golden(String name) throws IOException {
    return new ObjectMapper()
        .readTree(new File("../../python/tests/golden/%s.json".formatted(name)));
  }

  static List<Value> values(Value array) {
    return LongStream.range(0, array.getArraySize()).mapToObj(array::getArrayElement).toList();
  }

  static List<String> texts(Value array) {
    return values(array).stream().map(Value::asString).toList();
  }

  static double[] doubles(Value array) {
    return values(array).stream().mapToDouble(Value::asDouble).toArray();
  }

  static byte[] bytes(Value array) {
    byte[] bytes = new byte[(int) array.getArraySize()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) array.getArrayElement(i).asInt();
    }
    return bytes;
  }

  @Override
  public void close() {
    context.close();
  }
}
