package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * The key of an accounting event of version 2: {@code model/device/user}. The newest event of every
 * key together state the accounts, so the topic may be compacted.
 *
 * <p>The model is empty if the event changes nothing of the user's account with a model, so that it
 * doesn't replace one that did: of a resend, of a central report that is not charged, and of a
 * model that isn't known. A {@code +} follows the model in the key of a participation in a central
 * model, whose event also states how far a tree is charged. All parts but the user are empty in the
 * key of an erasure alone: a {@code +} is in the place of the model if another event has neither
 * model nor device. In the device, each byte of {@code /} or {@code %} is written as {@code %} and
 * two hexadecimal digits.
 *
 * <p>Different accounts, erasures and histories without a model have different keys: neither model
 * nor device contains a {@code /}, so the first two end them; the name of a model contains no
 * {@code +}, and escaping is injective. Before this release, events with neither model nor device
 * had the key of an erasure; they are read as before.
 *
 * @param modelId empty if the value names the model, or there is none
 */
public record AccountingKey(String modelId, String deviceId, String userId) {
  private static final byte SEPARATOR = '/';
  private static final byte ESCAPE = '%';
  private static final String CENTRAL = "+";
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /** Returns the key of an event, which has all fields that a ledger sets. */
  public static byte[] of(AccountingEvent event) {
    return of(event, event.getUserId().getBytes(UTF_8));
  }

  /** The same; {@code user} is the event's, in UTF-8. */
  public static byte[] of(AccountingEvent event, byte[] user) {
    byte[] device = escaped(event.getDeviceId().getBytes(UTF_8));
    byte[] model = model(event).getBytes(UTF_8);
    byte[] key = new byte[model.length + device.length + user.length + 2];
    System.arraycopy(model, 0, key, 0, model.length);
    key[model.length] = SEPARATOR;
    System.arraycopy(device, 0, key, model.length + 1, device.length);
    int beforeUser = model.length + 1 + device.length;
    key[beforeUser] = SEPARATOR;
    System.arraycopy(user, 0, key, beforeUser + 1, user.length);
    return key;
  }

  private static String model(AccountingEvent event) {
    if (hasModel(event)) {
      return event.hasCentral() ? event.getModelId() + CENTRAL : event.getModelId();
    }
    boolean erased = event.getOutcome() == AccountingEvent.Outcome.ERASED;
    return erased || !event.getDeviceId().isEmpty() ? "" : CENTRAL;
  }

  /** Returns whether the key of an event contains the model. */
  static boolean hasModel(AccountingEventOrBuilder event) {
    return event.hasModelTotals() && AccountingEvents.isCharged(event);
  }

  /** Returns the key of the erasure of a user's account. */
  public static byte[] ofErasure(String userId) {
    return ("//" + userId).getBytes(UTF_8);
  }

  /** Returns whether a key is that of an erasure. */
  public static boolean isOfErasure(byte[] key) {
    return key.length >= 2 && key[0] == SEPARATOR && key[1] == SEPARATOR;
  }

  /**
   * Returns the parts of a key.
   *
   * @throws IllegalArgumentException if it is not the key of an event of version 2
   */
  public static AccountingKey parse(byte[] key) {
    int afterModel = separator(key, 0);
    int afterDevice = separator(key, afterModel + 1);
    String name = new String(key, 0, afterModel, UTF_8);
    return new AccountingKey(
        name.endsWith(CENTRAL) ? name.substring(0, name.length() - 1) : name,
        unescaped(key, afterModel + 1, afterDevice),
        new String(key, afterDevice + 1, key.length - afterDevice - 1, UTF_8));
  }

  /**
   * Returns the bytes of the user, by which the topic is partitioned.
   *
   * @throws IllegalArgumentException as {@link #parse}
   */
  public static byte[] user(byte[] key) {
    int afterDevice = separator(key, separator(key, 0) + 1);
    return Arrays.copyOfRange(key, afterDevice + 1, key.length);
  }

  private static int separator(byte[] key, int from) {
    for (int i = from; i < key.length; i++) {
      if (key[i] == SEPARATOR) {
        return i;
      }
    }
    throw new IllegalArgumentException("the key is not of the form model/device/user");
  }

  private static boolean isEscaped(byte b) {
    return b == SEPARATOR || b == ESCAPE;
  }

  private static byte[] escaped(byte[] device) {
    int escapes = 0;
    for (byte b : device) {
      escapes += isEscaped(b) ? 1 : 0;
    }
    if (escapes == 0) {
      return device;
    }
    byte[] escaped = new byte[device.length + 2 * escapes];
    int to = 0;
    for (byte b : device) {
      if (isEscaped(b)) {
        escaped[to++] = ESCAPE;
        escaped[to++] = (byte) HEX.toHighHexDigit(b);
        escaped[to++] = (byte) HEX.toLowHexDigit(b);
      } else {
        escaped[to++] = b;
      }
    }
    return escaped;
  }

  private static String unescaped(byte[] key, int from, int to) {
    byte[] device = new byte[to - from];
    int length = 0;
    for (int i = from; i < to; i++) {
      if (key[i] == ESCAPE) {
        if (i + 2 >= to) {
          throw new IllegalArgumentException("the device in the key ends within an escape");
        }
        device[length++] = (byte) HexFormat.fromHexDigits(new String(key, i + 1, 2, UTF_8));
        i += 2;
      } else {
        device[length++] = key[i];
      }
    }
    return new String(device, 0, length, UTF_8);
  }
}
