package io.croupier.schemas;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.InvalidMechanismException;
import io.croupier.accounting.mechanism.InvalidMechanismException.Flaw;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.schemas.view.CoordinateLaplaceView;
import io.croupier.schemas.view.GradientReportView;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Converts the declarations of records into {@link Mechanism}s and back. A mechanism's name is that
 * of its field, in every record that declares one: {@link GradientReport} and its view, {@link
 * AccountingEvent}, and {@link StrongestNoise}.
 */
public final class Declarations {
  /** A mechanism that all records with a declaration know; it identifies the oneof. */
  private static final String KNOWN_TO_ALL = "l2_laplace";

  private Declarations() {}

  /** The names of all that a record may declare, separated by commas. */
  public static String names(Descriptor record) {
    return oneof(record).getFields().stream()
        .map(FieldDescriptor::getName)
        .collect(Collectors.joining(", "));
  }

  /** The fields of reports for all mechanisms that devices apply. */
  public static Stream<FieldDescriptor> onDevices() {
    return oneof(GradientReport.getDescriptor()).getFields().stream()
        .filter(field -> field.getNumber() != GradientReport.CENTRAL_FIELD_NUMBER);
  }

  /** The message that declares a record's mechanism; null if there is none. */
  public static Message declared(MessageOrBuilder record) {
    FieldDescriptor field = record.getOneofFieldDescriptor(oneof(record.getDescriptorForType()));
    return field == null ? null : (Message) record.getField(field);
  }

  /** The same for a report's view, without reflection, since the job reads every report by it. */
  public static Message declared(GradientReportView report) {
    return switch (report.getDeclarationCase()) {
      case UNDISCLOSED -> report.getUndisclosed();
      case L2_LAPLACE -> report.getL2Laplace();
      case COORDINATE_LAPLACE -> report.getCoordinateLaplace();
      case GAUSSIAN -> report.getGaussian();
      case CENTRAL -> report.getCentral();
      case PRIV_UNIT -> report.getPrivUnit();
      case RANDOMISED_RESPONSE -> report.getRandomisedResponse();
      case HASHED_RESPONSE -> report.getHashedResponse();
      case DECLARATION_NOT_SET -> null;
    };
  }

  /** The same for an event, without reflection, since accounts are computed from many of them. */
  public static Message declared(AccountingEventOrBuilder event) {
    return switch (event.getDeclarationCase()) {
      case UNDISCLOSED -> event.getUndisclosed();
      case L2_LAPLACE -> event.getL2Laplace();
      case COORDINATE_LAPLACE -> event.getCoordinateLaplace();
      case GAUSSIAN -> event.getGaussian();
      case CENTRAL -> event.getCentral();
      case PRIV_UNIT -> event.getPrivUnit();
      case RANDOMISED_RESPONSE -> event.getRandomisedResponse();
      case HASHED_RESPONSE -> event.getHashedResponse();
      case DECLARATION_NOT_SET -> null;
    };
  }

  private static OneofDescriptor oneof(Descriptor record) {
    return record.findFieldByName(KNOWN_TO_ALL).getContainingOneof();
  }

  /**
   * The mechanism of a declaration.
   *
   * @param declared a message of a record's oneof
   * @param dimension of the vector, whose coordinates without a tau have no noise; 0 if every
   *     coordinate has one, or the dimension is unknown
   * @throws InvalidMechanismException if a parameter is out of range
   */
  public static Mechanism of(MessageOrBuilder declared, int dimension) {
    if (declared instanceof L2LaplaceOrBuilder laplace) {
      return new L2LaplaceMechanism(laplace.getEpsilon(), dimension);
    }
    if (declared instanceof GaussianOrBuilder gaussian) {
      return new GaussianMechanism(gaussian.getMu());
    }
    if (declared instanceof PrivUnitOrBuilder unit) {
      return new PrivUnitMechanism(unit.getEpsilon(), unit.getCandidates(), unit.getTop());
    }
    if (declared instanceof RandomisedResponseOrBuilder response) {
      return new RandomisedResponseMechanism(
          response.hasMu() ? response.getMu() : response.getEpsilon(), response.hasMu());
    }
    if (declared instanceof HashedResponseOrBuilder response) {
      return new HashedResponseMechanism(response.getEpsilon(), response.getGroups());
    }
    if (declared instanceof CoordinateLaplace laplace) {
      DoubleBuffer taus = DoubleBuffer.allocate(laplace.getTausCount());
      for (int j = 0; j < taus.limit(); j++) {
        taus.put(j, laplace.getTaus(j));
      }
      return coordinates(taus, laplace.getClip(), dimension);
    }
    if (declared instanceof CoordinateLaplaceView laplace) {
      return of(laplace, ByteString.copyFrom(laplace.getTausList()).toByteArray(), dimension);
    }
    if (declared instanceof UndisclosedOrBuilder) {
      return UndisclosedNoise.UNDISCLOSED;
    }
    if (declared instanceof CentralOrBuilder) {
      return CentralNoise.CENTRAL;
    }
    throw new IllegalArgumentException(
        declared.getDescriptorForType().getName() + " is no mechanism");
  }

