package io.croupier.gateway.http;

/** The second half of the inputs, which another JVM sends at the same time. */
class OtherRequestFuzzTest extends RequestFuzzTest {

  @Override
  long seed() {
    return super.seed() + 1;
  }
}
