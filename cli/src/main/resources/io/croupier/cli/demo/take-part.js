import { Device, Gateway, GatewayError, LimitReachedError, PrivUnit, Rows, expandCandidate, logistic, norm } from "./v1/croupier.js";
import { encode } from "./census.js";

const KEPT = "croupier-trial";
const ATTEMPTS = 3;
const LONGEST_WAIT_MS = 120000;
const VERDICT_MS = 60000;
const LOOK_MS = 400;

const part = id => document.getElementById("part-" + id);
const form = part("form");
const ending = new AbortController();
const response = await fetch("take-part.json", { cache: "no-store" });
const settings = await response.json();
let opened = null;
let busy = false;

// ---- The visitor's device

// One identity for all tabs of this browser, as long as the demonstration runs.
async function identity() {
  const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
  if (kept?.run === settings.run) {
    return kept;
  }
  const answer = await fetch("trial/identity", { cache: "no-store" }).catch(() => null);
  if (answer === null) {
    throw new Error("The demonstration can't be reached now; nothing was sent.");
  }
  if (!answer.ok) {
    throw new Error("The server gave this browser no identity.");
  }
  const fresh = { ...(await answer.json()), run: settings.run };
  localStorage.setItem(KEPT, JSON.stringify(fresh));
  return fresh;
}

async function open() {
  if (opened === null) {
    const { subject, token } = await identity();
    const gateway = new Gateway({ url: location.origin, token: () => token });
    const device = await Device.open({
      gateway, person: subject, epsilon: settings.epsilon, limit: { epsilon: settings.limit }, attempts: ATTEMPTS
    });
    opened = { gateway, device, token };
  }
  return opened;
}

function rows() {
  const yes = id => (part(id).checked ? "yes" : "no");
  const row = {
    education: part("education").valueAsNumber, experience: part("experience").valueAsNumber,
    ethnicity: part("ethnicity").value, region: part("region").value, smsa: yes("smsa"), parttime: yes("parttime")
  };
  return new Rows({ features: [encode(row, settings.scale)], targets: [part("above").checked ? 1 : 0], loss: logistic });
}

async function newest(gateway) {
  try {
    return await gateway.newest(settings.model);
  } catch (failure) {
    if (failure instanceof GatewayError && (failure.status === 404 || failure.status === 503)) {
      throw new Error("The job has not published the model yet. Try again in a few seconds.", { cause: failure });
    }
    throw failure;
  }
}

// ---- What the visitor sees

function say(sentence, refused = false) {
  setText(part("status"), sentence);
  part("status").classList.toggle("refused", refused);
}

function bar(value, largest) {
  const track = element("span", "part-bar");
  track.setAttribute("aria-hidden", "true");
  const filled = element("span");
  const width = largest > 0 ? 50 * Math.abs(value) / largest : 0;
  filled.style.left = (value < 0 ? 50 - width : 50) + "%";
  filled.style.width = width + "%";
  track.append(filled);
  return track;
}

// The gradient as the clip leaves it: the mean of what is released.
function clipped(snapshot, data) {
  const gradient = data.gradient(snapshot.weights);
  const { terms } = snapshot;
  const size = terms.size === null ? norm(gradient) : data.size(terms, snapshot.weights);
  const factor = size > terms.gradientBound ? terms.gradientBound / size : 1;
  return { gradient: gradient.map(value => factor * value), factor };
}

// The vector that the job makes of a release.
function expanded({ terms }, { seed, index }) {
  return expandCandidate(seed, index, settings.length * terms.gradientBound, terms.dimension);
}

function showVectors(snapshot, { gradient, factor }, released, title) {
  const largest = Math.max(...gradient.map(Math.abs), ...released.map(Math.abs));
  const numbers = settings.features.map((name, j) => ({ name, gradient: gradient[j], released: released[j] }));
  const column = (heading, field) => ({
    title: heading,
    draw: (cell, row) => cell.replaceChildren(document.createTextNode(row[field] === 0 ? "0" : row[field].toFixed(4)), bar(row[field], largest))
  });
  fill(part("table"), "The gradient beside its noised form", [
    { title: "coordinate", value: row => row.name }, column("gradient, stays here", "gradient"), column(title, "released")
  ], numbers, "");
  const share = factor < 1 ? `The clip shortened your gradient to ${(100 * factor).toFixed(0)} % of its length. ` : "";
  setText(part("clip"), `${settings.label}, round ${count(snapshot.round)}. ${share}The noised vector is `
    + `${(norm(released) / norm(gradient)).toFixed(0)} times as long as the gradient; its noise has mean 0, and averages out over many people.`);
  part("vectors").hidden = false;
}