  /**
   * The mechanism of a declaration whose runs of taus the caller has joined.
   *
   * @param taus all runs, in their order; kept and not copied, so the caller must not change them
   * @param dimension as in {@link #of(MessageOrBuilder, int)}
   * @throws InvalidMechanismException if a tau is out of range
   */
  public static Mechanism of(CoordinateLaplaceView declared, byte[] taus, int dimension) {
    return coordinates(
        ByteBuffer.wrap(taus).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer(),
        declared.getClip(),
        dimension);
  }

  private static Mechanism coordinates(
      DoubleBuffer taus, CoordinateLaplace.Clip clip, int dimension) {
    return new CoordinateLaplaceMechanism(taus, clip(clip), Math.max(0, dimension - taus.limit()));
  }

  private static DeclaredClip clip(CoordinateLaplace.Clip clip) {
    return switch (clip) {
      case CLIP_UNSPECIFIED -> DeclaredClip.UNSPECIFIED;
      case L2 -> DeclaredClip.L2;
      case COORDINATES -> DeclaredClip.COORDINATES;
      case UNRECOGNIZED -> throw new IllegalArgumentException("clip is unknown");
    };
  }

  private static CoordinateLaplace.Clip clip(DeclaredClip clip) {
    return switch (clip) {
      case UNSPECIFIED -> CoordinateLaplace.Clip.CLIP_UNSPECIFIED;
      case L2 -> CoordinateLaplace.Clip.L2;
      case COORDINATES -> CoordinateLaplace.Clip.COORDINATES;
    };
  }

  /**
   * Declares a mechanism in a record.
   *
   * @throws IllegalArgumentException if such records don't declare it
   */
  public static void declare(Mechanism mechanism, Message.Builder record) {
    if (record instanceof AccountingEvent.Builder event) {
      declare(mechanism, event);
      return;
    }
    FieldDescriptor field = record.getDescriptorForType().findFieldByName(mechanism.name());
    if (field == null) {
      throw new IllegalArgumentException(
          record.getDescriptorForType().getName() + " declares no " + mechanism.name());
    }
    record.setField(field, message(mechanism, field.getMessageType()));
  }

