package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccountingEventWriterTest {
  private static final String USER = "j\u00fcr/gen";
  private static final byte[] KEY_OF_VERSION_1 = USER.getBytes(UTF_8);

  private final AccountingEventWriter writer = new AccountingEventWriter();
  private final Random random = new Random(17);

  /** The fields that version 2 contains, written by Protobuf. */
  private static byte[] expected(AccountingEvent event) {
    AccountingEvent.Builder slim = event.toBuilder().clearUserId().clearDeviceId();
    if (event.hasModelTotals() && isCharged(event)) {
      slim.clearModelId();
    }
    if (event.getUserTotals().equals(event.getModelTotals())) {
      slim.clearUserTotals();
    }
    for (Spend.Builder spend :
        List.of(
            slim.getSpentBuilder(), slim.getModelTotalsBuilder(), slim.getUserTotalsBuilder())) {
      for (FieldDescriptor field : spend.getDescriptorForType().getFields()) {
        if (isInAllSpends(field) && ((Number) spend.getField(field)).doubleValue() == 0) {
          spend.clearField(field);
        }
      }
    }
    if (!event.hasModelTotals()) {
      slim.clearModelTotals();
    }
    if (slim.getUserTotals().getSerializedSize() == 0) {
      slim.clearUserTotals();
    }
    if (slim.getSpent().getSerializedSize() == 0) {
      slim.clearSpent();
    }
    if (event.getReason().isEmpty()) {
      slim.clearReason();
    }
    String usual = event.hasCentral() ? "croupier.raw-gradients" : "croupier.gradients";
    if (event.getSource().getTopic().equals(usual)) {
      slim.getSourceBuilder().clearTopic();
    }
    return slim.build().toByteArray();
  }

  private static boolean isCharged(AccountingEvent event) {
    return event.getOutcome() == Outcome.ADMITTED
        || (event.getOutcome() != Outcome.DUPLICATE
            && !event.hasCentral()
            && !event.hasTokenRound());
  }

  private static boolean isInAllSpends(FieldDescriptor field) {
    return Set.of("reports", "epsilon", "mu", "rho", "undisclosed", "unbounded", "mu_of_all")
        .contains(field.getName());
  }

  /** Any event, with every field that the contract has now or later. */
  private AccountingEvent event() {
    AccountingEvent.Builder event = AccountingEvent.newBuilder();
    fill(
        event,
        "left_model",
        "left_user",
        "central_spend",
        "dimension",
        "model_totals",
        "model_window",
        "user_window",
        "appended_at_ms",
        "highest_sequence",
        "token_round",
        "last_token_window",
        "tree");
    Outcome[] outcomes = {Outcome.ADMITTED, Outcome.DUPLICATE, Outcome.REFUSED_SEQUENCE};
    event
        .setUserId(USER)
        .setOutcome(outcomes[random.nextInt(outcomes.length)])
        .setReason(random.nextBoolean() ? "" : "r\u00e9ason".repeat(random.nextInt(150)));
    if (random.nextBoolean()) {
      event
          .getSourceBuilder()
          .setTopic(event.hasCentral() ? "croupier.raw-gradients" : "croupier.gradients");
    }
    if (event.hasModelTotals() && random.nextInt(3) == 0) {
      event.setUserTotals(event.getModelTotals());
    }
    if (random.nextInt(3) == 0) {
      event.setSpent(AccountingEvents.NOTHING);
    }
    if (random.nextInt(5) == 0) {
      event.clearModelTotals().setUserTotals(AccountingEvents.NOTHING);
    }
    return event.build();
  }

  private void fill(Message.Builder message, String... optional) {
    boolean isSpend = message.getDescriptorForType() == Spend.getDescriptor();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      boolean leftOut =
          isSpend ? !isInAllSpends(field) : List.of(optional).contains(field.getName());
      if (leftOut && random.nextBoolean()) {
        continue;
      }
      if (field.getRealContainingOneof() != null && random.nextBoolean()) {
        continue;
      }
      Object value = value(message, field, isSpend && isInAllSpends(field));
      message.setField(field, field.isRepeated() ? List.of(value, value) : value);
    }
  }

  private Object value(Message.Builder message, FieldDescriptor field, boolean mayBeZero) {
    boolean zero = mayBeZero && random.nextBoolean();
    return switch (field.getJavaType()) {
      case INT -> 1 + random.nextInt(1 << random.nextInt(31));
      case LONG -> zero ? 0L : 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
      case DOUBLE -> zero ? 0.0 : 1 / random.nextDouble();
      case STRING -> random.nextBoolean() ? "device-" + random.nextInt() : "\u00e4\ud83c\udfb2x";
      case ENUM -> field.getEnumType().getValues().get(1);
      case MESSAGE -> {
        Message.Builder within = message.newBuilderForField(field);
        fill(within);
        yield within.build();
      }
      default -> throw new AssertionError("a field of another kind: " + field);
    };
  }

  @Test
  void theBytesAreThoseOfProtobuf() throws Exception {
    Set<AccountingEvent.DeclarationCase> seen =
        EnumSet.noneOf(AccountingEvent.DeclarationCase.class);
    for (int i = 0; i < 3000; i++) {
      AccountingEvent event = event();
      byte[] bytes = writer.write(event);
      assertThat(bytes).as(() -> event.toString()).isEqualTo(expected(event));
      assertThat(AccountingEvents.read(AccountingKey.of(event), bytes)).isEqualTo(event);
      seen.add(event.getDeclarationCase());
    }
    assertThat(seen).containsExactlyInAnyOrder(AccountingEvent.DeclarationCase.values());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AccountingEvent",
        "AccountingEvent-limits",
        "AccountingEvent-central",
        "AccountingEvent-blt",
        "AccountingEvent-priv-unit",
        "AccountingEvent-answer"
      })
  void eventsOfVersion1StayAsTheyAre(String name) throws IOException {
    try (InputStream in =
        AccountingEventWriterTest.class.getResourceAsStream("/golden/v1/" + name + ".bin")) {
      byte[] bytes = in.readAllBytes();
      assertThat(AccountingEvents.read(KEY_OF_VERSION_1, bytes))
          .isEqualTo(AccountingEvent.parseFrom(bytes));
    }
  }

  /** Without a key there is no user, which no ledger writes. */
  @Test
  void anEventWithoutAUserNeedsAKey() throws Exception {
    AccountingEvent event = AccountingEvents.read(null, writer.write(event()));
    assertThat(AccountingEvents.violations(event)).anyMatch(line -> line.startsWith("user_id"));
  }
}
