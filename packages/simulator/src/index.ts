export {
  burstUnder,
  GATEWAY_CASES,
  GATEWAY_QUOTA,
  type GatewayCase,
  gatewayServes,
  taskStarts,
} from './bucket-cases.ts';
export type { Band } from './chart/bands.ts';
export { type Bar, type BarChart, type BarPart, barChart, type Row } from './chart/bar-chart.ts';
export type { Heading } from './chart/frame.ts';
export { type Line, type LineChart, lineChart } from './chart/line-chart.ts';
export { COLOURS, type Colour } from './chart/palette.ts';
export { ScenarioError } from './check.ts';
export { checkScenario } from './check-scenario.ts';
export {
  ARTICLE_RULES,
  type Comparison,
  type ComparisonPoint,
  compareRules,
  type NamedRule,
  OTHER_RULES,
} from './comparison.ts';
export { type BucketTraffic, type Passage, passThrough } from './conform.ts';
export {
  checkExperiment,
  type Experiment,
  type ExperimentOptions,
  type ExperimentResult,
  runExperiment,
} from './experiment.ts';
export { experimentStudy, experimentTable } from './experiment-study.ts';
export { goodput } from './goodput.ts';
export type { Quantiles } from './histogram.ts';
export type { Counted, Seen, Series, Totals } from './measures.ts';
export { type LockRace, type LockResult, raceForLock } from './optimistic-lock.ts';
export type { Recovery } from './recovery.ts';
export type { Sample } from './sample.ts';
export type {
  ClientFactory,
  ClosedClients,
  CustomClient,
  Environment,
  FleetPolicy,
  NamedBackoff,
  NamedBucket,
  NamedBudget,
  NetworkOptions,
  OpenClients,
  Scenario,
  ServerLimit,
  ServerOptions,
  SharedBudgetOptions,
  Trouble,
} from './scenario.ts';
export { awsStandard, finagle, grpcA6, sreThrottling } from './schemes.ts';
export { type SimulateOptions, simulate } from './simulate.ts';
export { type StormSize, storm, stormPolicies } from './storm.ts';
export { STUDIES } from './studies.ts';
export type { Study, StudyFigure, StudyOptions, StudyResult } from './study.ts';
export { csvText, type Table, tableText } from './table.ts';
export { failedShare, type Trace } from './trace.ts';
