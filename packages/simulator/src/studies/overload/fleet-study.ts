import { barChart } from '../../chart/bar-chart.ts';
import type { Heading } from '../../chart/frame.ts';
import type { Colour } from '../../chart/palette.ts';
import type { Trace } from '../../measure/trace.ts';
import type { ClientFactory } from '../../scenario/client-options.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../../simulation/simulate.ts';
import type { Study } from '../study.ts';

/** The same load from few busy clients, and from many quiet ones. */
const FLEETS: readonly number[] = [50, 10_000, 40_000];

const attemptTimeoutMs = 1_000;

/** Clients that wait a second for an answer. */
const POLICIES: Readonly<Record<string, FleetPolicy | ClientFactory>> = {
  'No retries': { attemptTimeoutMs, maxRetries: 0 },
  Default: { attemptTimeoutMs },
  'retryBudget()': { attemptTimeoutMs, budget: { retryBudget: {} } },
  'adaptiveThrottle()': { attemptTimeoutMs, throttle: {} },
  Both: { attemptTimeoutMs, budget: { retryBudget: {} }, throttle: {} },
};

/** A number of a run, as a column of the table. */
interface Column {
  readonly name: string;
  /** `undefined` for what did not happen. */
  readonly value: (trace: Trace) => number | undefined;
  readonly text: (value: number | undefined) => string;
}

/** The result of one policy for one fleet. */
export interface FleetResult {
  readonly name: string;
  readonly clients: number;
  readonly values: readonly (number | undefined)[];
}

/** A trouble that fleets of several sizes meet with several policies. */
interface FleetStudy {
  readonly name: string;
  readonly shows: string;
  readonly scenario: Omit<Scenario, 'clients' | 'policy'>;
  /** Beside those of all studies. */
  readonly policies?: Readonly<Record<string, FleetPolicy | ClientFactory>>;
  /** New requests of the whole fleet. */
  readonly requestsPerSecond: number;
  /** The figure shows the first one. */
  readonly columns: readonly [Column, ...Column[]];
  readonly colour: Colour;
  readonly legend: string;
  readonly heading: (results: readonly FleetResult[]) => Heading;
}

/** The first number of a policy for a fleet. */
export function firstOf(results: readonly FleetResult[], name: string, clients: number): number {
  const result = results.find((one) => one.name === name && one.clients === clients);
  return result?.values[0] ?? Number.NaN;
}

function bars({ columns, colour, heading, policies }: FleetStudy, results: readonly FleetResult[]): string {
  const [{ text }] = columns;
  return barChart({
    ...heading(results),
    columns: FLEETS.map((clients) => `${clients.toLocaleString('en')} clients`),
    rows: Object.keys({ ...POLICIES, ...policies }).map((name) => ({
      name,
      bars: FLEETS.map((clients) => {
        const value = firstOf(results, name, clients);
        return { parts: [{ value, colour }], text: text(value) };
      }),
    })),
  });
}

/** A study of all fleets with all policies, with one figure of its own name. */
export function fleetStudy(study: FleetStudy): Study {
  const { name, shows, scenario, requestsPerSecond, columns, legend } = study;
  const cases = FLEETS.flatMap((clients) =>
    Object.entries({ ...POLICIES, ...study.policies }).map(([of, policy]) => ({ clients, of, policy })),
  );
  return {
    name,
    shows,
    figures: [name],
    run({ seed, onProgress } = {}) {
      const results = cases.map(({ clients, of, policy }, at): FleetResult => {
        const trace = simulate(
          { ...scenario, clients: { count: clients, requestsPerSecond }, policy },
          { seed },
        );
        onProgress?.((at + 1) / cases.length);
        return { name: of, clients, values: columns.map(({ value }) => value(trace)) };
      });
      return {
        table: {
          columns: ['policy', 'clients', ...columns.map((column) => column.name)],
          rows: results.map((result) => [
            result.name,
            result.clients.toLocaleString('en'),
            ...columns.map(({ text }, at) => text(result.values[at])),
          ]),
          legend,
        },
        figures: [{ name, svg: bars(study, results) }],
        csv: {
          columns: ['policy', 'clients', ...columns.map((column) => column.name.replaceAll(' ', '_'))],
          rows: results.map((result) => [
            result.name,
            result.clients,
            ...result.values.map((value) => (value === undefined ? '' : Number(value.toFixed(4)))),
          ]),
        },
        data: results,
      };
    },
  };
}
