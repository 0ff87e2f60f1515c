package io.croupier.schemas;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.croupier.schemas.GradientReport.DeclarationCase;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/** Checks whether a {@link GradientReport} is well-formed, independent of its model. */
public final class GradientReports {
  /** Largest number of bytes of a user_id or device_id in UTF-8. */
  public static final int MAX_ID_BYTES = 256;

  /** Bytes of the tag of a request for a token. */
  public static final int TAG_BYTES = 32;

  private static final String UNDECLARED =
      "is missing or unknown: it must be one of "
          + Declarations.names(GradientReport.getDescriptor());

  private static final String COORDINATES = "the coordinates";
  private static final String INDICES = "sparse.indices";

  private GradientReports() {}

  /**
   * Every malformed field of {@code report}, with a sentence that states its valid values and never
   * quotes a value of the gradient; empty if the report is well-formed. A vector with several bad
   * values yields one violation.
   *
   * <p>The values of a raw report ({@code central}) are not checked: observers can see whether a
   * report is well-formed, so this must not depend on the values.
   */
  public static List<Violation> violations(GradientReport report) {
    Violations violations = new Violations();
    checkIds(report.getModelId(), report.getUserId(), report.getDeviceId(), violations);
    violations.atLeastZero("round", report.hasRound(), report.getRound());
    violations.atLeastZero("sequence", report.hasSequence(), report.getSequence());
    violations.positiveIfPresent(
        "gradient_bound", report.hasGradientBound(), report.getGradientBound());
    checkRelease(report, violations);
    return violations.list();
  }

  /**
   * The same for the gradient and its declaration alone, whatever ids and numbers the report has.
   */
  public static List<Violation> violationsOfRelease(GradientReport report) {
    Violations violations = new Violations();
    checkRelease(report, violations);
    return violations.list();
  }

  /**
   * Whether {@code id} may name a model: 1 to 100 letters, digits, '.', '_' or '-', and neither '.'
   * nor '..', which are steps in a URL.
   */
  public static boolean isModelId(String id) {
    return SpecRules.isModelId(id);
  }

  /** Whether {@code id} may name a user: 1 to {@value #MAX_ID_BYTES} bytes of UTF-8. */
  public static boolean isUserId(String id) {
    return !id.isEmpty() && fits(id);
  }

  /** Whether {@code id} may name a device: at most {@value #MAX_ID_BYTES} bytes of UTF-8. */
  public static boolean isDeviceId(String id) {
    return fits(id);
  }

  /**
   * Whether {@code indices} are distinct and in [0, dimension). Linear in their number if they
   * ascend; otherwise sorts a copy.
   */
  public static boolean areIndices(int[] indices, int dimension) {
    boolean ascending = true;
    for (int i = 0; i < indices.length; i++) {
      if (indices[i] < 0 || indices[i] >= dimension) {
        return false;
      }
      ascending &= i == 0 || indices[i - 1] < indices[i];
    }
    return ascending || areDistinct(indices);
  }

