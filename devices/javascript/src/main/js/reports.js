// Reports as Protobuf bytes

import { ascii } from './bytes.js';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

/** Writes the few kinds of fields that a GradientReport of this module has, in the order of their numbers. */
class ProtobufWriter {
  #bytes = [];

  /** From 0 to 2^53 - 1. */
  #varint(value) {
    while (value >= 0x80) {
      this.#bytes.push((value % 0x80) | 0x80);
      value = Math.floor(value / 0x80);
    }
    this.#bytes.push(value);
  }

  #tag(field, type) {
    this.#varint(field * 8 + type);
  }

  integer(field, value) {
    this.#tag(field, VARINT);
    this.#varint(value);
    return this;
  }

  #fixed(field, write) {
    const view = new DataView(new ArrayBuffer(8));
    write(view);
    this.#tag(field, FIXED64);
    this.#bytes.push(...new Uint8Array(view.buffer));
    return this;
  }

  fixed64(field, value) {
    return this.#fixed(field, (view) => view.setBigUint64(0, value, true));
  }

  double(field, value) {
    return this.#fixed(field, (view) => view.setFloat64(0, value, true));
  }

  bytes(field, value) {
    this.#tag(field, LENGTH);
    this.#varint(value.length);
    this.#bytes.push(...value);
    return this;
  }

  text(field, value) {
    return this.bytes(field, ascii(value));
  }

  message(field, writer) {
    return this.bytes(field, writer.finish());
  }

  finish() {
    return Uint8Array.from(this.#bytes);
  }
}

const HOUR_MS = 3_600_000;

/** The fields of every report. The gateway adds the user_id, which the device doesn't know. */
function reportWriter(terms, deviceId, sequence, now) {
  return new ProtobufWriter()
    .text(1, terms.modelId)
    .integer(2, terms.round)
    .text(4, deviceId)
    .integer(5, sequence)
    // A finer value would bound the device's computing time, which may depend on the gradient.
    .integer(6, Math.floor(now / HOUR_MS) * HOUR_MS);
}

/** A report of a gradient. With a moving clip it states the bound of the round. */
export function candidateReport(terms, deviceId, sequence, now, randomiser, choice) {
  const report = reportWriter(terms, deviceId, sequence, now);
  if (terms.size !== null) {
    report.double(7, terms.gradientBound);
  }
  return report
    .message(14, new ProtobufWriter().integer(1, terms.dimension).fixed64(2, choice.seed).integer(3, choice.index))
    .message(
      25,
      new ProtobufWriter().double(1, randomiser.epsilon).integer(2, randomiser.candidates).integer(3, randomiser.top))
    .finish();
}

/** A report of an answer. */
export function answerReport(terms, deviceId, sequence, now, randomiser, question, bit) {
  return reportWriter(terms, deviceId, sequence, now)
    .message(15, new ProtobufWriter().text(1, question).integer(2, bit ? 1 : 0))
    .message(26, new ProtobufWriter().double(1, randomiser.epsilon))
    .finish();
}

/** A report of a person's category in a statistic. */
export function voteReport(terms, deviceId, sequence, now, randomiser, statistic, { seed, group }) {
  const vote = new ProtobufWriter().text(1, statistic);
  if (seed !== null) {
    vote.fixed64(2, seed);
  }
  return reportWriter(terms, deviceId, sequence, now)
    .message(16, vote.integer(3, group))
    .message(27, new ProtobufWriter().double(1, randomiser.epsilon).integer(2, randomiser.groups))
    .finish();
}

/** Length of all anonymous reports in bytes; of it, tag and length of the padding take three. */
const ANONYMOUS_BYTES = 1024;

const PADDING_HEAD = 3;

/** An AnonymousReport, padded. */
export function anonymousReport(snapshot, token, randomiser, choice) {
  const report = (padding) => {
    const writer = new ProtobufWriter().text(1, snapshot.modelId).integer(2, snapshot.round).bytes(3, token);
    if (padding > 0) {
      writer.bytes(4, new Uint8Array(padding));
    }
    return writer
      .message(
        14,
        new ProtobufWriter()
          .integer(1, randomiser.dimension).fixed64(2, choice.seed).integer(3, choice.index))
      .message(
        25,
        new ProtobufWriter().double(1, randomiser.epsilon).integer(2, randomiser.candidates).integer(3, randomiser.top))
      .finish();
  };
  return report(ANONYMOUS_BYTES - PADDING_HEAD - report(0).length);
}
