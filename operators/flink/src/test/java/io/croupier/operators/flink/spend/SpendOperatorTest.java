package io.croupier.operators.flink.spend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.operators.anonymous.TestTokens;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.flink.spend.SpendMetrics.SpendOutcome;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.TokenKey;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each token admits one report, of its model, window and level, and no other token does. */
class SpendOperatorTest {
  private static final int PUBLICATIONS = 10;
  private static final String KEYS = "token-keys";

  private static TestTokens signer;
  private static TestTokens stranger;

  /** What the readers find at a start. */
  private static final List<SpecRecord> PUBLISHED = new ArrayList<>();

  private static PrivUnitMechanism level;

  private Tasks tasks;

  /** The operator in harnesses. */
  private static final class Tasks
      extends Subtasks<
          RoundSum,
          KeyedTwoInputStreamOperatorTestHarness<String, RawRecord, SpecRecord, RoundSum>> {
    Tasks(Backend backend, Plan plan) throws Exception {
      super(
          (keyGroups, parallelism, index) ->
              new KeyedTwoInputStreamOperatorTestHarness<>(
                  new SpendOperator(
                      () -> PUBLISHED.stream().filter(r -> !KEYS.equals(r.topic)).toList(),
                      () -> PUBLISHED.stream().filter(r -> KEYS.equals(r.topic)).toList(),
                      KEYS,
                      TestRecords.WITH_ANONYMOUS),
                  new NonceOfRecord(),
                  null,
                  Types.STRING,
                  keyGroups,
                  parallelism,
                  index),
          backend,
          plan,
          null);
    }

    void follow(SpecRecord record) throws Exception {
      onEach(harness -> harness.processElement2(record, 0));
    }

    int send(AnonymousReport report) throws Exception {
      return send(TestTokens.nonce(report.getToken().toByteArray()), report);
    }

    static RawRecord record(ByteString nonce, AnonymousReport report) {
      RawRecord record = new RawRecord();
      record.topic = "anonymous";
      record.key = nonce.toByteArray();
      record.value = report.toByteArray();
      record.appendedAtMs = 5;
      return record;
    }

    /** Returns how many reports were admitted. */
    int send(ByteString nonce, AnonymousReport report) throws Exception {
      RawRecord record = record(nonce, report);
      int before = outputs().size();
      on(new NonceOfRecord().getKey(record), harness -> harness.processElement1(record, 0));
      return outputs().size() - before;
    }
  }

  @BeforeAll
  static void makeKeys() throws Exception {
    signer = new TestTokens(1);
    stranger = new TestTokens(2);
  }

  private static ModelSpec.Builder spec(String modelId) {
    return TestRecords.blackBox(modelId)
        .setAnonymous(
            Anonymous.newBuilder()
                .setPublications(PUBLICATIONS)
                .addLevels(
                    Anonymous.Level.newBuilder()
                        .setPrivUnit(Anonymous.GradientLevel.newBuilder().setEpsilon(2))));
  }

  private void start(Subtasks.Backend backend, Subtasks.Plan plan) throws Exception {
    PUBLISHED.clear();
    tasks = new Tasks(backend, plan);
    level = (PrivUnitMechanism) AnonymousWindows.levels(spec("m").build()).get(0);
    tasks.follow(TestRecords.published(0, spec("m")));
    tasks.follow(TestRecords.published(1, spec("other")));
    tasks.follow(TestRecords.published(2, TestRecords.blackBox("plain")));
    key("m", 0);
    key("m", 1);
    key("other", 0);
  }

  private void start() throws Exception {
    start(Subtasks.Backend.HASH_MAP, Subtasks.Plan.NEVER_STOPPED);
  }

  @AfterEach
  void stop() {
    tasks.close();
  }

  private static SpecRecord keyRecord(String modelId, long window, TestTokens signer) {
    SpecRecord record = new SpecRecord();
    record.topic = KEYS;
    record.modelId = WindowKeys.name(modelId, window, level);
    record.value =
        TokenKey.newBuilder()
            .setModulus(ByteString.copyFrom(signer.modulus()))
            .build()
            .toByteArray();
    return record;
  }

