import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.NotChosenException;
import io.croupier.client.Participant;
import io.croupier.client.Sent;
import io.croupier.client.Sizes;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Question;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * The device of one person, Ada, for the model of docs/model.md, in a single file that java runs
 * without a build. It reports one day, with noise, and prints what it did.
 */
public final class ReportWellbeing {
  private static final double EPSILON = 1;

  private ReportWellbeing() {}

  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("Give the HOST:PORT of a Kafka broker");
      System.exit(2);
    }
    Map<String, Object> kafka = Map.of("bootstrap.servers", args[0]);
    Map<String, ?> day = Map.of("minutesWalked", 45, "hoursSlept", 9, "shift", "night");
    try (LocalLedger ledger =
            LocalLedger.open(Path.of("ada-java.ledger"), "ada", Limit.ofEpsilon(20));
        ModelSubscriber models = new ModelSubscriber(kafka, "croupier.updates");
        Producer<byte[], byte[]> producer =
            new KafkaProducer<>(KafkaReportTransport.producerProperties(kafka))) {
      ModelSnapshot model = models.await("wellbeing-1", Duration.ofMinutes(1));
      // Checks the day's values, before anything depends on them.
      Participant ada = new Wellbeing(model, day, true);
      Randomiser randomiser = model.calibration(1).privUnit(EPSILON);
      GradientReporter reporter =
          new GradientReporter(new KafkaReportTransport(producer, "croupier.gradients"), ledger);
      Sent sent = reporter.respond(model, ada, randomiser).get();
      System.out.printf(
          "Sent for round %d: report %d, %s. Reports in the ledger: %d%n",
          model.round(), sent.sequence(), sent.about(), ledger.spent().reports());
    } catch (NotChosenException | LimitReachedException e) {
      // Nothing was drawn, and nothing is spent.
      System.out.println(e.getMessage());
    }
  }
}

final class Wellbeing implements Participant {
  private final ModelSnapshot model;
  private final double[] x;
  private final boolean well;

  Wellbeing(ModelSnapshot model, Map<String, ?> day, boolean well) {
    this.model = model;
    this.x = model.features().vector(day);
    this.well = well;
  }

  private double prediction(double[] weights) {
    double sum = 0;
    for (int j = 0; j < x.length; j++) {
      sum += x[j] * weights[j];
    }
    return sum;
  }

  @Override
  public double[] gradient() { // of the logistic loss
    double slope = 1 / (1 + Math.exp(-prediction(model.weights()))) - (well ? 1 : 0);
    double[] gradient = new double[x.length];
    for (int j = 0; j < x.length; j++) {
      gradient[j] = slope * x[j];
    }
    return gradient;
  }

  @Override
  public double size() {
    return Sizes.ofLinear(model.terms(), x, gradient());
  }

  @Override
  public boolean canAnswer(Question question) {
    return question.hasAccuracy();
  }

  @Override
  public boolean answer(Question question) {
    return (prediction(model.average()) >= 0) == well;
  }
}
