package io.croupier.schemas;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.List;

/**
 * Reads {@link AccountingEvent}s, checks whether a ledger can have written them, and computes what
 * they charge.
 */
public final class AccountingEvents {
  /** Upper bound on partitions, more than any topic has; it bounds the state kept per partition. */
  private static final int MAX_PARTITIONS = 1_000_000;

  /** Kafka's own limit. */
  private static final int MAX_TOPIC_NAME = 249;

  /** The names of the topics that version 2 leaves out; a constant, so that they never change. */
  private static final Topics USUAL = Topics.withPrefix("croupier");

  /** What a report costs that is not charged, and the totals before the first charge. */
  static final Spend NOTHING = withZeros(Spend.getDefaultInstance());

  private AccountingEvents() {}

  /**
   * Reads a record of the accounting topic, of any version. Version 1 has all fields. Version 2,
   * which {@link AccountingEventWriter} writes, has no user: its fields that are missing are added,
   * those of the {@link AccountingKey} included.
   *
   * @param key null if the record has none
   * @throws InvalidProtocolBufferException if the value is no such record, or the key not its key
   */
  public static AccountingEvent read(byte[] key, byte[] value)
      throws InvalidProtocolBufferException {
    AccountingEvent event = AccountingEvent.parseFrom(value);
    if (event.hasUserId() || key == null) {
      return event;
    }
    AccountingEvent.Builder whole =
        event.toBuilder().setReason(event.getReason()).setSpent(withZeros(event.getSpent()));
    addKey(whole, key);
    if (event.hasModelTotals()) {
      whole.setModelTotals(withZeros(event.getModelTotals()));
    }
    whole.setUserTotals(
        event.hasUserTotals() ? withZeros(event.getUserTotals()) : impliedUserTotals(whole));
    if (event.hasSource() && !event.getSource().hasTopic()) {
      whole.setSource(event.getSource().toBuilder().setTopic(usualTopic(event.hasCentral())));
    }
    return whole.build();
  }

  private static void addKey(AccountingEvent.Builder event, byte[] bytes)
      throws InvalidProtocolBufferException {
    AccountingKey key;
    try {
      key = AccountingKey.parse(bytes);
    } catch (IllegalArgumentException e) {
      throw new InvalidProtocolBufferException(e.getMessage());
    }
    event.setUserId(key.userId());
    if (event.getOutcome() == Outcome.ERASED) {
      return;
    }
    event.setDeviceId(key.deviceId());
    if (!key.modelId().isEmpty()) {
      event.setModelId(key.modelId());
    }
  }

  /**
   * Returns whether a report was charged: a refused central report is never used, and no token
   * follows from a refused request, so both are free, as is all that a stopped user sends.
   */
  public static boolean isCharged(AccountingEventOrBuilder event) {
    return isCharged(event.getOutcome(), event.hasCentral() || event.hasTokenRound());
  }

  /** The same, by the outcome of a report and whether it is free if it is refused. */
  public static boolean isCharged(Outcome outcome, boolean freeIfRefused) {
    return outcome != Outcome.DUPLICATE
        && outcome != Outcome.ERASED
        && outcome != Outcome.REFUSED_STOPPED
        && (!freeIfRefused || outcome == Outcome.ADMITTED || outcome == Outcome.GRANTED);
  }

  /** The topic of a report where the source of its event has none. */
  public static String usualTopic(boolean central) {
    return central ? USUAL.rawGradients() : USUAL.gradients();
  }

  /** The totals over all models where an event has none. */
  static Spend impliedUserTotals(AccountingEventOrBuilder event) {
    return event.hasModelTotals() ? event.getModelTotals() : NOTHING;
  }

  /** Returns a spend with each field that every spend has. */
  private static Spend withZeros(Spend spend) {
    return spend.toBuilder()
        .setReports(spend.getReports())
        .setEpsilon(spend.getEpsilon())
        .setMu(spend.getMu())
        .setRho(spend.getRho())
        .setUndisclosed(spend.getUndisclosed())
        .setUnbounded(spend.getUnbounded())
        .setMuOfAll(spend.getMuOfAll())
        .build();
  }

