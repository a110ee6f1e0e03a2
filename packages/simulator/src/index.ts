export type { Band } from './chart/bands.ts';
export { type Bar, type BarChart, type BarPart, barChart, type Row } from './chart/bar-chart.ts';
export type { Heading } from './chart/frame.ts';
export { type Line, type LineChart, lineChart } from './chart/line-chart.ts';
export { COLOURS, type Colour } from './chart/palette.ts';
export { goodput } from './measure/goodput.ts';
export type { Quantiles } from './measure/histogram.ts';
export type { Counted, Seen, Series, Totals } from './measure/measures.ts';
export type { Recovery } from './measure/recovery.ts';
export { failedShare, type Trace } from './measure/trace.ts';
export {
  ARTICLE_RULES,
  type Comparison,
  type ComparisonPoint,
  compareRules,
  type NamedRule,
  OTHER_RULES,
} from './race/comparison.ts';
export { type LockRace, type LockResult, raceForLock } from './race/optimistic-lock.ts';
export type { Sample } from './race/sample.ts';
export { ScenarioError } from './scenario/check.ts';
export { checkScenario } from './scenario/check-scenario.ts';
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
} from './scenario/fleet-policy.ts';
export type { NetworkOptions, Scenario } from './scenario/scenario.ts';
export type { ServerLimit, ServerOptions, Trouble } from './scenario/server-options.ts';
export { type SimulateOptions, simulate } from './simulation/simulate.ts';
export {
  checkExperiment,
  type Experiment,
  type ExperimentOptions,
  type ExperimentResult,
  runExperiment,
} from './studies/experiment.ts';
export { experimentStudy, experimentTable } from './studies/experiment-study.ts';
export { awsStandard, finagle, grpcA6, sreThrottling } from './studies/storm/schemes.ts';
export { type StormSize, storm, stormPolicies } from './studies/storm/storm.ts';
export { STUDIES } from './studies/studies.ts';
export type { Study, StudyFigure, StudyOptions, StudyResult } from './studies/study.ts';
export { csvText, type Table, tableText } from './studies/table.ts';
