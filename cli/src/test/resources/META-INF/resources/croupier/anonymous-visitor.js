// A visitor's page: reports to the model page once without identity, and shows in the title what it sent and spent.
import { Device, Gateway } from './croupier.js';

const token = new URLSearchParams(location.search).get('token');
const gateway = new Gateway({ url: location.origin, token: async () => token });
const collector = new Gateway({ url: location.origin });

async function takePart() {
  const device = await Device.open({
    gateway, person: 'ada', epsilon: 2, limit: { epsilon: 20 }, anonymous: { collector, longestWaitMs: 1 },
  });
  for await (const snapshot of gateway.follow('page')) {
    const sent = await device.takePartAnonymously(snapshot, () => [0.5, -0.5]);
    if (sent !== null) {
      return `sent ${sent.bytes.length} bytes at round ${sent.round}`;
    }
  }
  return 'the model has ended';
}

takePart().then(
  (result) => { document.title = result; },
  (error) => { document.title = `${error.name}: ${error.message}`; });
