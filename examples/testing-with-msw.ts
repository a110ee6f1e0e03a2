// A test with msw, whose handlers take their time from the clock of the test. msw's own `delay` takes real time, so that a
// virtual `attemptTimeoutMs` would come first. Prints:
//   200 after 5.5 s of virtual time: timeout, 503, 200
import { attemptsOf, constant, createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';

const clock = virtualClock();
const takesMs = [30_000, 500, 1_000];
const server = setupServer(
  http.get('http://upstream.test/', async () => {
    const ms = takesMs.shift() ?? 0;
    await clock.sleep(ms);
    return new HttpResponse('tea', { status: ms === 500 ? 503 : 200 });
  }),
);
server.listen();

const fetch = createFetch(createPolicy({ clock, attemptTimeoutMs: 2_000, backoff: constant(1_000) }));
const response = await clock.runUntilSettled(fetch('http://upstream.test/'));

const attempts = attemptsOf(response).map(({ status, failure }) => status ?? failure);
console.log(`${response.status} after ${clock.elapsedMs / 1_000} s of virtual time: ${attempts.join(', ')}`);
server.close();
