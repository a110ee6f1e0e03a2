export { DRAWS } from './faults/draws.ts';
export { type FaultyFetch, faults } from './faults/faults.ts';
export { type ServiceHealth, serviceHealthAt, troubleMoments } from './faults/health.ts';
export type { FaultScenario, ServiceLimit, Spread, Stragglers, Trouble } from './faults/scenario.ts';