  /**
   * Every property of {@code event} that no ledger writes, as sentences that name the field and its
   * valid values, and never quote a user; empty if the event is well-formed. Of its numbers only
   * the sequence and the source are checked here; the computation of accounts checks the others.
   */
  public static List<String> violations(AccountingEvent event) {
    Violations violations = new Violations();
    if (event.getOutcome() == Outcome.ERASED) {
      GradientReports.checkUser(event.getUserId(), violations);
    } else {
      GradientReports.checkIds(
          event.getModelId(), event.getUserId(), event.getDeviceId(), violations);
      violations.atLeastZero("sequence", event.hasSequence(), event.getSequence());
    }
    violations.require(
        event.getOutcome() != Outcome.OUTCOME_UNSPECIFIED,
        "outcome",
        event.getOutcome(),
        "the outcome of the report");
    if (violations.required("source", event.hasSource(), "the position of the report")) {
      checkSource(event.getSource(), violations);
    }
    return violations.sentences();
  }

  /**
   * Returns the totals on its model that limits count: in the newest window, if they have a period.
   */
  public static Spend countedOnModel(AccountingEvent event) {
    return event.hasModelWindow() ? event.getModelWindow().getTotals() : event.getModelTotals();
  }

  /** Returns the same over all models. */
  public static Spend countedOnAllModels(AccountingEvent event) {
    return event.hasUserWindow() ? event.getUserWindow().getTotals() : event.getUserTotals();
  }

  /**
   * Returns what a report costs, whatever its outcome, from the fields of its event. A central
   * report that was not charged only counts as a report.
   *
   * @throws IllegalArgumentException if the event has no declaration, or an impossible one
   */
  public static Cost cost(AccountingEventOrBuilder event) {
    return switch (event.getDeclarationCase()) {
      case COORDINATE_LAPLACE -> {
        CoordinateLaplaceTotal total = event.getCoordinateLaplace();
        yield Cost.ofCoordinates(
            PureLoss.ofCoordinates(
                total.getEpsilon(),
                total.getEffectiveCoordinates(),
                total.hasLeastScale() ? total.getLeastScale() : Double.POSITIVE_INFINITY),
            total.getNotPrivate());
      }
      case CENTRAL ->
          event.hasCentralSpend()
              ? varied(central(event.getCentralSpend()), event.getSpent())
              : Cost.FREE;
      case DECLARATION_NOT_SET ->
          throw new IllegalArgumentException(
              "declaration of the accounting event is missing: it must be the report's");
      default -> {
        Cost cost = Declarations.of(Declarations.declared(event), event.getDimension()).cost();
        yield cost.isGaussian() ? varied(cost, event.getSpent()) : cost;
      }
    };
  }

  /**
   * Adds the total variation that the event records; it follows from the model's grid, which the
   * event doesn't contain.
   */
  private static Cost varied(Cost cost, Spend recorded) {
    if (!(recorded.getTotalVariation() >= 0 && recorded.getVariationRate() >= 0)) {
      throw new IllegalArgumentException(
          "spent.total_variation of the accounting event is %s, its variation_rate %s; both must be at least 0"
              .formatted(recorded.getTotalVariation(), recorded.getVariationRate()));
    }
    return cost.varied(recorded.getTotalVariation(), recorded.getVariationRate());
  }

  private static Cost central(CentralSpend recorded) {
    if (!(recorded.getZeta() >= 0 && recorded.getZeta() <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "central_spend.zeta of the accounting event is "
              + recorded.getZeta()
              + "; it must be finite and at least 0");
    }
    if (!(recorded.getNoiseMultiplier() > 0 && recorded.getNoiseMultiplier() <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "central_spend.noise_multiplier of the accounting event is "
              + recorded.getNoiseMultiplier()
              + "; it must be positive and finite");
    }
    return Cost.central(recorded.getZeta(), recorded.getNoiseMultiplier(), 0);
  }

  private static void checkSource(Position source, Violations violations) {
    int length = source.getTopic().length();
    violations.require(
        length >= 1 && length <= MAX_TOPIC_NAME,
        "source.topic",
        "of " + length + " characters",
        "a topic's name, of 1 to " + MAX_TOPIC_NAME);
    int partition = source.getPartition();
    violations.require(
        partition >= 0 && partition < MAX_PARTITIONS,
        "source.partition",
        partition,
        "from 0 to " + (MAX_PARTITIONS - 1));
    violations.atLeastZero("source.offset", source.hasOffset(), source.getOffset());
  }
}
