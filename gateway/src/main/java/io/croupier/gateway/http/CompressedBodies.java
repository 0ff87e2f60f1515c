package io.croupier.gateway.http;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * Bodies in gzip, for clients that accept it. Files and models are the same arrays for each
 * request, so each is compressed once. Models in Protobuf are left as they are: weights hardly
 * shrink. No body contains both a secret and a part that a request chooses (BREACH).
 */
final class CompressedBodies {
  private static final String GZIP = "gzip";

  /** Below this, the header of gzip outweighs what is saved in a packet. */
  private static final int LEAST_BYTES = 1024;

  private static final int MOST_KEPT = 256;

  /** By identity; must not be changed. */
  private static final LoadingCache<byte[], byte[]> COMPRESSED =
      Caffeine.newBuilder().weakKeys().maximumSize(MOST_KEPT).build(CompressedBodies::compress);

  private CompressedBodies() {}

  /** The bytes to send for a body, with the headers that describe their encoding. */
  static byte[] encode(Request request, Response response, String mediaType, byte[] body) {
    if (body.length < LEAST_BYTES
        || !(mediaType.startsWith("text/") || mediaType.contains("json"))) {
      return body;
    }
    response.getHeaders().add(HttpHeader.VARY, HttpHeader.ACCEPT_ENCODING.asString());
    if (!request.getHeaders().getQualityCSV(HttpHeader.ACCEPT_ENCODING).contains(GZIP)) {
      return body;
    }
    response.getHeaders().put(HttpHeader.CONTENT_ENCODING, GZIP);
    return COMPRESSED.get(body);
  }

  private static byte[] compress(byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 2);
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
