package io.croupier.cli.account;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.anonymity.WindowComposition;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.cli.io.Table;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.WindowGuarantee;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the anonymous reports of one person guarantee against readers of models: the windows for
 * which the ledger has granted tokens, whose guarantees are composed. A window without a guarantee
 * is open, lost, or its event is deleted; it isn't in the central total, and its local epsilon is.
 */
public final class CentralTotals {
  /** What the epsilons hold against. */
  static final String MEANING =
      "The central epsilon holds against readers of models who don't know when the person"
          + " reported, for these windows together; the local one against everybody.";

  /** More than the relative errors of sums of epsilons. */
  private static final double UP = 1 + 1e-12;

  /** Numbers of reports are rounded down to two digits, so that few differ: each takes long. */
  private static final MathContext FEW_NUMBERS = new MathContext(2, RoundingMode.DOWN);

  /** More reports take long to compose, and lower the bound by little. */
  private static final long MOST_REPORTS = 100_000;

  private final Set<Grant> grants = new LinkedHashSet<>();
  private final Map<Grant, GuaranteeEvent> guarantees;

  /** A token for a window, with which one declaration may be reported. */
  private record Grant(String modelId, long window, long firstRound, Mechanism declaration) {}

  /**
   * The total of some windows.
   *
   * @param windows those with a guarantee
   * @param local their local epsilons, added up
   * @param central epsilon of all of them at delta; 0 if there are none
   * @param delta the least of their guarantees; 0 if there are none
   * @param open windows without a guarantee
   * @param openLocal their local epsilons, added up
   */
  public record Total(
      long windows, double local, double central, double delta, long open, double openLocal) {}

  /** Creates the totals of a person without tokens, and without guarantees. */
  public CentralTotals() {
    this(new HashMap<>());
  }

  private CentralTotals(Map<Grant, GuaranteeEvent> guarantees) {
    this.guarantees = guarantees;
  }

  /** Returns the totals of another person without tokens, whose guarantees are always the same. */
  CentralTotals ofAnother() {
    return new CentralTotals(guarantees);
  }

  /** Adds an event of a token that was granted; other events are ignored. */
  public void grant(AccountingEvent event) {
    if (event.getOutcome() == AccountingEvent.Outcome.GRANTED) {
      grants.add(
          new Grant(
              event.getModelId(),
              event.getLastTokenWindow(),
              event.getTokenRound(),
              Declarations.of(Declarations.declared(event), 0)));
    }
  }

  /** Forgets what the ledger forgets when it erases an account. */
  public void erase() {
    grants.clear();
  }

  public boolean isEmpty() {
    return grants.isEmpty();
  }

  /**
   * Adds an event of the guarantees topic; those of central models are ignored. Of several events
   * of a window, the largest epsilon holds, and the fewest reports and least availability count.
   */
  public void guarantee(GuaranteeEvent event) {
    if (!isOfWindow(event)) {
      return;
    }
    WindowGuarantee of = event.getAnonymous();
    Grant key = new Grant(event.getModelId(), of.getWindow(), of.getFirstRound(), declaration(of));
    guarantees.merge(key, event, CentralTotals::weaker);
  }

  /** Whether an event of the guarantees topic is that of a window and a known declaration. */
  static boolean isOfWindow(GuaranteeEvent event) {
    return event.hasAnonymous()
        && event.getAnonymous().getDeclarationCase()
            != WindowGuarantee.DeclarationCase.DECLARATION_NOT_SET;
  }

  static Mechanism declaration(WindowGuarantee of) {
    return Declarations.of(of.hasPrivUnit() ? of.getPrivUnit() : of.getRandomisedResponse(), 0);
  }

  static double availability(WindowGuarantee of) {
    return of.hasAvailability() ? of.getAvailability() : 1;
  }

  /** The tokens; of users with equal ones, all totals are equal, given the same guarantees. */
  Set<?> grants() {
    return Collections.unmodifiableSet(grants);
  }

  private static GuaranteeEvent weaker(GuaranteeEvent a, GuaranteeEvent b) {
    GuaranteeEvent.Builder weaker = a.toBuilder().setDelta(Math.max(a.getDelta(), b.getDelta()));
    weaker
        .getAnonymousBuilder()
        .setEpsilon(Math.max(a.getAnonymous().getEpsilon(), b.getAnonymous().getEpsilon()))
        .setCounted(Math.min(a.getAnonymous().getCounted(), b.getAnonymous().getCounted()))
        .setAvailability(Math.min(availability(a.getAnonymous()), availability(b.getAnonymous())));
    return weaker.build();
  }