  private void key(String modelId, long window) throws Exception {
    SpecRecord record = keyRecord(modelId, window, signer);
    PUBLISHED.add(record);
    tasks.follow(record);
  }

  private static AnonymousReport report(byte[] token, long round) {
    return AnonymousReport.newBuilder()
        .setModelId("m")
        .setRound(round)
        .setToken(ByteString.copyFrom(token))
        .setCandidate(Candidate.newBuilder().setDimension(2).setSeed(17).setIndex(3))
        .setPrivUnit(
            PrivUnit.newBuilder()
                .setEpsilon(level.epsilon())
                .setCandidates(level.candidates())
                .setTop(level.top()))
        .build();
  }

  private static byte[] token(String modelId, long window) throws Exception {
    return signer.token(modelId, window, level);
  }

  @Test
  void aTokenAdmitsOneReport() throws Exception {
    start();
    byte[] token = token("m", 0);
    assertThat(tasks.send(report(token, 4))).isOne();
    assertThat(tasks.send(report(token, 4))).isZero();
    assertThat(tasks.send(report(token, 5))).isZero();

    RoundSum sum = tasks.outputs().get(0);
    assertThat(sum.modelId).isEqualTo("m");
    assertThat(sum.namedRound).isEqualTo(4);
    assertThat(sum.count).isOne();
    assertThat(sum.anonymousLevel).isOne();
    assertThat(sum.appendedAtMs).isEqualTo(5);
  }

  /** So a copy costs no verification of a signature, whatever else is in the record. */
  @Test
  void aSpentNonceIsFoundBeforeTheSignatureIsVerified() throws Exception {
    start();
    byte[] token = token("m", 0);
    assertThat(tasks.send(report(token, 4))).isOne();
    byte[] changed = token.clone();
    changed[100] ^= 1;
    RawRecord copy = Tasks.record(TestTokens.nonce(changed), report(changed, 4));
    tasks.on(
        new NonceOfRecord().getKey(copy),
        harness -> {
          SpendOperator operator = (SpendOperator) harness.getOperator();
          operator.setKeyContextElement1(new StreamRecord<>(copy));
          assertThat(operator.take(copy)).isEqualTo(SpendOutcome.REFUSED_SPENT);
        });
  }

  @Test
  void aForgedTokenIsRefused() throws Exception {
    start();
    assertThat(tasks.send(report(stranger.token("m", 0, level), 4))).isZero();
    byte[] changed = token("m", 0);
    changed[40] ^= 1;
    assertThat(tasks.send(report(changed, 4))).isZero();
    byte[] cut = new byte[385];
    assertThat(tasks.send(report(cut, 4))).isZero();
  }

  @Test
  void aTokenOfAnotherWindowIsRefused() throws Exception {
    start();
    assertThat(tasks.send(report(token("m", 1), 9))).isZero();
    assertThat(tasks.send(report(token("m", 0), 10))).isZero();
    assertThat(tasks.send(report(token("m", 1), 10))).isOne();
    // There is no key of the window after the next.
    assertThat(tasks.send(report(token("m", 2), 20))).isZero();
  }

  @Test
  void aTokenOfAnotherModelIsRefused() throws Exception {
    start();
    assertThat(tasks.send(report(token("other", 0), 4))).isZero();
    AnonymousReport toPlain = report(token("plain", 0), 4).toBuilder().setModelId("plain").build();
    assertThat(tasks.send(toPlain)).isZero();
  }

  @Test
  void anExpiredTokenIsRefused() throws Exception {
    start();
    key("m", 2);
    assertThat(tasks.send(report(token("m", 0), 4))).isOne();
    key("m", 3);
    assertThat(tasks.send(report(token("m", 0), 4))).isZero();
  }

  @Test
  void anotherDeclarationIsRefused() throws Exception {
    start();
    AnonymousReport weaker = report(token("m", 0), 4);
    weaker =
        weaker.toBuilder()
            .setPrivUnit(weaker.getPrivUnit().toBuilder().setTop(level.top() - 1))
            .build();
    assertThat(tasks.send(weaker)).isZero();
    AnonymousReport other = report(token("m", 0), 4);
    assertThat(
            tasks.send(
                other.toBuilder()
                    .setCandidate(other.getCandidate().toBuilder().setDimension(3))
                    .build()))
        .isZero();
  }