  /** The same for an event, without reflection, since the ledger emits one for every report. */
  public static void declare(Mechanism mechanism, AccountingEvent.Builder event) {
    if (mechanism instanceof L2LaplaceMechanism laplace) {
      event.setL2Laplace(message(laplace));
      if (laplace.dimension() > 0) {
        event.setDimension(laplace.dimension());
      }
    } else if (mechanism instanceof GaussianMechanism gaussian) {
      event.setGaussian(message(gaussian));
    } else if (mechanism instanceof PrivUnitMechanism unit) {
      event.setPrivUnit(message(unit));
    } else if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      event.setCoordinateLaplace(total(laplace));
    } else if (mechanism instanceof RandomisedResponseMechanism response) {
      event.setRandomisedResponse(message(response));
    } else if (mechanism instanceof HashedResponseMechanism response) {
      event.setHashedResponse(message(response));
    } else if (mechanism instanceof UndisclosedNoise) {
      event.setUndisclosed(Undisclosed.getDefaultInstance());
    } else if (mechanism instanceof CentralNoise) {
      event.setCentral(Central.getDefaultInstance());
    } else {
      throw unknown(mechanism);
    }
  }

  private static Message message(Mechanism mechanism, Descriptor type) {
    if (mechanism instanceof L2LaplaceMechanism laplace) {
      return message(laplace);
    }
    if (mechanism instanceof GaussianMechanism gaussian) {
      return message(gaussian);
    }
    if (mechanism instanceof PrivUnitMechanism unit) {
      return message(unit);
    }
    if (mechanism instanceof RandomisedResponseMechanism response) {
      return message(response);
    }
    if (mechanism instanceof HashedResponseMechanism response) {
      return message(response);
    }
    if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      return type == CoordinateLaplaceTotal.getDescriptor()
          ? total(laplace)
          : message(laplace, type);
    }
    if (mechanism instanceof UndisclosedNoise) {
      return Undisclosed.getDefaultInstance();
    }
    if (mechanism instanceof CentralNoise) {
      return Central.getDefaultInstance();
    }
    throw unknown(mechanism);
  }

  private static IllegalArgumentException unknown(Mechanism mechanism) {
    return new IllegalArgumentException("mechanism " + mechanism.name() + " has no message");
  }

  private static L2Laplace message(L2LaplaceMechanism laplace) {
    return L2Laplace.newBuilder().setEpsilon(laplace.epsilon()).build();
  }

  private static Gaussian message(GaussianMechanism gaussian) {
    return Gaussian.newBuilder().setMu(gaussian.mu()).build();
  }

  private static PrivUnit message(PrivUnitMechanism unit) {
    return PrivUnit.newBuilder()
        .setEpsilon(unit.epsilon())
        .setCandidates(unit.candidates())
        .setTop(unit.top())
        .build();
  }

  private static CoordinateLaplaceTotal total(CoordinateLaplaceMechanism laplace) {
    CoordinateLaplaceTotal.Builder total = CoordinateLaplaceTotal.newBuilder();
    if (laplace.effectiveCoordinates() > 0) {
      total.setEffectiveCoordinates(laplace.effectiveCoordinates());
    }
    return total
        .setEpsilon(laplace.cost().epsilon())
        .setNotPrivate(laplace.openCoordinates())
        .setClip(clip(laplace.clip()))
        .build();
  }

  private static RandomisedResponse message(RandomisedResponseMechanism response) {
    RandomisedResponse.Builder message = RandomisedResponse.newBuilder();
    return response.isMu()
        ? message.setMu(response.level()).build()
        : message.setEpsilon(response.level()).build();
  }

  private static HashedResponse message(HashedResponseMechanism response) {
    return HashedResponse.newBuilder()
        .setEpsilon(response.epsilon())
        .setGroups(response.groups())
        .build();
  }

  private static Message message(CoordinateLaplaceMechanism laplace, Descriptor type) {
    CoordinateLaplace.Clip clip = clip(laplace.clip());
    if (type == CoordinateLaplaceView.getDescriptor()) {
      ByteBuffer bytes =
          ByteBuffer.allocate(Math.multiplyExact(laplace.count(), Double.BYTES))
              .order(ByteOrder.LITTLE_ENDIAN);
      bytes.asDoubleBuffer().put(laplace.taus());
      return CoordinateLaplaceView.newBuilder()
          .addTaus(UnsafeByteOperations.unsafeWrap(bytes))
          .setClip(clip)
          .build();
    }
    CoordinateLaplace.Builder message = CoordinateLaplace.newBuilder().setClip(clip);
    for (int j = 0; j < laplace.count(); j++) {
      message.addTaus(laplace.tau(j));
    }
    return message.build();
  }

  /**
   * Every invalid parameter of a declaration, with its valid values; empty if it is valid.
   *
   * @param record with a declaration
   * @param name the name of a field in the sentences
   */
  public static List<Violation> violations(
      MessageOrBuilder record, Function<FieldDescriptor, String> name) {
    FieldDescriptor field = record.getOneofFieldDescriptor(oneof(record.getDescriptorForType()));
    Message declared = (Message) record.getField(field);
    Violations violations = new Violations();
    FieldDescriptor clip = declared.getDescriptorForType().findFieldByName("clip");
    if (clip != null
        && declared instanceof CoordinateLaplace laplace
        && laplace.getClip() == CoordinateLaplace.Clip.UNRECOGNIZED) {
      violations.require(
          false,
          name.apply(field) + "." + name.apply(clip),
          laplace.getClipValue(),
          "L2, COORDINATES or left out");
      return violations.list();
    }
    try {
      of(declared, 0);
    } catch (InvalidMechanismException e) {
      e.flaws().forEach(flaw -> add(flaw, declared, name.apply(field), name, violations));
    }
    return violations.list();
  }

  private static void add(
      Flaw flaw,
      Message declared,
      String mechanism,
      Function<FieldDescriptor, String> name,
      Violations violations) {
    FieldDescriptor field = declared.getDescriptorForType().findFieldByName(flaw.parameter());
    boolean isMissing = field != null && field.hasPresence() && !declared.hasField(field);
    String parameter = field == null ? flaw.parameter() : name.apply(field);
    String state = isMissing ? "missing" : flaw.value().toString();
    violations.add(
        mechanism + "." + parameter, String.format("is %s: it must be %s", state, flaw.right()));
  }
}
