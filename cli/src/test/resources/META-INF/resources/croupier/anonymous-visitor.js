// A visitor's page: reports to a model once without identity, through a relay if one is named, and shows in the title what it
// sent and spent.
import { Device, Gateway } from './croupier.js';

const parameters = new URLSearchParams(location.search);
const url = parameters.get('gateway') ?? location.origin;
const gateway = new Gateway({ url, token: async () => parameters.get('token') });
const relay = parameters.has('relay')
  ? { url: parameters.get('relay'), key: `${parameters.get('key').replaceAll('-', '+').replaceAll('_', '/')}==` } : null;
const collector = new Gateway({ url, relay });

async function takePart() {
  const device = await Device.open({
    gateway, person: 'ada', epsilon: 2, limit: { epsilon: 20 }, anonymous: { collector, longestWaitMs: 1 },
  });
  for await (const snapshot of collector.follow(parameters.get('model'), { waitSeconds: 1 })) {
    const sent = await device.takePartAnonymously(snapshot, () => [0.5, -0.5], { key: 'first' });
    if (sent !== null) {
      return `sent ${sent.bytes.length} bytes at round ${sent.round}`;
    }
  }
  return 'the model has ended';
}

takePart().then(
  (result) => { document.title = result; },
  (error) => { document.title = `${error.name}: ${error.message}`; });
