package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.NumberText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;

/** Serves the newest committed update of each model. */
record ModelsEndpoint(
    Specs specs,
    Updates updates,
    BooleanSupplier caughtUp,
    Duration longestWait,
    Places waiting,
    Executor executor,
    Drain drain) {
  static final String PROTOBUF = "application/x-protobuf";
  private static final Duration SOON = Duration.ofSeconds(2);

  /**
   * For how long a gateway may not have read the round that a client read from another one. Later,
   * a smaller round is the one of a model that has started again.
   */
  private static final Duration LAG = Duration.ofSeconds(2);

  /** A table of the models. */
  void list(Exchange exchange) {
    requireCaughtUp();
    JsonArray models = new JsonArray();
    for (ServedModel model : updates.all()) {
      JsonObject row = new JsonObject();
      row.addProperty("modelId", model.modelId());
      specs
          .judge(model.modelId())
          .ifPresent(judge -> row.addProperty("learner", ModelSpecs.learner(judge.spec())));
      row.addProperty("dimension", model.dimension());
      // As Protobuf's JSON mapping writes 64-bit integers.
      row.addProperty("round", String.valueOf(model.round()));
      row.addProperty("used", String.valueOf(model.used()));
      row.addProperty("publishedAtMs", String.valueOf(model.publishedAtMs()));
      models.add(row);
    }
    JsonObject answer = new JsonObject();
    answer.add("models", models);
    exchange.header(HttpHeader.CACHE_CONTROL, "no-cache");
    exchange.answer(HttpStatus.OK_200, Exchange.JSON, answer.toString().getBytes(UTF_8));
  }

  /** The newest update of one model, perhaps after a wait for a newer one. */
  void newest(Exchange exchange) {
    boolean protobuf = prefersProtobuf(exchange.header(HttpHeader.ACCEPT));
    Fields query = query(exchange.request());
    Optional<Long> after = number(query, "after", Long.MAX_VALUE);
    long wait = number(query, "wait", longestWait.toSeconds()).orElse(0L);
    if (wait > 0 && after.isEmpty()) {
      throw new ProblemException(
          ProblemType.MALFORMED, "wait needs after, the round that the client has");
    }
    ServedModel model = require(exchange.parameter());
    if (after.isEmpty() || model.round() > after.get() || isOther(exchange, model, after.get())) {
      answer(exchange, model, protobuf);
    } else if (wait == 0) {
      answerAfter(exchange, model, after.get(), protobuf);
    } else if (model.round() < after.get()) {
      await(exchange, model, after.get(), shorter(Duration.ofSeconds(wait), LAG), protobuf);
    } else {
      await(exchange, model, after.get(), Duration.ofSeconds(wait), protobuf);
    }
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /**
   * Whether the client has another update of the same round: the model was retired and applied
   * again, or rolled back.
   */
  private static boolean isOther(Exchange exchange, ServedModel model, long after) {
    String known = exchange.header(HttpHeader.IF_NONE_MATCH);
    return model.round() == after && known != null && !matches(known, model.tag());
  }

  /** Answers a client that has a round: with any other one, since only a restart has fewer. */
  private static void answerAfter(
      Exchange exchange, ServedModel newest, long after, boolean protobuf) {
    if (newest.round() == after && !isOther(exchange, newest, after)) {
      notModified(exchange, newest);
    } else {
      answer(exchange, newest, protobuf);
    }
  }

  private void requireCaughtUp() {
    if (!caughtUp.getAsBoolean()) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, "the gateway has not read all updates yet")
              .retryAfter(SOON));
    }
  }

  /** The newest update of a model that exists. */
  ServedModel require(String modelId) {
    requireCaughtUp();
    return updates.newest(modelId).orElseThrow(ModelsEndpoint::absent);
  }

  private static ProblemException absent() {
    return new ProblemException(
        ProblemType.NOT_FOUND, "no model with a published update has this name");
  }

  /** No thread waits: the thread that follows the updates completes a future. */
  private void await(
      Exchange exchange, ServedModel present, long after, Duration wait, boolean protobuf) {
    Places.Place place = waiting.take(exchange.address());
    String modelId = exchange.parameter();
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    Updates.Watcher watcher =
        () -> {
          Optional<ServedModel> newest = updates.newest(modelId);
          if (newest.isEmpty()
              || newest.get().round() > after
              || !newest.get().windows().equals(present.windows())
              || !newest.get().averageRound().equals(present.averageRound())
              || newest.get().round() < present.round()) {
            end.complete(true);
          }
        };
    Runnable drained = () -> end.complete(false);
    // The wait is longer than an idle connection may be.
    exchange.request().addIdleTimeoutListener(timeout -> false);
    exchange.request().addFailureListener(end::completeExceptionally);
    updates.watch(modelId, watcher);
    drain.add(drained);
    watcher.changed();
    CompletableFuture<Boolean> unused =
        end.completeOnTimeout(false, wait.toMillis(), TimeUnit.MILLISECONDS)
            .whenCompleteAsync(
                (changed, failure) -> {
                  updates.unwatch(modelId, watcher);
                  drain.remove(drained);
                  place.close();
                  try {
                    answerAfter(exchange, require(modelId), after, protobuf);
                  } catch (RuntimeException e) {
                    exchange.fail(e);
                  }
                },
                executor);
  }

  private static void answer(Exchange exchange, ServedModel model, boolean protobuf) {
    String noneMatch = exchange.header(HttpHeader.IF_NONE_MATCH);
    if (noneMatch != null && matches(noneMatch, model.tag())) {
      notModified(exchange, model);
      return;
    }
    describe(exchange, model);
    if (protobuf) {
      exchange.answer(HttpStatus.OK_200, PROTOBUF, model.protobuf());
    } else {
      exchange.answer(HttpStatus.OK_200, Exchange.JSON, model.json());
    }
  }

  private static void notModified(Exchange exchange, ServedModel model) {
    describe(exchange, model);
    exchange.answer(HttpStatus.NOT_MODIFIED_304);
  }

  /**
   * The tag is weak: it stands for the weights and terms of a round, which have two encodings, and
   * a round may be published again with new counts.
   */
  static String tag(ServedModel model) {
    return "W/\"%s\"".formatted(model.tag());
  }

  private static void describe(Exchange exchange, ServedModel model) {
    exchange.header(HttpHeader.ETAG, tag(model));
    exchange.header(HttpHeader.CACHE_CONTROL, "no-cache");
    exchange.response().getHeaders().add(HttpHeader.VARY, "Accept");
  }

  /** Whether a list of tags contains a model's, weak or not, or is an asterisk. */
  static boolean matches(String tags, String ofModel) {
    for (String tag : tags.split(",", -1)) {
      String name = tag.strip();
      if (name.equals("*") || name.replaceFirst("^W/", "").equals("\"" + ofModel + "\"")) {
        return true;
      }
    }
    return false;
  }

  /** JSON unless Protobuf is accepted and comes first; browsers accept everything. */
  static boolean prefersProtobuf(String accept) {
    if (accept == null) {
      return false;
    }
    for (String range : accept.split(",", -1)) {
      String name = range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
      switch (name) {
        case PROTOBUF, "application/protobuf" -> {
          return true;
        }
        case Exchange.JSON, "application/*", "*/*", "" -> {
          return false;
        }
        default -> {}
      }
    }
    throw new ProblemException(
        ProblemType.NOT_ACCEPTABLE, "Accept must allow application/json or application/x-protobuf");
  }

  private static Fields query(Request request) {
    try {
      return Request.extractQueryParameters(request);
    } catch (RuntimeException e) {
      throw new ProblemException(ProblemType.MALFORMED, "the query can't be read");
    }
  }

  private static Optional<Long> number(Fields query, String name, long most) {
    String text = query.getValue(name);
    if (text == null) {
      return Optional.empty();
    }
    try {
      long value = NumberText.parseLong(text);
      if (value >= 0) {
        return Optional.of(Math.min(value, most));
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw new ProblemException(
        ProblemType.MALFORMED, name + " must be a whole number of at least 0");
  }
}
