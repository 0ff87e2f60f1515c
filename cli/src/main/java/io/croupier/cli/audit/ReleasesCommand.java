package io.croupier.cli.audit;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.cli.InputException;
import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.cli.io.FileFormat;
import io.croupier.cli.io.RecordFile;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Violation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Tries to refute what the reports of any device declare. */
@Command(
    name = "releases",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Tries to refute the privacy guarantee that reports of any device declare: of a page, an app"
          + " or a program in any language.",
      "",
      "Let the device make many reports of a gradient g and as many of h = -g, and write each as a"
          + " line of JSON, in the mapping of Protobuf, or as a message with its length. g has the"
          + " length of the gradient bound and lies along the first axis: (G, 0, ..., 0). Of"
          + " answers, the first file has those whose truth is yes, the second those whose truth is"
          + " no; of votes, those for the first category, and those for the last one.",
      "",
      "The reports of both files must declare the same noise. It can be privUnit, l2Laplace,"
          + " gaussian, randomisedResponse or hashedResponse. The events are those of 'croupier"
          + " audit'. Exit code: 0 if not refuted, 1 if refuted."
    },
    footer = {
      "",
      "Try:",
      "  croupier audit releases of-g.jsonl of-h.jsonl",
      "  croupier audit releases first.jsonl last.jsonl --categories 5"
    })
final class ReleasesCommand implements Callable<Integer> {
  /** The normal approximations of variances hold from about this number on. */
  private static final int FEWEST = 10_000;

