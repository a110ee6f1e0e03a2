import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics';
import { busy } from './busy.ts';

/** True if a program of this name is on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Calls a function until it returns something. @throws its last error, after a minute */
export async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const endMs = Date.now() + 60_000;
  for (;;) {
    let fault: unknown = new Error('nothing came');
    try {
      const result = await ask();
      if (result !== undefined) return result;
    } catch (error) {
      fault = error;
    }
    if (Date.now() > endMs) throw fault;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export interface Running extends AsyncDisposable {
  readonly url: string;
  /** For its files; removed at the end. */
  readonly folder: string;
}

/** Starts a server, and waits until it says that it is ready. */
export async function start(
  path: string,
  argsOf: (port: number, folder: string) => readonly string[],
): Promise<Running> {
  const [program, ready] = path.split(' ') as [string, string];
  const folder = mkdtempSync(join(tmpdir(), 'ebb-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, argsOf(port, folder), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${program} has ended: ${said}`);
      return (await fetch(url + ready)).ok || undefined;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, folder, [Symbol.asyncDispose]: stop };
}

/** The program that is never well, and where its metrics can be scraped. */
export async function scraped(): Promise<AsyncDisposable & { readonly host: string }> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  // The exporter brings the SDK of a patch release before.
  const provider = new MeterProvider({ readers: [exporter as unknown as MetricReader] });
  const program = busy(provider.getMeter('@ebb/opentelemetry'));
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await provider.shutdown();
    },
  };
}
