/** Devices in the world of world.js, for DeviceTest. */
import { World, Page, answer, problem } from './world.js';

export { World, Page, answer, problem };

/** An update, in the JSON mapping of Protobuf. */
export function update(round, changes = {}) {
  return {
    modelId: 'm', round: String(round), weights: [0.5], average: [0.5], gradientBound: 1, gridExponent: -16, ...changes,
  };
}

/** Opens a device on a page. */
export function open(module, page, crypto, options = {}) {
  const { url = 'https://gateway.example/', token = async () => 'bearer', ...others } = options;
  const { fetch, sleep, now, indexedDB, locks } = page;
  const gateway = new module.Gateway({ url, token, fetch, sleep, now, crypto });
  return module.Device.open({
    gateway, person: 'ada', epsilon: 1, limit: { epsilon: 100 }, indexedDB, locks, storage: null, crypto, sleep, now,
    ...others,
  });
}

/** Opens a device that takes part anonymously, by a proxy in front of the gateway or through a relay. */
export function openAnonymously(module, page, crypto, longestWaitMs, relay = null) {
  const { fetch, sleep, now } = page;
  const url = relay === null ? 'https://relay.example' : 'https://gateway.example:8443/base';
  const collector = new module.Gateway({ url, relay, fetch, sleep, now, crypto });
  return open(module, page, crypto, {
    epsilon: 2, attempts: 1, anonymous: { collector, longestWaitMs },
  });
}

/** A visit: takes part in publications, each of which has these texts of windows. Returns the names of its errors. */
export async function visitAnonymously(module, page, crypto, updates) {
  let device;
  try {
    device = await openAnonymously(module, page, crypto, 1000);
  } catch (failure) {
    return [failure.name];
  }
  const failures = [];
  for (const text of updates) {
    try {
      await device.takePartAnonymously(module.readUpdate(JSON.parse(text)), () => [0.1, 0.2], { key: 'day', times: Infinity });
    } catch (failure) {
      failures.push(failure.name);
    }
  }
  device.close();
  return failures;
}

/**
 * The gateway answers requests for tokens by a function of their JSON, and requests without a body by the text of an
 * update with windows, unless an answer is scripted.
 */
export function grantBy(world, grant, windows) {
  const accept = world.accept.bind(world);
  world.accept = (request) => {
    if (request.method === undefined) {
      return answer(200, { body: windows() });
    }
    return request.headers['Content-Type'] === 'application/json'
      ? answer(200, { body: grant(request.body) })
      : accept(request);
  };
}

/** From now on, a function opens encapsulated requests; the gateway answers what is in them. */
export function relayBy(world, open) {
  const accept = world.accept.bind(world);
  world.accept = (request) => {
    if (request.headers['Content-Type'] !== 'message/ohttp-req') {
      return accept(request);
    }
    const ofRelay = world.answerOfRelay?.();
    if (ofRelay !== undefined) {
      return ofRelay;
    }
    const { method, header, body, seal } = open(request.body);
    const inner = world.answersInside.shift()
      ?? accept({ method: method === 'GET' ? undefined : method, headers: header, body });
    const sealed = async () =>
      seal(inner.status, inner.headers.get('Content-Type') ?? '', JSON.stringify(await inner.json())).buffer;
    return { ...answer(200), arrayBuffer: sealed };
  };
}

/** What the relay itself answers from now on; undefined: it forwards. */
export function relayAnswers(world, answers) {
  world.answerOfRelay = answers;
}

/** A promise's end, once it has one. */
export function watch(promise) {
  const state = { isSettled: false, value: undefined, failure: undefined };
  promise.then(
    (value) => Object.assign(state, { isSettled: true, value }),
    (failure) => Object.assign(state, { isSettled: true, failure }));
  return state;
}

/** A visit: opens the device, reports a gradient to each round, and closes it. Returns the names of its errors. */
export async function visit(module, page, crypto, rounds, options = {}) {
  const failures = [];
  let device;
  try {
    device = await open(module, page, crypto, options);
  } catch (failure) {
    return [failure.name];
  }
  await device.resent.catch((failure) => failures.push(failure.name));
  for (let round = 0; round < rounds; round++) {
    try {
      await device.report(module.readUpdate(update(round)), [0.1]);
    } catch (failure) {
      failures.push(failure.name);
    }
  }
  try {
    failures.push(await device.spent());
  } catch (failure) {
    failures.push(failure.name);
  }
  device.close();
  return failures;
}

/** Rows of one number, which is this person's. */
export function rows(module, value = 0.25) {
  return new module.Rows({ features: [[value]], targets: [1], loss: module.logistic });
}

/** A visit that takes part in each round with the same data. Returns the names of its errors, and what is spent. */
export async function visitWithData(module, page, crypto, rounds) {
  const failures = [];
  let device;
  try {
    device = await open(module, page, crypto);
    for (let round = 0; round < rounds; round++) {
      await device.takePart(module.readUpdate(update(round)), rows(module)).catch((failure) => failures.push(failure.name));
    }
    failures.push(await device.spent());
  } catch (failure) {
    failures.push(failure.name);
  }
  device?.close();
  return failures;
}

/** The first values of an asynchronous generator. */
export async function take(generator, count) {
  const values = [];
  for await (const value of generator) {
    values.push(value);
    if (values.length === count) {
      break;
    }
  }
  return values;
}

/** A gateway, as a page reaches it. */
export function gateway(module, page, crypto, token = null) {
  const { fetch, sleep, now } = page;
  return new module.Gateway({ url: 'https://gateway.example', token, fetch, sleep, now, crypto });
}

/** The chunks of a text in UTF-8, of a number of bytes each. */
export function chunks(text, size) {
  const bytes = new TextEncoder().encode(text);
  const parts = [];
  for (let at = 0; at < bytes.length; at += size) {
    parts.push(bytes.slice(at, at + size));
  }
  return parts;
}
