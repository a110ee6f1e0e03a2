export type { AdapterUnderTest, Client, Difference, Got, Mock, Respond } from './suite/adapter.ts';
export type { Ability, ExpectedResult, RowRequest, Trait } from './suite/row.ts';
export type { ReceivedRequest, Script, StartUpstream, Step, Upstream } from './suite/step.ts';
export { type AdapterRow, type Runner, rowsFor, suite } from './suite/suite.ts';
