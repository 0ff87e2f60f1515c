package io.croupier.schemas;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The windows of a model with anonymous reports, by its spec: window b has the rounds from b
 * publications on, and a report may declare one of a few levels.
 */
public final class AnonymousWindows {
  private static final int MOST_PUBLICATIONS = 1_000_000;
  private static final int MOST_LEVELS = 8;
  private static final double LEAST_EPSILON = 1e-6;
  private static final double MOST_EPSILON = PrivUnitLaw.MOST_EPSILON;
  private static final double DEFAULT_DELTA = 1e-6;
  private static final byte OF_PRIV_UNIT = 1;
  private static final byte OF_RESPONSE = 2;

  private AnonymousWindows() {}

  /** The window of a round of a model with anonymous reports. */
  public static long window(ModelSpec spec, long round) {
    return round / spec.getAnonymous().getPublications();
  }

  /** The first round of a window; of one whose rounds exceed a long, the largest long. */
  public static long firstRound(ModelSpec spec, long window) {
    int publications = spec.getAnonymous().getPublications();
    return window > Long.MAX_VALUE / publications ? Long.MAX_VALUE : window * publications;
  }

  /** The last round of a window; the largest long where that exceeds a long. */
  public static long lastRound(ModelSpec spec, long window) {
    long first = firstRound(spec, window);
    int others = spec.getAnonymous().getPublications() - 1;
    return first > Long.MAX_VALUE - others ? Long.MAX_VALUE : first + others;
  }

  /** Least share of reports that honest devices send: as set, else 1. */
  public static double honest(ModelSpec spec) {
    return spec.getAnonymous().hasHonest() ? spec.getAnonymous().getHonest() : 1;
  }

  /**
   * Least share of a person's probability of a report with which any other person reports at each
   * publication: as set, else 1.
   */
  public static double availability(ModelSpec spec) {
    return spec.getAnonymous().hasAvailability() ? spec.getAnonymous().getAvailability() : 1;
  }

  /** The delta of the central guarantee: as set, else 1e-6. */
  public static double delta(ModelSpec spec) {
    return spec.getAnonymous().hasDelta() ? spec.getAnonymous().getDelta() : DEFAULT_DELTA;
  }

  /** What an anonymous report may declare, in the order of a valid spec. */
  public static List<Mechanism> levels(ModelSpec spec) {
    PrivUnitLaws laws = new PrivUnitLaws();
    List<Mechanism> levels = new ArrayList<>();
    for (Anonymous.Level level : spec.getAnonymous().getLevelsList()) {
      if (level.hasPrivUnit()) {
        double epsilon = level.getPrivUnit().getEpsilon();
        int candidates = PrivUnitLaw.defaultCandidates(epsilon);
        levels.add(PrivUnitMechanism.of(laws.best(spec.getDimension(), epsilon, candidates)));
      } else {
        levels.add(
            new RandomisedResponseMechanism(level.getRandomisedResponse().getEpsilon(), false));
      }
    }
    return List.copyOf(levels);
  }

  /**
   * The bytes that stand for a level where keys are derived: 1 for priv_unit or 2 for
   * randomised_response, the epsilon as a 64-bit floating-point number, then candidates and top of
   * 32 bits each, 0 for randomised_response; all big-endian.
   */
  public static ByteString bytes(Mechanism level) {
    ByteBuffer bytes = ByteBuffer.allocate(1 + Double.BYTES + 2 * Integer.BYTES);
    if (level instanceof PrivUnitMechanism unit) {
      bytes.put(OF_PRIV_UNIT).putDouble(unit.epsilon());
      bytes.putInt(unit.candidates()).putInt(unit.top());
    } else {
      bytes.put(OF_RESPONSE).putDouble(level.level()).putInt(0).putInt(0);
    }
    return UnsafeByteOperations.unsafeWrap(bytes.array());
  }

