package io.croupier.operators.flink.learner;

import org.junit.jupiter.api.Tag;

/** The learner's state with the other backends and plans. */
@Tag("thorough")
class LearnerStateInEveryBackendTest extends LearnerStateTest {}
