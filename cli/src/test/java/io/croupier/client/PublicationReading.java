package io.croupier.client;

/** Reads updates as a subscriber does. */
public final class PublicationReading {
  private PublicationReading() {}

  /** The number of newer publications of an update, after it and one of a later round were read. */
  public static int newerThan(byte[] update) {
    Publications publications = new Publications();
    ModelSnapshot snapshot = ModelSnapshot.parse(update);
    publications.add(snapshot);
    publications.add(snapshot);
    return publications.newerThan(publications.newest());
  }
}
