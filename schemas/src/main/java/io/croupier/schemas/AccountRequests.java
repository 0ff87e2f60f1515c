package io.croupier.schemas;

/** What {@link AccountRequest}s contain. */
public final class AccountRequests {
  /** Bytes of a tag. */
  public static final int TAG_BYTES = 16;

  private AccountRequests() {}
}
