// Runs every trial, under the Node that this is run with.
const { trials, withUpstream } = require('./clients.cjs');

(async () => {
  for (const trial of Object.values(trials)) await withUpstream(trial);
  console.log(Object.keys(trials).join());
})();
