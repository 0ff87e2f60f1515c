package io.croupier.gateway.identity;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the keys of issuers. */
final class PublicKeys {
  private PublicKeys() {}

  /**
   * The public keys of a JWK set. Those that can't be read are ignored (RFC 7517, section 5): an
   * issuer may have keys of other kinds, and one of them must not hide all others.
   *
   * @throws ParseException if the text is no JWK set, or has no such key
   */
  static JWKSet of(String text) throws ParseException {
    Map<String, Object>[] present =
        JSONObjectUtils.getJSONObjectArray(JSONObjectUtils.parse(text), "keys");
    if (present == null) {
      throw new ParseException("it has no field keys", 0);
    }
    List<JWK> keys = new ArrayList<>();
    for (Map<String, Object> key : present) {
      try {
        keys.add(JWK.parse(key));
      } catch (ParseException e) {
        // Of a kind that isn't supported.
      }
    }
    JWKSet publicKeys = new JWKSet(keys).toPublicJWKSet();
    if (publicKeys.isEmpty()) {
      throw new ParseException("it has no public key", 0);
    }
    return publicKeys;
  }
}
