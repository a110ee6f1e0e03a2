import type { GridRowName, RuntimeName } from './names.ts';
import type { SlotRow } from './slot-row.ts';
import { axiosSlotRows, axiosStreamRows } from './subjects/axios-slots.ts';
import { createFetchSlotRows, fetchSlotRows } from './subjects/fetch-slots.ts';
import { undiciSlotRows } from './subjects/undici-slots.ts';

/** A row of the grid: a client, or a version of it. */
export interface GridRow {
  readonly name: GridRowName;
  /** Of undici. */
  readonly version?: string;
  /** A module that exports `subject`, as source text. */
  readonly source: string;
  readonly slots: readonly Pick<SlotRow<never>, 'gives' | 'name' | 'refusedIn'>[];
  /** Why a whole cell is skipped. */
  readonly skipIn: (runtime: RuntimeName) => string | undefined;
}

const isNode = (runtime: RuntimeName): boolean => runtime.startsWith('Node');
const isWeb = (runtime: RuntimeName): boolean => runtime === 'Chromium' || runtime === 'workerd';

const fetchRow: GridRow = {
  name: 'fetch',
  source: `export { subject } from './subjects/fetch.ts';`,
  slots: createFetchSlotRows,
  skipIn: () => undefined,
};

const resumingRow: GridRow = {
  ...fetchRow,
  name: 'fetch, resuming',
  source: `export { subject } from './subjects/resuming.ts';`,
};

function whyNoHttp(runtime: RuntimeName): string | undefined {
  if (runtime === 'workerd') return 'it has no node:http unless a worker asks for compatibility with Node';
  return runtime === 'Chromium' ? 'it has no node:http' : undefined;
}

function axiosRow(adapter: 'http' | 'fetch' | 'xhr', more: Partial<GridRow>): GridRow {
  const stream = adapter === 'http' ? '../node-stream.ts' : '../fetch-client.ts';
  const name = adapter === 'http' ? 'nodeStream' : 'webStream';
  return {
    name: `axios, ${adapter}`,
    source: `import { ${name} } from '${stream}';
      import { axiosSubject } from './subjects/axios.ts';
      export const subject = axiosSubject('${adapter}', ${name});`,
    slots: [...axiosSlotRows, ...(adapter === 'xhr' ? [] : axiosStreamRows)],
    skipIn: () => undefined,
    ...more,
  };
}

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
    source: `import undici from './node_modules/${folder}/index.js';
      import { undiciSubject } from './subjects/undici.ts';
      export const subject = undiciSubject(undici);`,
    slots: undiciSlotRows,
    skipIn: (runtime) => whyNoUndici(version, runtime),
  };
}

function nodeFetchRow(version: string, folder: string): GridRow {
  return {
    name: "Node's fetch",
    version,
    source: `import undici from './node_modules/${folder}/index.js';
      import { dispatcherFetchSubject } from './subjects/undici.ts';
      export const subject = dispatcherFetchSubject(undici);`,
    slots: fetchSlotRows,
    skipIn: (runtime) =>
      isNode(runtime)
        ? whyNoUndici(version, runtime)
        : `the fetch of ${runtime} ignores a dispatcher of undici`,
  };
}

/** The name of the row in the grid. */
export function titleOf({ name, version }: GridRow): string {
  if (version === undefined) return name;
  return name === 'undici' ? `undici ${version}` : `${name}, undici ${version}`;
}

export const gridRows: readonly GridRow[] = [
  fetchRow,
  resumingRow,
  axiosRow('http', { skipIn: whyNoHttp }),
  axiosRow('fetch', {}),
  axiosRow('xhr', {
    skipIn: (runtime) => (runtime === 'Chromium' ? undefined : 'it has no XMLHttpRequest'),
  }),
  ...Object.entries(VERSIONS).map(([version, folder]) => undiciRow(version, folder)),
  ...Object.entries(VERSIONS).map(([version, folder]) => nodeFetchRow(version, folder)),
];
