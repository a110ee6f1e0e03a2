import { play } from './closed-loop.ts';

const u = await play(
  { rate: 1000, capacity: 200, costs: [1, 200], processes: 32, askers: 16, seconds: 15 },
  'shared',
);
console.log(u.modes, u.callsPerGrant);
