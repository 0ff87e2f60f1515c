package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;

/**
 * The page of docs/build/javascript.md, as written, in Chromium, from another origin than the
 * gateway's, against a model that publishes each second: a day's data are reported once, though the
 * page is loaded again and again, and in two tabs.
 */
@Tag("ci")
class PageSnippetITCase extends GatewayFixture {
  private static final String MODULE = "/META-INF/resources/croupier/croupier.js";
  private static final String END = "      break; // These data are reported.\n";

  private static final AtomicLong round = new AtomicLong();
  private static final ScheduledExecutorService job = Executors.newScheduledThreadPool(1);
  private static ScheduledFuture<?> publishing;
  private static HttpServer pages;
  private static volatile String page = "";

  @BeforeAll
  static void start() throws Exception {
    pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    pages.createContext("/", PageSnippetITCase::serve);
    pages.start();
    broker.publish(TestBroker.wellbeing());
    publish();
    startGateway(Map.of("cors.origins", origin()));
    publishing = job.scheduleAtFixedRate(PageSnippetITCase::publish, 1, 1, TimeUnit.SECONDS);
  }

  @AfterAll
  static void stop() throws Exception {
    publishing.cancel(false);
    job.shutdown();
    assertThat(job.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    pages.stop(0);
  }

  private static void publish() {
    broker.updateWellbeing(round.getAndIncrement());
  }

  private static String origin() {
    return "http://localhost:" + pages.getAddress().getPort();
  }

  private static void serve(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream module = PageSnippetITCase.class.getResourceAsStream(MODULE)) {
      boolean isModule = exchange.getRequestURI().getPath().equals("/croupier.js");
      byte[] content = isModule ? module.readAllBytes() : page.getBytes(UTF_8);
      exchange
          .getResponseHeaders()
          .set("Content-Type", isModule ? "text/javascript" : "text/html; charset=utf-8");
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content);
    }
  }

  private static String snippet(String subject) throws Exception {
    Matcher snippet =
        Pattern.compile("```html\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/build/javascript.md")));
    assertThat(snippet.find()).isTrue();
    assertThat(snippet.group(1)).contains(END);
    String hash;
    try (InputStream in = PageSnippetITCase.class.getResourceAsStream(MODULE + ".sha384")) {
      hash = new String(in.readAllBytes(), UTF_8);
    }
    return "<!doctype html><script>const myBearerToken = () => '%s';</script>\n"
            .formatted(gateway.issuer.token(subject))
        + snippet
            .group(1)
            .replace("sha384-...", hash)
            .replace("https://gateway.example.org", gateway.uri("/").toString());
  }

  @Tag("thorough")
  @Test
  void theSnippetReportsADayOnce() throws Exception {
    visit("ada", snippet("ada"), 2);
  }

  /** A page that follows the model forever. */
  @Tag("thorough")
  @Test
  void aLoopWithoutAnEndReportsADayOnce() throws Exception {
    visit("grace", snippet("grace").replace(END, ""), 2);
  }

  @Tag("thorough")
  @Test
  void theSnippetReportsADayOnceInTwoMinutes() throws Exception {
    visit("hedy", snippet("hedy"), 12);
  }

  @Tag("thorough")
  @Test
  void aLoopWithoutAnEndReportsADayOnceInTwoMinutes() throws Exception {
    visit("barbara", snippet("barbara").replace(END, ""), 12);
  }

  /** Visits the page in two tabs; in each visit the model is published ten times. */
  private void visit(String subject, String content, int visits) throws Exception {
    page = content;
    LocalDate first = LocalDate.now(ZoneOffset.UTC);
    ChromeDriver browser = Chromium.start(sharedDirectory.resolve("profile of " + subject));
    try {
      browser.get(origin());
      browser.switchTo().newWindow(WindowType.TAB);
      for (int visit = 0; visit < visits; visit++) {
        browser.get(origin());
        long next = round.get() + 10;
        Condition.await("ten publications", () -> round.get() >= next);
      }
    } finally {
      browser.quit();
    }
    int days = 1 + (int) ChronoUnit.DAYS.between(first, LocalDate.now(ZoneOffset.UTC));
    String user = gateway.userId(subject);
    assertThat(
            broker.reports().stream()
                .filter(report -> report.getUserId().equals(user))
                .map(GradientReport::getSequence)
                .distinct())
        .hasSizeBetween(1, days);
  }
}
