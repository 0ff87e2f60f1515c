import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.NotChosenException;
import io.croupier.client.Participant;
import io.croupier.client.Sent;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** The device of one person, Ada: reports one day to the model of docs/build/model.md, once, and ends. */
public final class ReportWellbeing {
  public static void main(String[] args) throws Exception {
    Map<String, Object> kafka = Map.of("bootstrap.servers", args[0]);
    Map<String, ?> day =
        Map.of("minutesWalked", 45, "hoursSlept", 9, "shift", "night", "feltWell", true);
    DataKey key = DataKey.of("2026-11-28"); // the day: a second report of it is refused

    try (LocalLedger ledger = LocalLedger.open(Path.of("ada.ledger"), "ada", Limit.ofEpsilon(20));
        ModelSubscriber models = new ModelSubscriber(kafka, "croupier.updates");
        Producer<byte[], byte[]> producer =
            new KafkaProducer<>(KafkaReportTransport.producerProperties(kafka))) {
      GradientReporter reporter =
          new GradientReporter(new KafkaReportTransport(producer, "croupier.gradients"), ledger);
      ModelSnapshot model = models.await("wellbeing-1", Duration.ofMinutes(1));
      Sent sent = null;
      while (sent == null) {
        Participant person = model.participant(day, key);
        try {
          sent = reporter.respond(model, person, model.calibration(1).privUnit(2)).get(); // epsilon
          System.out.println("Sent for round " + model.round() + ": " + sent.about());
        } catch (NotChosenException e) { // Other devices answer this round.
          model = models.awaitAfter(model, Duration.ofMinutes(10));
        }
      }
    } catch (AlreadyReportedException e) {
      System.out.println(e.getMessage());
    }
  }
}