  private static boolean areDistinct(int[] indices) {
    int[] sorted = indices.clone();
    Arrays.sort(sorted);
    for (int i = 1; i < sorted.length; i++) {
      if (sorted[i - 1] == sorted[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean fits(String id) {
    // No char takes more than 3 bytes, so most ids need not be encoded.
    return (3 * id.length() <= MAX_ID_BYTES
            || (id.length() <= MAX_ID_BYTES && ByteString.copyFromUtf8(id).size() <= MAX_ID_BYTES))
        && isUnicode(id);
  }

  /** Whether UTF-8 has each character: each half of a surrogate pair would become the same byte. */
  public static boolean isUnicode(String id) {
    for (int i = 0; i < id.length(); i++) {
      if (Character.isSurrogate(id.charAt(i))) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(id);
      }
    }
    return true;
  }

  static void checkIds(String model, String user, String device, Violations violations) {
    if (!isModelId(model)) {
      violations.add("model_id", "must be " + SpecRules.MODEL_ID);
    }
    checkUser(user, violations);
    if (!isDeviceId(device)) {
      violations.add("device_id", "must be at most " + MAX_ID_BYTES + " bytes long");
    }
  }

  static void checkUser(String user, Violations violations) {
    if (!isUserId(user)) {
      violations.add("user_id", "must be 1 to " + MAX_ID_BYTES + " bytes long");
    }
  }

  private static void checkRelease(GradientReport report, Violations violations) {
    checkGradient(report, violations);
    checkDeclaration(report, violations);
  }

  private static void checkGradient(GradientReport report, Violations violations) {
    switch (report.getGradientCase()) {
      case DENSE -> {
        Dense dense = report.getDense();
        if (dense.getValuesCount() == 0) {
          violations.add("dense.values", "must not be empty");
        }
        if (!report.hasCentral()) {
          checkFinite("dense.values", dense.getValuesCount(), dense::getValues, violations);
        }
      }
      case GRID -> {
        if (report.getGrid().getValuesCount() == 0) {
          violations.add("grid.values", "must not be empty");
        }
      }
      case SPARSE -> checkSparse(report.getSparse(), !report.hasCentral(), violations);
      case EXAMPLE -> checkExample(report.getExample(), !report.hasCentral(), violations);
      case CANDIDATE -> checkCandidate(report, violations);
      case ANSWER -> Questions.checkAnswer(report, violations);
      case VOTE -> Statistics.checkVote(report, violations);
      case TOKEN -> checkToken(report, violations);
      case GRADIENT_NOT_SET ->
          violations.add(
              "gradient",
              "is missing or unknown: it must be dense, grid, sparse, example, candidate,"
                  + " answer, vote or token");
    }
  }

  private static void checkToken(GradientReport report, Violations violations) {
    if (report.getToken().getTag().size() != TAG_BYTES) {
      violations.add("token.tag", String.format("must be %d bytes", TAG_BYTES));
    }
    violations.require(
        report.hasPrivUnit() || report.hasRandomisedResponse(),
        "gradient",
        "token",
        "another, unless the report is priv_unit or randomised_response");
  }

  private static void checkCandidate(GradientReport report, Violations violations) {
    Candidate candidate = report.getCandidate();
    violations.require(
        candidate.getDimension() >= 1,
        "candidate.dimension",
        candidate.getDimension(),
        "at least 1");
    violations.required("candidate.seed", candidate.hasSeed(), "64 random bits");
    violations.required("candidate.index", candidate.hasIndex(), "a number from 0");
    violations.require(
        report.hasPrivUnit(), "gradient", "candidate", "another, unless the report is priv_unit");
  }

  private static void checkExample(Example example, boolean finite, Violations violations) {
    if (example.getXCount() == 0) {
      violations.add("example.x", "must not be empty");
    }
    if (finite) {
      checkFinite("example.x", example.getXCount(), example::getX, violations);
    }
    if (violations.required("example.y", example.hasY(), "a number")
        && finite
        && !Double.isFinite(example.getY())) {
      violations.add("example.y", "must be finite");
    }
  }

  private static void checkFinite(
      String field, int count, IntToDoubleFunction values, Violations violations) {
    for (int i = 0; i < count; i++) {
      if (!Double.isFinite(values.applyAsDouble(i))) {
        violations.add(field, "must be finite");
        return;
      }
    }
  }

  private static void checkSparse(Sparse sparse, boolean finite, Violations violations) {
    violations.require(
        sparse.getDimension() >= 1, "sparse.dimension", sparse.getDimension(), "at least 1");
    if (finite) {
      checkFinite("sparse.values", sparse.getValuesCount(), sparse::getValues, violations);
    }
    if (sparse.getIndicesCount() != sparse.getValuesCount()) {
      violations.add("sparse.indices", "and sparse.values must be equally many");
    }
    int[] indices = new int[sparse.getIndicesCount()];
    Arrays.setAll(indices, sparse::getIndices);
    if (!areIndices(indices, sparse.getDimension())) {
      violations.add("sparse.indices", "must be from 0 to dimension - 1, none of them twice");
    }
  }

  private static void checkDeclaration(GradientReport report, Violations violations) {
    if (report.getDeclarationCase() == DeclarationCase.DECLARATION_NOT_SET) {
      violations.add("declaration", UNDECLARED);
      return;
    }
    Declarations.violations(report, FieldDescriptor::getName).forEach(violations::add);
    if (report.hasCoordinateLaplace()) {
      checkCoordinateLaplace(report, violations);
    } else if (report.hasPrivUnit()) {
      checkPrivUnit(report, violations);
    } else if (report.hasRandomisedResponse()) {
      violations.require(
          report.hasAnswer() || report.hasToken(),
          "gradient",
          "another form",
          "answer, since it is randomised_response");
    } else if (report.hasHashedResponse()) {
      violations.require(
          report.hasVote(), "gradient", "another form", "vote, since it is hashed_response");
    }
  }

  private static void checkPrivUnit(GradientReport report, Violations violations) {
    if (report.hasToken()) {
      return;
    }
    violations.require(
        report.hasCandidate(), "gradient", "another form", "candidate, since it is priv_unit");
    Candidate candidate = report.getCandidate();
    if (candidate.hasIndex() && !isIndex(candidate, report.getPrivUnit())) {
      violations.add("candidate.index", "must be from 0 to priv_unit.candidates - 1");
    }
  }

  /** Whether a candidate's index is one of the declared candidates. */
  public static boolean isIndex(Candidate candidate, PrivUnit mechanism) {
    return candidate.getIndex() >= 0 && candidate.getIndex() < mechanism.getCandidates();
  }

  private static void checkCoordinateLaplace(GradientReport report, Violations violations) {
    int taus = report.getCoordinateLaplace().getTausCount();
    switch (report.getGradientCase()) {
      case DENSE -> checkTaus(taus, report.getDense().getValuesCount(), COORDINATES, violations);
      case GRID -> checkTaus(taus, report.getGrid().getValuesCount(), COORDINATES, violations);
      case SPARSE -> checkTaus(taus, report.getSparse().getIndicesCount(), INDICES, violations);
      case EXAMPLE -> checkTaus(taus, report.getExample().getXCount(), COORDINATES, violations);
      case CANDIDATE, ANSWER, VOTE, TOKEN, GRADIENT_NOT_SET -> {}
    }
  }

  private static void checkTaus(int taus, int right, String ofWhat, Violations violations) {
    violations.require(
        taus == right,
        "coordinate_laplace.taus",
        "of length " + taus,
        "of length " + right + ", one for each of " + ofWhat);
  }
}
