package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code npm pack} makes is installed into an empty project, and runs in Node.js and Chromium.
 *
 * <p>Skipped, with a message, where npm is missing; in Chromium where that is; and with the
 * TypeScript compiler where npm can't fetch it.
 */
@Tag("ci")
class NpmPackageTest {
  private static final Path PACKAGE = Path.of("../target/npm").toAbsolutePath();
  private static final String COMPILER = "typescript@7.0.2";
  private static final int MOST_SECONDS = 120;

  /**
   * Reads a model, draws a report, and computes test vectors of RFC 9474, RFC 9180 and RFC 9458,
   * with what both engines have.
   */
  private static final String PROGRAM =
      """
      import { Gateway, PrivUnit, Rows, expandCandidate, internals, logistic } from 'croupier-device';

      const update = {
        modelId: 'demo', round: '4', weights: [0, 0], average: [0, 0], gradientBound: 1,
        gridExponent: -16,
      };
      const fetch = async () => new Response(JSON.stringify(update));
      const gateway = new Gateway({ url: 'https://gateway.example', fetch });
      const { weights, terms } = await gateway.newest('demo');
      const rows = new Rows({ features: [[1, 0.5]], targets: [1], loss: logistic });
      const randomiser = new PrivUnit({ dimension: rows.dimension, epsilon: 2 });
      const choice = randomiser.choose(rows.gradient(weights), terms.gradientBound);
      const vector = expandCandidate(choice.seed, choice.index, 4, rows.dimension);
      const isWithin = Math.hypot(...vector) <= 4;
      const { fromHex, toHex, emsaPss, hpkeSender, aesGcm, encapsulate } = internals;
      const { subtle } = crypto;

      const pss = RFC9474;
      const encoded = await emsaPss(
        crypto, fromHex(pss['PSS-Randomized.prepared_msg']), fromHex(pss['PSS-Randomized.salt']), 4095);
      const isEncoded = toHex(encoded) === pss['PSS-Randomized.encoded_msg'];

      const pair = async (secret, point) => ({
        privateKey: await subtle.importKey(
          'pkcs8', fromHex(`302e020100300506032b656e04220420${secret}`), 'X25519', false, ['deriveBits']),
        publicKey: await subtle.importKey('raw', fromHex(point), 'X25519', true, []),
      });
      const hpke = RFC9180;
      const sender = [subtle, await pair(hpke.skEm, hpke.enc)];
      const context = await hpkeSender(...sender, fromHex(hpke.pkRm), fromHex(hpke.info));
      const sealed = await aesGcm(
        subtle, 'encrypt', fromHex(hpke.key), fromHex(hpke.base_nonce), Uint8Array.of(7));
      const isHpke = toHex(context.exported('TestContext', 32)) === hpke.exported_TestContext
        && toHex(await context.seal(Uint8Array.of(7))) === toHex(sealed);
      // With such a key, everybody would know the shared secret.
      const smallOrder = await hpkeSender(...sender, new Uint8Array(32), fromHex(hpke.info))
        .then(() => 'accepted', (error) => error.name);

      const ohttp = RFC9458;
      const request = ohttp.encapsulated_request;
      const exchange = await encapsulate(
        subtle, { id: [1], publicKey: fromHex(ohttp.key_configuration.slice(6, 70)) },
        fromHex(ohttp.request), await pair(ohttp.ephemeral_private_key, request.slice(14, 78)));
      const isOpened =
        toHex(await exchange.open(fromHex(ohttp.encapsulated_response))) === ohttp.response;
      const result = [
        `round ${terms.round}, ${vector.length} coordinates`, isWithin, isEncoded, isHpke, smallOrder,
        toHex(exchange.request) === request, isOpened,
      ].join();
      """;

