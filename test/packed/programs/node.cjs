// Runs every trial in the current Node.
const { trials, withUpstream } = require('./clients.cjs');

(async () => {
  for (const trial of Object.values(trials)) await withUpstream(trial);
  console.log(Object.keys(trials).join());
})();