  @Test
  void theKeyOfARecordIsTheNonce() throws Exception {
    start();
    AnonymousReport report = report(token("m", 0), 4);
    assertThat(tasks.send(ByteString.copyFromUtf8("another"), report)).isZero();
    assertThat(tasks.send(ByteString.EMPTY, report)).isZero();
    assertThat(tasks.send(report)).isOne();
  }

  @ParameterizedTest
  @EnumSource(Subtasks.Backend.class)
  void restartsForgetNoSpentToken(Subtasks.Backend backend) throws Exception {
    start(backend, Subtasks.Plan.RESCALED);
    List<byte[]> spent = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      spent.add(token("m", 0));
      assertThat(tasks.send(report(spent.get(i), 4))).isOne();
      if (i % 5 == 4) {
        tasks.barrier();
      }
    }
    for (byte[] token : spent) {
      assertThat(tasks.send(report(token, 4))).isZero();
    }
    assertThat(tasks.send(report(token("m", 0), 4))).isOne();
  }

  @ParameterizedTest
  @EnumSource(Subtasks.Backend.class)
  void aClosedWindowLeavesNoState(Subtasks.Backend backend) throws Exception {
    start(backend, Subtasks.Plan.RESCALED);
    for (int i = 0; i < 10; i++) {
      assertThat(tasks.send(report(token("m", 0), 4))).isOne();
      assertThat(tasks.send(report(token("m", 1), 14))).isOne();
    }
    assertThat(nonces()).isEqualTo(20);
    key("m", 2);
    key("m", 3);
    assertThat(nonces()).isEqualTo(10);
    tasks.barrier();
    key("m", 4);
    assertThat(nonces()).isZero();
  }

  private int nonces() throws Exception {
    int[] count = {0};
    tasks.onEach(
        harness -> {
          for (long window = 0; window < 3; window++) {
            count[0] +=
                (int)
                    ((SpendOperator) harness.getOperator())
                        .getKeyedStateBackend()
                        .getKeys(StateNames.SPENT_NONCES, "m/" + window)
                        .count();
          }
        });
    return count[0];
  }

  /** Who may publish models may not sign tokens, nor close windows. */
  @Test
  void theTopicOfModelsHasNoKeys() throws Exception {
    start();
    for (long window : new long[] {2, 1_000}) {
      SpecRecord key = keyRecord("m", window, stranger);
      key.topic = "models";
      tasks.follow(key);
    }
    key("m", 2);
    assertThat(tasks.send(report(stranger.token("m", 2, level), 24))).isZero();
    assertThat(tasks.send(report(token("m", 2), 24))).isOne();
  }

  /** As ledger and learner judge it: what they refuse isn't in the way of a later spec. */
  @Test
  void aSpecThatTheJobCantRunIsNotFollowed() throws Exception {
    start(Subtasks.Backend.HASH_MAP, Subtasks.Plan.RESTORED);
    tasks.job.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 1);
    tasks.barrier();
    tasks.follow(TestRecords.published(3, TestRecords.central("x")));
    tasks.follow(TestRecords.published(4, spec("x")));
    key("x", 0);
    AnonymousReport report = report(token("x", 0), 4).toBuilder().setModelId("x").build();
    assertThat(tasks.send(report)).isOne();
  }

  /** Without state the operator doesn't know which tokens were spent. */
  @Test
  void withoutStateNoOpenWindowGoesOn() throws Exception {
    start();
    byte[] spent = token("m", 0);
    assertThat(tasks.send(report(spent, 4))).isOne();
    PUBLISHED.add(TestRecords.published(0, spec("m")));
    tasks.loseState();
    assertThat(tasks.send(report(spent, 4))).isZero();
    assertThat(tasks.send(report(token("m", 1), 14))).isZero();
    key("m", 2);
    assertThat(tasks.send(report(token("m", 2), 24))).isOne();
  }
}