  /** What a page does, in TypeScript. */
  private static final String TYPED =
      """
      import {
        AlreadyReportedError, Device, Features, Gateway, GatewayError, HashedResponse, LimitReachedError,
        PrivUnit, RandomisedResponse, Rows, VERSION, logistic, readUpdate, softmax, type Decision,
        type Snapshot,
      } from 'croupier-device';

      const controller = new AbortController();
      const gateway = new Gateway({
        url: 'https://gateway.example',
        token: async ({ refresh }) => (refresh ? 'new' : 'old'),
        crypto: globalThis.crypto,
      });
      const collector = new Gateway({
        url: 'https://gateway.example', relay: { url: 'https://relay.example', key: 'AAAA' },
      });
      const rows: Rows = new Rows({ features: [[1, 0.5]], targets: [1], loss: logistic });
      const device: Device = await Device.open({
        gateway, person: 'ada', epsilon: 1, limit: { epsilon: 20, answers: 0.5 },
        anonymous: { collector, longestWaitMs: 1000 },
        onRefused: (report, error) => console.log(report.sequence, error.problem?.detail),
      });
      const onRetry = (error: GatewayError, ms: number): void => console.log(error.status, ms);
      const follow = { signal: controller.signal, onRetry };
      for await (const snapshot of gateway.follow('clicks', { ...follow, waitSeconds: 5 })) {
        const decision: Decision = device.decide(snapshot);
        const most: number = snapshot.terms.limits.epsilon;
        try {
          const sent = await device.takePart(snapshot, rows, {
            categories: { shift: 'night', age: 31, word: null }, key: 'Monday', times: 2,
          });
          await device.takePartAnonymously(snapshot, rows);
          await device.takePartAnonymously(snapshot, () => [0.5, 0.5], { key: 'Monday' });
          await device.report(snapshot, [0.5, 0.5], 1, { key: new Uint8Array(4) });
          const seed: bigint | undefined = sent?.kind === 'gradient' ? sent.choice.seed : undefined;
          console.log(decision.kind, most, seed, (await device.spent()).epsilon.length);
        } catch (error) {
          if (error instanceof LimitReachedError) controller.abort();
          if (error instanceof AlreadyReportedError) controller.abort();
        }
      }
      for await (const { average } of gateway.events('clicks', follow)) {
        const loss = softmax(3);
        const x: Float64Array = new Features([]).vector({ age: 31 });
        console.log(loss.predicted(loss.scores(average, x)));
      }
      for (const { modelId, used } of await gateway.models()) {
        const name: string = modelId + used;
        console.log(name, new PrivUnit({ dimension: 2, epsilon: 1, crypto }).top);
      }
      const bit: boolean = new RandomisedResponse({ epsilon: 1 }).release(true);
      const { group } = new HashedResponse({ epsilon: 1, categories: 3, crypto }).release(2);
      const read: Snapshot = readUpdate(JSON.parse('{}'));
      console.log(bit, group.toFixed(), read.weights.length, VERSION.length);
      // @ts-expect-error: a limit is a decision that no default takes
      await Device.open({ gateway, person: 'ada', epsilon: 1 });
      // @ts-expect-error: the data of a function have no key by themselves
      await device.takePartAnonymously(read, () => [0.5, 0.5]);
      // @ts-expect-error: no other number of candidates is specified
      new PrivUnit({ dimension: 2, epsilon: 1, candidates: 100 });
      """;

  private static final String RESULT =
      "round 4, 2 coordinates,true,true,true,OperationError,true,true";

  @TempDir static Path directory;
  private static Path project;
  private static JsonNode packed;

  @BeforeAll
  static void install() throws Exception {
    assumeTrue(isInstalled("npm") && isInstalled("node"), "Skipped: npm isn't installed");
    packed =
        new ObjectMapper()
            .readTree(run(directory, "npm", "pack", "--json", PACKAGE.toString()))
            .get(0);
    project = Files.createDirectory(directory.resolve("project"));
    Files.writeString(project.resolve("package.json"), "{\"private\": true}");
    String archive = directory.resolve(packed.get("filename").asText()).toString();
    // It depends on nothing, so nothing is fetched.
    run(project, "npm", "install", "--offline", "--no-audit", "--no-fund", archive);
  }

  @Test
  void containsTheModuleItsTypesAndTheLicense() {
    List<String> files = new ArrayList<>();
    packed.get("files").forEach(file -> files.add(file.get("path").asText()));
    assertThat(files)
        .containsExactlyInAnyOrder(
            "LICENSE",
            "README.md",
            "croupier.d.ts",
            "croupier.js",
            "croupier.js.sha384",
            "package.json");
  }

  @Test
  void isTheFileThatTheGatewayServes() throws IOException {
    Path installed = project.resolve("node_modules/croupier-device/croupier.js");
    assertThat(installed).hasSameBinaryContentAs(Browser.FILES.resolve("croupier.js"));
  }

  private static String program() throws IOException {
    String program = PROGRAM;
    for (int rfc : new int[] {9474, 9180, 9458}) {
      String vectors = new ObjectMapper().writeValueAsString(Rfc.of(rfc).vectors());
      program = program.replace("RFC" + rfc, vectors);
    }
    return program;
  }

  @Test
  void runsInNode() throws Exception {
    Path program = project.resolve("program.mjs");
    Files.writeString(program, program() + "console.log(result);\n");
    assertThat(run(project, "node", program.toString())).isEqualTo(RESULT + "\n");
  }