  /** Returns the totals by model. */
  public Map<String, Total> byModel() {
    Map<String, List<Grant>> byModel = new TreeMap<>();
    grants.forEach(
        grant -> byModel.computeIfAbsent(grant.modelId(), id -> new ArrayList<>()).add(grant));
    Map<String, Total> totals = new LinkedHashMap<>();
    byModel.forEach((modelId, of) -> totals.put(modelId, total(of)));
    return totals;
  }

  /** Returns the total over all models. */
  public Total all() {
    return total(List.copyOf(grants));
  }

  private Total total(List<Grant> of) {
    List<GuaranteeEvent> events =
        of.stream().filter(guarantees::containsKey).map(guarantees::get).toList();
    List<Grant> open = of.stream().filter(grant -> !guarantees.containsKey(grant)).toList();
    double openLocal = open.stream().mapToDouble(grant -> loss(grant).epsilon()).sum();
    double local = events.stream().mapToDouble(e -> e.getAnonymous().getLocalEpsilon()).sum();
    if (events.isEmpty()) {
      return new Total(0, 0, 0, 0, open.size(), openLocal * UP);
    }
    double delta = events.stream().mapToDouble(GuaranteeEvent::getDelta).min().orElseThrow();
    double central = events.size() == 1 ? events.get(0).getAnonymous().getEpsilon() : local;
    if (events.size() > 1
        && events.size() <= WindowComposition.MOST_WINDOWS
        && delta >= WindowComposition.LEAST_DELTA) {
      Map<AnonymousWindow, Long> windows = new HashMap<>();
      of.stream()
          .filter(guarantees::containsKey)
          .forEach(grant -> windows.merge(window(grant), 1L, Long::sum));
      central = Math.min(local, WindowComposition.of(windows).epsilon(delta));
    }
    return new Total(
        events.size(),
        local * UP,
        Math.min(local, central) * UP,
        delta,
        open.size(),
        openLocal * UP);
  }

  private static PureLoss loss(Grant grant) {
    return grant.declaration().cost().loss();
  }

  private AnonymousWindow window(Grant grant) {
    WindowGuarantee guarantee = guarantees.get(grant).getAnonymous();
    long counted = guarantee.getCounted();
    long rounded =
        BigDecimal.valueOf(Math.max(1, Math.min(counted, MOST_REPORTS)))
            .round(FEW_NUMBERS)
            .longValue();
    return AnonymousWindow.of(loss(grant), rounded, availability(guarantee));
  }

  /** The printed lines; none without windows. */
  public List<String> text() {
    if (isEmpty()) {
      return List.of();
    }
    Table table = table("anonymous windows of");
    byModel().forEach((modelId, total) -> table.row(row("model " + modelId, total)));
    if (byModel().size() > 1) {
      table.row(row("all models", all()));
    }
    return List.of(table.text(), MEANING);
  }

  /** A table of {@link #row}s. */
  static Table table(String of) {
    return new Table(
        of,
        "windows",
        "local epsilon",
        "central epsilon",
        "delta",
        "no guarantee yet",
        "their local epsilon");
  }

  static List<String> row(String name, Total total) {
    return List.of(
        name,
        Digits.count(total.windows()),
        up(total.local()),
        total.windows() == 0 ? "-" : up(total.central()),
        total.windows() == 0 ? "-" : Digits.all(total.delta()),
        Digits.count(total.open()),
        up(total.openLocal()));
  }

  private static String up(double number) {
    return Digits.sixDigits(number, RoundingMode.CEILING);
  }

  /** Adds the totals to the JSON form of an account, if there are any. */
  public void addTo(JsonObject json) {
    if (isEmpty()) {
      return;
    }
    JsonObject object = json(all());
    JsonArray array = new JsonArray();
    byModel()
        .forEach(
            (modelId, total) -> {
              JsonObject ofModel = new JsonObject();
              ofModel.addProperty("modelId", modelId);
              json(total).entrySet().forEach(e -> ofModel.add(e.getKey(), e.getValue()));
              array.add(ofModel);
            });
    object.add("models", array);
    json.add("anonymous", object);
  }

  static JsonObject json(Total total) {
    JsonObject json = new JsonObject();
    json.addProperty("windows", total.windows());
    json.addProperty("localEpsilon", total.local());
    if (total.windows() > 0) {
      json.addProperty("centralEpsilon", total.central());
      json.addProperty("delta", total.delta());
    }
    json.addProperty("windowsWithoutGuarantee", total.open());
    json.addProperty("localEpsilonWithoutGuarantee", total.openLocal());
    return json;
  }
}
