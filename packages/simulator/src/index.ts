export type { Quantiles } from './measure/histogram.ts';
export type { CountName, Gauge, Series, Totals } from './measure/measures.ts';
export type { Recovery } from './measure/recovery.ts';
export type { ShardTrace, Trace } from './measure/trace.ts';
export { ScenarioError } from './scenario/check.ts';
export type {
  ClientFactory,
  ClosedClients,
  CustomClient,
  Environment,
  OpenClients,
} from './scenario/client-options.ts';
export type {
  FleetPolicy,
  NamedBackoff,
  NamedBucket,
  NamedBudget,
  SharedBudgetOptions,
  SimulatedHedges,
} from './scenario/fleet-policy.ts';
export type { NetworkOptions, Scenario } from './scenario/scenario.ts';
export type {
  DrawnCost,
  ServerLimit,
  ServerOptions,
  Stragglers,
  Trouble,
  UnitsLimit,
} from './scenario/server-options.ts';
export { type SimulateOptions, simulate } from './simulation/simulate.ts';
