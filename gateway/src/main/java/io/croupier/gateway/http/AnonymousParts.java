package io.croupier.gateway.http;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.ServedWindows;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.ReportSender;
import io.croupier.schemas.Grant;
import io.croupier.schemas.Topics;
import java.util.function.BooleanSupplier;

/**
 * What a gateway needs for anonymous reports.
 *
 * @param tokens reads requests for tokens
 * @param grants the ledger's verdicts on them
 * @param windows those that devices may ask for
 * @param reports judges anonymous reports
 * @param sender writes to Kafka
 * @param topics those of the gateway
 * @param oblivious the key pair that opens encapsulated requests, the same at all gateways
 * @param caughtUp whether all specs, updates and keys have been read, and verdicts are followed
 */
public record AnonymousParts(
    TokenCheck tokens,
    Answers<ByteString, Grant> grants,
    ServedWindows windows,
    AnonymousCheck reports,
    ReportSender sender,
    Topics topics,
    ObliviousKeyPair oblivious,
    BooleanSupplier caughtUp) {}
