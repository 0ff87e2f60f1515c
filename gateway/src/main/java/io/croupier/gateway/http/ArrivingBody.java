package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/** A request whose body takes a place for each byte that has arrived. */
final class ArrivingBody extends Request.Wrapper {
  private final Places.Place bytes;

  ArrivingBody(Request request, Places.Place bytes) {
    super(request);
    this.bytes = bytes;
  }

  @Override
  public Content.Chunk read() {
    Content.Chunk chunk = super.read();
    if (chunk == null || Content.Chunk.isFailure(chunk)) {
      return chunk;
    }
    try {
      bytes.grow(chunk.remaining());
      return chunk;
    } catch (ProblemException e) {
      chunk.release();
      return Content.Chunk.from(e, true);
    }
  }
}
