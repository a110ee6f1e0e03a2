const { trials, withUpstream } = require('./clients.cjs');

for (const [name, trial] of Object.entries(trials)) {
  test(`@ebb in Jest: ${name}`, () => withUpstream(trial));
}