const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join(" ");

function seedBytes(seed) {
  return Uint8Array.from({ length: 8 }, (unused, i) => Number((seed >> BigInt(8 * (7 - i))) & 255n));
}

function showLeft(sent, truth) {
  if (sent.kind === "gradient") {
    const { seed, index } = sent.choice;
    const indexBytes = index < 128 ? 1 : 2;
    setText(part("content"), `${8 + indexBytes} bytes carry the noised gradient: a seed, drawn independently of the gradient, and the index of`
      + ` one of the ${sent.randomiser.candidates} vectors that follow from it.`);
    const big = Uint8Array.from({ length: 2 }, (unused, i) => (index >> (8 * (1 - i))) & 255);
    setText(part("bytes"), `seed ${hex(seedBytes(seed))} index ${hex(indexBytes === 1 ? big.subarray(1) : big)}`);
  } else {
    const word = bit => (bit ? "yes" : "no");
    setText(part("content"), `One bit: the model asked this device a question instead, "${truth.question}". Your true answer is ${word(truth.bit)}; the noise`
      + ` ${truth.bit === sent.bit ? "left it as it is" : "inverted it"}.`);
    setText(part("bytes"), `answer ${sent.bit ? "01" : "00"}`);
  }
  setText(part("whole-size"), `The whole report, ${sent.bytes.length} bytes`);
  setText(part("whole"), hex(sent.bytes));
  part("left").hidden = false;
}

const decimals = number => Number(number.toFixed(6)).toLocaleString("en", { maximumFractionDigits: 6 });

function showBudget(before, after, reports) {
  setText(part("before"), decimals(before));
  setText(part("cost"), decimals(after - before));
  setText(part("after"), decimals(after));
  setText(part("remaining"), decimals(settings.limit - after));
  setText(part("limit"), `This device has drawn ${count(reports)} ${reports === 1 ? "report" : "reports"}, and stops before its limit of`
    + ` ${decimals(settings.limit)} is exceeded. The account is in this browser's IndexedDB, written before a report is sent.`);
  part("budget").hidden = false;
}

// What the device was asked, and the answer before the noise.
function truthOf(snapshot, data, { question }) {
  const { terms } = snapshot;
  const asked = terms.questions.find(each => each.name === question);
  return asked && question !== "clip"
    ? { question: asked.kind === "accuracy" ? "Does the model predict you correctly?" : asked.name, bit: data.answer(asked, 0, snapshot.average) }
    : { question: `Is the size of your gradient above ${digits(terms.gradientBound)}?`, bit: data.size(terms, snapshot.weights) > terms.gradientBound };
}

// ---- What the buttons do

async function show() {
  const { gateway, device } = await open();
  const data = rows();
  const snapshot = await newest(gateway);
  const vectors = clipped(snapshot, data);
  // Drawn for this page alone: it is never sent, so it costs nothing.
  const example = new PrivUnit({ dimension: snapshot.terms.dimension, epsilon: settings.epsilon });
  const released = example.choose(vectors.gradient, snapshot.terms.gradientBound);
  showVectors(snapshot, vectors, expanded(snapshot, released), "an example of its noise");
  part("left").hidden = true;
  const { epsilon, reports } = await device.spent();
  showBudget(Number(epsilon), Number(epsilon), reports);
  setText(part("account"), "");
  say("Nothing was sent. The noise is an example, which never leaves the browser; a report has noise of its own.");
}

// Not each round asks each device, so the device may have to wait for another one.
async function takePart(gateway, device, data) {
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
  await newest(gateway);
  for await (const snapshot of gateway.follow(settings.model, { signal, waitSeconds: 20 })) {
    // Each press of the button is the visitor's decision to report the same data again.
    const sent = await device.takePart(snapshot, data, { times: Infinity });
    if (sent !== null) {
      return { snapshot, sent };
    }
    say(`Round ${count(snapshot.round)} doesn't ask this device, or it has answered it; it waits for the next round.`);
  }
  throw new Error("No round has asked this device; nothing was sent.");
}

