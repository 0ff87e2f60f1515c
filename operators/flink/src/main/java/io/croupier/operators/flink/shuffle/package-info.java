/**
 * The format in which records cross the network between the job's operators. Keyed and operator
 * state has other formats: those of Flink's POJO serializer.
 *
 * <p>A record is the byte 16 + version, and then its fields in the order of its serializer:
 *
 * <pre>
 * number, integer   zigzag varint, at most 10 bytes
 * fixed             8 bytes, big-endian
 * real              0 for 0.0; otherwise 1, and the IEEE bits as 8 bytes
 * flag              1 byte
 * constant          varint: 0 for null, otherwise 1 + ordinal
 * text, name        varint: 0 for null, otherwise 1 + length; UTF-8
 * bytes             varint: 0 for null, otherwise 1 + length; the bytes
 * integers, numbers varint: 0 for null, otherwise 1 + count; the differences as zigzag varints
 * texts, byteArrays varint: 0 for null, otherwise 1 + count; the elements
 * </pre>
 *
 * <p>Records of the POJO serializer begin with a lower byte, so that no record is read as one of
 * another format: unaligned checkpoints contain records between operators.
 */
package io.croupier.operators.flink.shuffle;