  private static final int MOST_CATEGORIES = 4096;

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "G",
      description = "Reports of g, or of yes, or of the first category.")
  private String ofG;

  @Parameters(
      index = "1",
      paramLabel = "H",
      description = "Reports of h, or of no, or of the last category.")
  private String ofH;

  @Option(
      names = "--categories",
      paramLabel = "K",
      description = "Number of categories of votes, from 2 to 4096.")
  private Integer categories;

  @Mixin private ClaimOptions claimed;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "json",
      description = "Format of the files: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private FileFormat format;

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    double falseAlarm = claimed.falseAlarm();
    GradientReport first = first();
    Finding finding;
    try {
      finding = finding(first, falseAlarm);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
    return AuditCommand.print(List.of(finding), spec.commandLine().getOut());
  }

  private Finding finding(GradientReport first, double falseAlarm)
      throws InterruptedException, ExecutionException {
    int dimension = Math.max(1, dimension(first));
    Mechanism mechanism = Declarations.of(Declarations.declared(first), dimension);
    if (mechanism instanceof PrivUnitMechanism m) {
      ReleasePairs<Choice> releases =
          read(first, r -> new Choice(r.getCandidate().getSeed(), r.getCandidate().getIndex()));
      PrivUnitLaw law = new PrivUnitLaws().of(dimension, m.epsilon(), m.candidates(), m.top());
      return releases.show(new CandidateAudit(law, claimed.gradientBound), falseAlarm);
    }
    if (mechanism instanceof RandomisedResponseMechanism m) {
      return read(first, r -> r.getAnswer().getBit()).show(new BitAudit(m), falseAlarm);
    }
    if (mechanism instanceof HashedResponseMechanism m) {
      requireCategories(m, first);
      return read(first, r -> new ReleasedGroup(r.getVote().getSeed(), r.getVote().getIndex()))
          .show(new VoteAudit(m, categories), falseAlarm);
    }
    if (first.hasGrid()
        && (mechanism instanceof L2LaplaceMechanism || mechanism instanceof GaussianMechanism)) {
      Calibration calibration =
          new Calibration(claimed.gradientBound, dimension, claimed.exponent(), 1);
      GridRandomiser randomiser =
          mechanism instanceof GaussianMechanism
              ? calibration.gaussian(mechanism.level())
              : calibration.l2Laplace(mechanism.level());
      ReleasePairs<int[]> releases =
          read(
              first,
              r -> r.getGrid().getValuesList().stream().mapToInt(Integer::intValue).toArray());
      Claim claim = Claim.of(randomiser);
      return releases.show(new Audit(mechanism.name(), claim, releases.size()), falseAlarm);
    }
    throw new InputException(
        "%s: these reports declare %s; it must be privUnit, randomisedResponse, hashedResponse, or"
                .formatted(ofG, mechanism.name())
            + " l2Laplace or gaussian on a grid");
  }

  private void requireCategories(HashedResponseMechanism declared, GradientReport first) {
    if (categories == null) {
      throw new InputException("--categories is missing: the number of categories of the votes");
    }
    if (categories < 2 || categories > MOST_CATEGORIES) {
      throw new InputException(
          "--categories is %d; it must be from 2 to %d".formatted(categories, MOST_CATEGORIES));
    }
    String objection = declared.objection(categories, first.getVote().hasSeed());
    if (!objection.isEmpty()) {
      throw new InputException("%s: %s".formatted(ofG, objection));
    }
  }

  private static int dimension(GradientReport report) {
    return report.hasCandidate()
        ? report.getCandidate().getDimension()
        : report.getGrid().getValuesCount();
  }

  private GradientReport first() {
    try (RecordFile file = RecordFile.open(ofG, format)) {
      RecordFile.Frame frame = file.next();
      if (frame == null) {
        throw new InputException(ofG + ": the file has no reports");
      }
      return report(file, frame);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Releases of both inputs, as many of each.
   *
   * @param ofG of g, of yes, or of the first category
   * @param ofH of h, of no, or of the last category
   */
  private record ReleasePairs<R>(List<R> ofG, List<R> ofH) {
    int size() {
      return ofG.size();
    }

    <T extends Experiment<R, T>> Finding show(T experiment, double falseAlarm)
        throws InterruptedException, ExecutionException {
      return experiment.run(Draws.read(size(), falseAlarm), () -> Experiment.Releases.of(ofG, ofH));
    }
  }

  private <R> ReleasePairs<R> read(GradientReport first, Function<GradientReport, R> release) {
    List<R> g = read(ofG, first, release);
    List<R> h = read(ofH, first, release);
    int size = Math.min(g.size(), h.size());
    if (size < FEWEST) {
      throw new InputException(
          "%s has %,d reports and %s has %,d; each must have at least %,d"
              .formatted(ofG, g.size(), ofH, h.size(), FEWEST));
    }
    return new ReleasePairs<>(g.subList(0, size), h.subList(0, size));
  }

  private <R> List<R> read(String name, GradientReport first, Function<GradientReport, R> release) {
    List<R> releases = new ArrayList<>();
    try (RecordFile file = RecordFile.open(name, format)) {
      for (RecordFile.Frame frame = file.next(); frame != null; frame = file.next()) {
        GradientReport report = report(file, frame);
        boolean isLikeTheFirst =
            Declarations.declared(report).equals(Declarations.declared(first))
                && report.getGradientCase() == first.getGradientCase()
                && dimension(report) == dimension(first)
                && report.getVote().hasSeed() == first.getVote().hasSeed();
        if (!isLikeTheFirst) {
          throw new InputException(
              "%s: the report declares other noise, or has another form or dimension, than the first one"
                  .formatted(file.place(frame.number())));
        }
        releases.add(release.apply(report));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return releases;
  }

  private static GradientReport report(RecordFile file, RecordFile.Frame frame) {
    String place = file.place(frame.number());
    GradientReport report;
    try {
      if (frame.isCutShort()) {
        throw new InvalidProtocolBufferException("the record is truncated");
      }
      report = file.isJson() ? line(frame.bytes()) : GradientReport.parseFrom(frame.bytes());
    } catch (InvalidProtocolBufferException | InvalidJsonException e) {
      throw new InputException("%s: not a GradientReport: %s".formatted(place, e.getMessage()), e);
    }
    if (report.hasToken()) {
      throw new InputException(
          place + ": gradient is token: it must be what the device released, such as a candidate");
    }
    List<Violation> violations = GradientReports.violationsOfRelease(report);
    if (!violations.isEmpty()) {
      throw new InputException("%s: %s".formatted(place, Violation.text(violations)));
    }
    return report;
  }

  private static GradientReport line(ByteString bytes) throws InvalidJsonException {
    GradientReport.Builder report = GradientReport.newBuilder();
    StrictJson.merge(StrictJson.text(bytes.asReadOnlyByteBuffer()), report);
    return report.build();
  }
}