  /** By the engine of Node.js, whose own exponential isn't Java's. */
  @Test
  void gradientsInNodeAreThoseOfJava() throws Exception {
    Files.copy(
        Path.of("src/test/resources/io/croupier/javascript/predictions.js"),
        project.resolve("predictions.mjs"));
    StringBuilder calls = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (JsonNode one : PredictionTest.golden()) {
      calls
          .append(
              "console.log(JSON.parse(predictions(module, '%s', "
                  .formatted(one.get("loss").asText()))
          .append(new ObjectMapper().writeValueAsString(PredictionTest.update(one)))
          .append(")).digest);\n");
      expected.append(one.get("digest").asText()).append('\n');
    }
    Path program = project.resolve("gradients.mjs");
    Files.writeString(
        program,
        "import * as module from 'croupier-device';\nimport { predictions } from './predictions.mjs';\n"
            + calls);
    assertThat(run(project, "node", program.toString())).isEqualTo(expected.toString());
  }

  @Test
  void theTypesAreStrict() throws Exception {
    assumeTrue(
        status(
                project,
                command(
                    "npm",
                    "install --no-audit --no-fund --no-save --fetch-retries=0 --fetch-timeout=30000",
                    COMPILER))
            == 0,
        "Skipped: npm can't fetch " + COMPILER);
    Files.writeString(project.resolve("typed.mts"), TYPED);
    run(
        project,
        command(
            project.resolve("node_modules/.bin/tsc").toString(),
            "--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes"
                + " --noUnusedLocals --target es2022 --module nodenext"
                + " --lib es2022,dom,esnext.asynciterable",
            "typed.mts"));
  }

  @Test
  void runsInChromium() throws Exception {
    String result = "document.getElementById('result').textContent = result;";
    assertThat(inChromium("", program() + result)).contains(">" + RESULT + "</p>");
  }

  /** A page that names the hash of the release doesn't run another file. */
  @Test
  void aChangedModuleDoesNotRunInChromium() throws Exception {
    String script =
        """
        const { VERSION } = await import('croupier-device');
        document.getElementById('result').textContent = VERSION;
        """;
    Path module = project.resolve("node_modules/croupier-device/croupier.js");
    String released = Files.readString(module);
    String version = packed.get("version").asText();
    assertThat(inChromium("", script)).contains(">" + version + "</p>");
    Files.writeString(module, released.replace("< this.#flips", "< 0n"));
    try {
      assertThat(Files.readString(module)).isNotEqualTo(released);
      assertThat(inChromium("", script)).contains("\"result\"></p>");
      assertThat(inChromium("other", script)).contains(">" + version + "</p>");
    } finally {
      Files.writeString(module, released);
    }
  }

  /**
   * The document of a page after its script.
   *
   * @param path below which the module has no hash, unless it is empty
   */
  private static String inChromium(String path, String script) throws Exception {
    assumeTrue(isInstalled("chromium"), "Skipped: Chromium isn't installed");
    Files.writeString(
        project.resolve("index.html"),
        """
        <!doctype html>
        <script type="importmap">
          {"imports": {"croupier-device": "./node_modules/croupier-device/croupier.js"},
           "integrity": {"./%snode_modules/croupier-device/croupier.js": "%s"}}
        </script>
        <p id="result"></p>
        <script type="module">
        %s
        </script>
        """
            .formatted(path, Files.readString(PACKAGE.resolve("croupier.js.sha384")), script));
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", NpmPackageTest::serve);
    server.start();
    try {
      return run(
          project,
          command(
              "chromium",
              "--headless=new --no-sandbox --disable-dev-shm-usage --disable-gpu"
                  + " --virtual-time-budget=20000 --dump-dom",
              "--user-data-dir=" + directory.resolve("profile"),
              "http://127.0.0.1:" + server.getAddress().getPort() + "/index.html"));
    } finally {
      server.stop(0);
    }
  }

  private static void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Path file = project.resolve(exchange.getRequestURI().getPath().substring(1)).normalize();
      if (!file.startsWith(project) || !Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String type = file.toString().endsWith(".html") ? "text/html" : "text/javascript";
      exchange.getResponseHeaders().set("Content-Type", type);
      byte[] content = Files.readAllBytes(file);
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content);
    }
  }

  private static boolean isInstalled(String command) throws Exception {
    try {
      return new ProcessBuilder(command, "--version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** A program, its options, between which are blanks, and what else it takes. */
  private static String[] command(String program, String options, String... others) {
    return Stream.of(new String[] {program}, options.split(" ", -1), others)
        .flatMap(Stream::of)
        .toArray(String[]::new);
  }

  /** Returns what a command that succeeds prints. */
  private static String run(Path where, String... command) throws Exception {
    int status = status(where, command);
    String output = Files.readString(directory.resolve("output"));
    assertThat(status).as(output + Files.readString(directory.resolve("errors"))).isZero();
    return output;
  }

  private static int status(Path where, String... command) throws Exception {
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("npm_config_cache", directory.resolve("cache").toString());
    Process process =
        builder
            .directory(where.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
