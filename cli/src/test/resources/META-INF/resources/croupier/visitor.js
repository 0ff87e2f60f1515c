// A visitor's page: takes part in one round of the model m, and shows in the title what it sent and spent.
import { Device, Gateway, Rows, logistic } from './croupier.js';

const token = new URLSearchParams(location.search).get('token');
const gateway = new Gateway({ url: location.origin, token: async () => token });
const rows = new Rows({ features: [[1, 0.5]], targets: [1], loss: logistic });

async function takePart() {
  const device = await Device.open({ gateway, person: 'ada', epsilon: 1, limit: { epsilon: 2 } });
  for await (const snapshot of gateway.follow('m')) {
    const sent = await device.takePart(snapshot, rows, { times: 3 });
    if (sent !== null) {
      return `sent a ${sent.kind}, spent ${(await device.spent()).epsilon}`;
    }
  }
  return 'the model has ended';
}

takePart().then(
  (result) => { document.title = result; },
  (error) => { document.title = `${error.name}: ${error.message}`; });
