package io.croupier.gateway.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.SkippedRecords;
import io.croupier.operators.anonymous.AnonymousRules;
import io.croupier.operators.anonymous.TokenedReport;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.SpecChange;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The specs of the running models, followed by the rules of the job. What depends on the job's own
 * configuration, such as the size of its topics' records, is not checked. Safe for use by several
 * threads, one of which follows.
 */
public final class Specs {
  private final SkippedRecords skipped = new SkippedRecords();
  private final PublishedSpecs published = new PublishedSpecs(Specs::obstacles);
  private final Map<String, Judge> judges = new ConcurrentHashMap<>();
  private volatile Consumer<String> watcher = modelId -> {};

  /** Judges reports to one model; the rules of a spec are used by one thread at a time. */
  public static final class Judge {
    private final ModelSpec spec;
    private final ReportIntake intake;
    private final Ledger ledger = new Ledger();
    private final AnonymousRules anonymous;

    private Judge(ModelSpec spec, long offset) {
      this.spec = spec;
      intake = new ReportIntake(spec, offset);
      anonymous = new AnonymousRules(spec, intake);
    }

    public ModelSpec spec() {
      return spec;
    }

    /** What an anonymous report may declare; empty unless the model takes such reports. */
    public List<Mechanism> levels() {
      return anonymous.levels();
    }

    /** Why the model doesn't use such an anonymous report; empty if it does. */
    public synchronized String refusalOfAnonymous(Report report) {
      return anonymous.refusal(report);
    }

    /**
     * Whether an anonymous report's token is for its window and declaration, and is signed.
     *
     * @param modulus of the key of both
     */
    public boolean isSigned(TokenedReport tokened, byte[] modulus) {
      return anonymous.isSigned(tokened, modulus);
    }

    /**
     * What the job's ledger would decide if the sender had no account yet. The job refuses whatever
     * is refused here; it may refuse more, since it knows the account.
     */
    public synchronized AccountingEvent judge(Report report) {
      return ledger.judge(report, intake.terms(), new HeapAccount());
    }
  }

  private static List<String> obstacles(ModelSpec spec) {
    try {
      if (!ModelSpecs.isCentral(spec)) {
        Learners.of(spec);
      }
      return List.of();
    } catch (IllegalArgumentException e) {
      return List.of(e.getMessage());
    }
  }

  /** Sets what receives the name of each model that is published further, or retired. */
  public void watch(Consumer<String> changedModel) {
    watcher = changedModel;
  }

  /** Applies a record of the models topic. */
  public void apply(ConsumerRecord<byte[], byte[]> record) {
    String modelId = record.key() == null ? "" : new String(record.key(), UTF_8);
    SpecChange change = published.apply(modelId, record.offset(), record.value());
    if (change instanceof SpecChange.Accepted accepted) {
      try {
        judges.put(modelId, new Judge(accepted.spec(), record.offset()));
      } catch (IllegalArgumentException e) {
        skipped.add(record.topic(), record.partition(), record.offset(), e.getMessage());
        return;
      }
    } else if (change instanceof SpecChange.Retired) {
      judges.remove(modelId);
    } else {
      if (change instanceof SpecChange.Refused refused) {
        skipped.add(record.topic(), record.partition(), record.offset(), refused.reason());
      }
      return;
    }
    watcher.accept(modelId);
  }

  /** How reports to a running model are judged; empty if there is no such model. */
  public Optional<Judge> judge(String modelId) {
    return Optional.ofNullable(judges.get(modelId));
  }
}