async function send() {
  const { gateway, device, token } = await open();
  const data = rows();
  const before = Number((await device.spent()).epsilon);
  part("left").hidden = true;
  say("The device draws the noise, charges the report to its account, and sends it ...");
  try {
    const { snapshot, sent } = await takePart(gateway, device, data);
    if (sent.kind === "gradient") {
      showVectors(snapshot, clipped(snapshot, data), expanded(snapshot, sent.choice), "what left the browser");
    } else {
      part("vectors").hidden = true;
    }
    showLeft(sent, sent.kind === "answer" ? truthOf(snapshot, data, sent) : null);
    setText(part("account"), "");
    say("Sent, and acknowledged by Kafka. The job's ledger judges it at its next checkpoint.");
    showVerdict(await verdict(token, sent.sequence));
  } finally {
    const { epsilon, reports } = await device.spent();
    showBudget(before, Number(epsilon), reports);
  }
}

async function verdict(token, sequence) {
  for (let end = Date.now() + VERDICT_MS; Date.now() < end;) {
    const answer = await fetch("trial/account", { headers: { Authorization: "Bearer " + token }, cache: "no-store" }).catch(() => null);
    const account = answer?.ok ? await answer.json() : null;
    if (account?.sequence >= sequence) {
      return account;
    }
    await new Promise(done => setTimeout(done, LOOK_MS));
  }
  return null;
}

function showVerdict(account) {
  if (account === null) {
    say("Sent, and acknowledged by Kafka. Its verdict is not known here.");
    return;
  }
  const admitted = account.outcome === "ADMITTED";
  say(admitted ? "Admitted: the job's ledger has charged your report and passed it to the model."
    : `The job's ledger answered: ${account.outcome.toLowerCase().replaceAll("_", " ")}.`, !admitted);
  setText(part("account"), `The job's account of your trial identity: epsilon`
    + ` ${account.epsilon === undefined ? "more than it can count" : decimals(account.epsilon)} in ${count(account.reports)}`
    + ` ${account.reports === 1 ? "report" : "reports"}. In this demonstration, ${count(account.visitors)}`
    + ` ${account.visitors === 1 ? "visitor has" : "visitors have"} sent ${count(account.judged)}.`);
}

function explain(failure) {
  if (failure instanceof LimitReachedError) {
    return "The limit of this device is reached. No noise was drawn, and nothing was sent.";
  }
  if (failure instanceof GatewayError && failure.isFinal) {
    return `Refused: ${failure.detail}. The report stays charged, since somebody may have read it.`;
  }
  if (failure instanceof GatewayError) {
    return `Not acknowledged: ${failure.detail ?? "the demonstration doesn't answer"}. The same bytes are sent again with the next report.`;
  }
  return failure.message;
}

async function run(action) {
  if (busy || ending.signal.aborted) {
    return;
  }
  setBusy(true);
  try {
    await action();
  } catch (failure) {
    say(explain(failure), true);
  } finally {
    setBusy(false);
  }
}

// The buttons stay focusable, so that the focus stays where it is.
function setBusy(value) {
  busy = value;
  const off = String(busy || ending.signal.aborted);
  part("show").setAttribute("aria-disabled", off);
  part("send").setAttribute("aria-disabled", off);
}

function end() {
  if (ending.signal.aborted) {
    return;
  }
  ending.abort();
  form.querySelectorAll("fieldset").forEach(fieldset => {
    fieldset.disabled = true;
  });
  setBusy(busy);
  setText(part("identity"), "The demonstration has ended, and takes no more reports.");
  if (part("left").hidden) {
    say("The demonstration has ended, and takes no more reports.", true);
  }
}

form.addEventListener("submit", event => {
  event.preventDefault();
  run(event.submitter === part("send") ? send : show);
});
document.addEventListener("numbers", event => event.detail.ended && end());
if (document.body.dataset.ended === "true") {
  end();
}
setText(document.getElementById("footer"), "Numbers from committed records. Gradients, weights and answers are shown only under “Take part”, to the"
  + " person whom they concern. The page contains no user id.");
part("form").dataset.ready = "true";