  /**
   * The level that bytes of {@link #bytes} stand for.
   *
   * @param bytes read up to the end of the level
   * @throws IllegalArgumentException if they stand for no level
   */
  public static Mechanism level(ByteBuffer bytes) {
    byte kind = bytes.get();
    double epsilon = bytes.getDouble();
    int candidates = bytes.getInt();
    int top = bytes.getInt();
    return switch (kind) {
      case OF_PRIV_UNIT -> new PrivUnitMechanism(epsilon, candidates, top);
      case OF_RESPONSE -> new RandomisedResponseMechanism(epsilon, false);
      default -> throw new IllegalArgumentException("no level begins with " + kind);
    };
  }

  static Anonymous resolve(ModelSpec spec) {
    return spec.getAnonymous().toBuilder()
        .setHonest(honest(spec))
        .setDelta(delta(spec))
        .setAvailability(availability(spec))
        .build();
  }

  static void check(ModelSpec spec, Violations violations) {
    violations.require(
        !ModelSpecs.isCentral(spec),
        "anonymous",
        "set",
        "left out for a central model, which takes reports without noise from the device only");
    violations.require(
        !spec.hasAdaptiveClip(),
        "anonymous",
        "set",
        "left out with adaptive_clip: anonymous reports are made with the gradient_bound");
    Anonymous anonymous = spec.getAnonymous();
    String right = "from 1 to " + MOST_PUBLICATIONS;
    if (violations.required("anonymous.publications", anonymous.hasPublications(), right)) {
      int publications = anonymous.getPublications();
      violations.require(
          publications >= 1 && publications <= MOST_PUBLICATIONS,
          "anonymous.publications",
          publications,
          right);
      violations.require(
          ModelSpecs.maxStaleness(spec) <= publications,
          "max_staleness",
          ModelSpecs.maxStaleness(spec),
          "at most anonymous.publications, " + publications);
    }
    if (anonymous.hasHonest()) {
      checkShare("anonymous.honest", anonymous.getHonest(), violations);
    }
    if (anonymous.hasAvailability()) {
      checkShare("anonymous.availability", anonymous.getAvailability(), violations);
    }
    if (anonymous.hasDelta()) {
      double delta = anonymous.getDelta();
      violations.require(delta > 0 && delta < 1, "anonymous.delta", delta, "above 0 and below 1");
    }
    checkLevels(spec, violations);
  }

  private static void checkShare(String field, double share, Violations violations) {
    violations.require(share > 0 && share <= 1, field, share, "above 0 and at most 1");
  }

  private static void checkLevels(ModelSpec spec, Violations violations) {
    int count = spec.getAnonymous().getLevelsCount();
    violations.require(
        count >= 1 && count <= MOST_LEVELS,
        "anonymous.levels",
        "of length " + count,
        "of length 1 to " + MOST_LEVELS);
    Set<Anonymous.Level> different = new HashSet<>();
    for (int i = 0; i < count; i++) {
      String path = "anonymous.levels[" + i + "]";
      Anonymous.Level level = spec.getAnonymous().getLevels(i);
      switch (level.getMechanismCase()) {
        case PRIV_UNIT -> {
          Anonymous.GradientLevel unit = level.getPrivUnit();
          checkEpsilon(
              path + ".priv_unit.epsilon", unit.hasEpsilon(), unit.getEpsilon(), violations);
        }
        case RANDOMISED_RESPONSE -> {
          Anonymous.AnswerLevel answer = level.getRandomisedResponse();
          checkEpsilon(
              path + ".randomised_response.epsilon",
              answer.hasEpsilon(),
              answer.getEpsilon(),
              violations);
          violations.require(
              spec.getQuestionsCount() > 0,
              path,
              "randomised_response",
              "another one: the model asks no questions");
        }
        case MECHANISM_NOT_SET ->
            violations.add(
                path, "is empty or unknown: it must be priv_unit or randomised_response");
      }
      violations.require(different.add(level), path, "repeated", "another than those before it");
    }
  }

  private static void checkEpsilon(
      String field, boolean present, double epsilon, Violations violations) {
    String right = "at least " + LEAST_EPSILON + " and at most " + MOST_EPSILON;
    if (violations.required(field, present, right)) {
      violations.require(
          epsilon >= LEAST_EPSILON && epsilon <= MOST_EPSILON, field, epsilon, right);
    }
  }
}
