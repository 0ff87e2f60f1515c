/** Gradients of rows that the Java test PredictorTest draws, too, for PredictionTest and NpmPackageTest. */

/** Row i of the golden cases. */
function drawn(loss, seed) {
  let state = seed;
  const draw = () => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const row = { walked: 240 * draw() - 30, well: draw() < 0.5, shift: ['day', 'night', 'none'][Math.floor(3 * draw())] };
  const label = draw();
  const y = loss === 'softmax' ? ['a', 'b', 'c'][Math.floor(3 * label)]
    : loss === 'logistic' || loss === 'hinge' ? label < 0.5 : 16 * label - 5;
  return { ...row, y };
}

/** What a golden case has of an update in JSON. */
export function predictions(module, loss, text) {
  const model = module.readUpdate(JSON.parse(text));
  const gradients = Array.from({ length: 100 }, (_, i) => model.participant(drawn(loss, i)).gradient(model.weights));
  const bytes = new DataView(new ArrayBuffer(8 * 100 * model.weights.length));
  gradients.flatMap((gradient) => [...gradient]).forEach((value, i) => bytes.setFloat64(8 * i, value, true));
  return JSON.stringify({
    digest: module.internals.toHex(module.internals.sha256(new Uint8Array(bytes.buffer))),
    gradient: [...gradients[0]],
    prediction: model.predict(drawn(loss, 0)),
  });
}
