package io.croupier.operators.report;

import io.croupier.accounting.mechanism.DeclaredClip;

/**
 * A well-formed gradient report inside the job: the fields of {@link
 * io.croupier.schemas.GradientReport} as primitives, its vector still in wire format.
 *
 * <p>Public fields, no logic, and no {@code toString} that could quote a gradient.
 */
public final class Report {
  public String modelId = "";
  public long round;
  public String userId = "";
  public String deviceId = "";
  public long sequence;

  /** When the client created the report, milliseconds since 1970. Replays alone read it. */
  public long createdAtMs;

  public VectorForm form = VectorForm.DENSE;

  /**
   * Coordinates of the whole vector: as stated by a sparse report, otherwise the number of values;
   * 0 for an {@code ANSWER}, a {@code VOTE} or a {@code TOKEN}.
   */
  public int dimension;

  /**
   * Values in the layout of {@link #form}; finite, except in a raw report, which may have any
   * values.
   */
  public byte[] values = {};

  /** Coordinates of the values of a sparse report, in the order received; otherwise empty. */
  public int[] indices = {};

  /** The label of an example, which may have any value; otherwise 0. */
  public double y;

  public Declaration declaration = Declaration.UNDISCLOSED;

  /** Declared level of the mechanism: its epsilon or mu; 0 if it has no single level. */
  public double level;

  /** Whether the level of {@code RANDOMISED_RESPONSE} is a mu; otherwise false. */
  public boolean levelIsMu;

  /** The bound to which the gradient was clipped, as the report states it; 0 if it doesn't. */
  public double gradientBound;

  /** Name of the question of an {@code ANSWER} or of the statistic of a {@code VOTE}; or empty. */
  public String question = "";

  /** The randomised bit of an {@code ANSWER}; otherwise false. */
  public boolean bit;

  /**
   * Declared taus of {@code COORDINATE_LAPLACE} as little-endian doubles, one for each coordinate,
   * in a sparse report one for each of {@link #indices}; otherwise empty.
   */
  public byte[] taus = {};

  /** Declared clip of {@code COORDINATE_LAPLACE}; otherwise {@code UNSPECIFIED}. */
  public DeclaredClip clip = DeclaredClip.UNSPECIFIED;

  /** Declared candidates of {@code PRIV_UNIT}, or groups of {@code HASHED_RESPONSE}; or 0. */
  public int candidates;

  /** Declared top of {@code PRIV_UNIT}; otherwise 0. */
  public int top;

  /** Seed of {@code CANDIDATE}, or of {@code VOTE} if it has one; otherwise 0. */
  public long candidateSeed;

  /** Index of {@code CANDIDATE} or {@code VOTE}, below the declared number; otherwise 0. */
  public int candidateIndex;

  /** Whether a {@code VOTE} has a seed, which assigns the categories to groups; otherwise false. */
  public boolean isHashed;

  /** Tag of a {@code TOKEN}, or of a request for an account; otherwise empty. */
  public byte[] tag = {};

  /** SHA-256 of the record's bytes, truncated to 64 bits. */
  public long digest;

  /**
   * The topic of the record. The declaration is {@code CENTRAL} exactly if this is the topic for
   * raw gradients.
   */
  public String topic = "";

  public int partition;
  public long offset;

  /**
   * Whether the record is no report but asks to erase the user's account; then only the user and
   * the position are set.
   */
  public boolean erasure;

  /**
   * Whether the record is no report but asks for the user's account; then only the user, {@link
   * #tag} and the position are set.
   */
  public boolean accountRequest;

  /** When the broker appended the record, milliseconds since 1970; 0 if that is unknown. */
  public long appendedAtMs;
}
