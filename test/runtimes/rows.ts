import { type ClientName, forClient, type Scenario } from '../scenarios.ts';
import type { GridRowName, RuntimeName } from './names.ts';
import type { SlotRow } from './slot-row.ts';
import { axiosSlotRows, axiosStreamRows } from './subjects/axios-slots.ts';
import { fetchSlotRows } from './subjects/fetch-slots.ts';
import { undiciSlotRows } from './subjects/undici-slots.ts';

/** A row of the grid: a client, or a version of it. */
export interface GridRow {
  readonly name: GridRowName;
  /** Of undici. */
  readonly version?: string;
  /** Whose differences apply. */
  readonly client: ClientName;
  /** Whether it sends with the fetch of the runtime, and so has its errors. */
  readonly usesFetch: boolean;
  /** A module that exports `subject`, as source text. */
  readonly source: string;
  readonly slots: readonly Pick<SlotRow<never>, 'gives' | 'name' | 'refusedIn'>[];
  /** Why a whole cell is skipped. */
  readonly skipIn: (runtime: RuntimeName) => string | undefined;
  /** Why a scenario is skipped. */
  readonly skip?: (scenario: Scenario) => string | undefined;
  /** Why the history is not compared. */
  readonly noHistory?: string;
}

const isNode = (runtime: RuntimeName): boolean => runtime.startsWith('Node');
const isWeb = (runtime: RuntimeName): boolean => runtime === 'Chromium' || runtime === 'workerd';

const fetchRow: GridRow = {
  name: 'fetch',
  client: 'fetch',
  usesFetch: true,
  source: `export { subject } from './subjects/fetch.ts';`,
  slots: fetchSlotRows,
  skipIn: () => undefined,
};

function whyNoHttp(runtime: RuntimeName): string | undefined {
  if (runtime === 'workerd') return 'it has no node:http unless a worker asks for compatibility with Node';
  return runtime === 'Chromium' ? 'it has no node:http' : undefined;
}

function axiosRow(adapter: 'http' | 'fetch' | 'xhr', more: Partial<GridRow>): GridRow {
  const stream = adapter === 'http' ? '../undici-client.ts' : '../fetch-client.ts';
  const name = adapter === 'http' ? 'nodeStream' : 'webStream';
  return {
    name: `axios, ${adapter}`,
    client: 'axios',
    usesFetch: adapter !== 'http',
    source: `import { ${name} } from '${stream}';
      import { axiosSubject } from './subjects/axios.ts';
      export const subject = axiosSubject('${adapter}', ${name});`,
    slots: [...axiosSlotRows, ...(adapter === 'xhr' ? [] : axiosStreamRows)],
    skipIn: () => undefined,
    ...more,
  };
}

/** How much of a body of fetch is kept for a retry. */
const KEPT_BYTES = 2 ** 20;

/** The versions of undici: the oldest and the newest of each major. */
const VERSIONS = { '7.0': 'undici7.0', '7.30': 'undici7', '8.0': 'undici8.0', '8.12': 'undici' } as const;

function whyNoUndici(version: string, runtime: RuntimeName): string | undefined {
  if (isWeb(runtime)) return 'undici needs the sockets of Node';
  if (version.startsWith('8') && runtime === 'Node 20.19') return 'undici 8 needs Node 22.19';
  return undefined;
}

function undiciRow(version: string, folder: string): GridRow {
  return {
    name: 'undici',
    version,
    client: 'undici',
    usesFetch: false,
    source: `import undici from './node_modules/${folder}/index.js';
      import { undiciSubject } from './subjects/undici.ts';
      export const subject = undiciSubject(undici);`,
    slots: undiciSlotRows,
    skipIn: (runtime) => whyNoUndici(version, runtime),
  };
}

function whyNotByNodeFetch({ request = {} }: Scenario): string | undefined {
  if (request.ebb !== undefined) return 'fetch drops the option ebb';
  if (request.factory !== undefined) return 'fetch takes no function as a body';
  return (request.body?.length ?? 0) > KEPT_BYTES ? 'a body of more than 1 MiB is sent once' : undefined;
}

function nodeFetchRow(version: string, folder: string): GridRow {
  return {
    name: "Node's fetch",
    version,
    client: 'undici',
    usesFetch: false,
    source: `import undici from './node_modules/${folder}/index.js';
      import { dispatcherFetchSubject } from './subjects/undici.ts';
      export const subject = dispatcherFetchSubject(undici);`,
    slots: fetchSlotRows,
    skipIn: (runtime) =>
      isNode(runtime)
        ? whyNoUndici(version, runtime)
        : `the fetch of ${runtime} ignores a dispatcher of undici`,
    skip: whyNotByNodeFetch,
    noHistory: 'a Response of fetch has no context, and so no history',
  };
}

/** The scenario as this row passes it in this runtime. */
export function expectedOf(
  scenario: Scenario,
  { client, usesFetch, name }: GridRow,
  runtime: RuntimeName,
): Scenario {
  const { butIn, butFor } = scenario;
  return {
    ...forClient(scenario, client),
    ...(usesFetch && butIn?.[runtime]),
    ...butFor?.[name],
    ...butFor?.[`${name} in ${runtime}`],
  };
}

/** The name of the row in the grid. */
export function titleOf({ name, version }: GridRow): string {
  if (version === undefined) return name;
  return name === 'undici' ? `undici ${version}` : `${name}, undici ${version}`;
}

export const gridRows: readonly GridRow[] = [
  fetchRow,
  axiosRow('http', { skipIn: whyNoHttp }),
  axiosRow('fetch', {}),
  axiosRow('xhr', {
    skipIn: (runtime) => (runtime === 'Chromium' ? undefined : 'it has no XMLHttpRequest'),
    skip: ({ request }) =>
      request?.once === undefined && request?.factory === undefined
        ? undefined
        : 'XMLHttpRequest uploads no streams',
  }),
  ...Object.entries(VERSIONS).map(([version, folder]) => undiciRow(version, folder)),
  ...Object.entries(VERSIONS).map(([version, folder]) => nodeFetchRow(version, folder)),
];
