import { virtualClock } from '@ebb/core/testing';
import { describe, test } from 'vitest';
import { clients } from './clients.ts';
import { judge } from './judge.ts';
import { mock, mockBehindServer } from './msw.ts';
import { hung, NOW, play } from './play.ts';
import { refusingUrl } from './refusing.ts';
import { type ClientName, forClient, scenarios } from './scenarios.ts';
import { type Upstream, upstream } from './server.ts';

describe.each(Object.entries(clients))('%s', (name, makeClient) => {
  const rows = scenarios.map((scenario) => forClient(scenario, name as ClientName));

  describe('over real sockets', () => {
    test.each(rows.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
      const clock = virtualClock({ startMs: NOW });
      const server: Upstream = await upstream(scenario.script === 'refused' ? [] : scenario.script);
      const caller = new AbortController();
      server.onHang = () => hung(scenario, clock, caller);
      const url = scenario.script === 'refused' ? await refusingUrl() : server.url;
      const run = await play(scenario, makeClient, clock, url, caller);
      await server.close();
      judge(scenario, run, server.seen);
    });
  });

  describe('over MSW', () => {
    const mocked = rows.filter((scenario) => !scenario.socketsOnly);
    test.each(mocked.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
      if (scenario.script === 'refused') throw new Error('a refused connection cannot be mocked');
      const clock = virtualClock({ startMs: NOW });
      const server = await (name === 'undici' ? mockBehindServer : mock)(scenario.script);
      const run = await play(scenario, makeClient, clock, server.url);
      await server.close();
      judge(scenario, run, server.seen);
    });
  });
});
