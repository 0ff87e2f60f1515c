package io.croupier.gateway.http;

import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Refuses bodies with another transfer coding than chunked (RFC 9112, section 6.1). The server
 * takes any list that ends with chunked, and hands out the body as if it had no further coding.
 */
final class TransferCodings extends Handler.Wrapper {
  TransferCodings(Handler handler) {
    super(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    List<String> codings = request.getHeaders().getCSV(HttpHeader.TRANSFER_ENCODING, false);
    if (codings.stream().allMatch("chunked"::equalsIgnoreCase)) {
      return super.handle(request, response, callback);
    }
    Response.writeError(request, response, callback, HttpStatus.NOT_IMPLEMENTED_501);
    return true;
  }
}
