package io.croupier.client;

/** Takes in updates as a subscriber does. */
public final class PublicationReading {
  private PublicationReading() {}

  /** How many publications are newer than an update, after it and one of a later round. */
  public static int newerThan(byte[] update) {
    Publications publications = new Publications();
    ModelSnapshot snapshot = ModelSnapshot.parse(update);
    publications.add(snapshot);
    publications.add(snapshot);
    return publications.newerThan(publications.newest());
  }
}
