// Uses each package from CommonJS. Runs in Node and in Jest.
const assert = require('node:assert/strict');
const { createServer } = require('node:http');
const axios = require('axios');
// undici 8 does not run on Node 20.
const { Agent, request } = require(process.env.EBB_TEST_UNDICI ?? 'undici');
const ebbAxios = require('@ebb/axios');
const { likeFetchRetry } = require('@ebb/compat');
const { attemptsOf, constant, createPolicy, tokenBucket, NotSentError } = require('@ebb/core');
const { seededRandom } = require('@ebb/core/testing');
const { createFetch } = require('@ebb/fetch');
const { observe, telemetry } = require('@ebb/opentelemetry');
const { simulate } = require('@ebb/simulator');
const { rowsFor } = require('@ebb/testing');
const { faults } = require('@ebb/testing/faults');
const ebbUndici = require('@ebb/undici');
const { valkeyBucket } = require('@ebb/valkey');

/** Returns 503 to the first request of a path and 200 to later ones. `/missing` is a 404, `/silent` never responds. */
async function upstream() {
  const seen = new Set();
  const server = createServer((incoming, response) => {
    const { url } = incoming;
    if (url === '/silent') return;
    response.statusCode = url === '/missing' ? 404 : seen.has(url) ? 200 : 503;
    seen.add(url);
    response.end('text');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, close: () => server.close().closeAllConnections() };
}

const policy = createPolicy({ maxRetries: 1, backoff: constant(0), random: seededRandom(1) });

exports.trials = {
  async fetch(url) {
    const response = await createFetch(policy)(`${url}/fetch`);
    assert.equal(response.status, 200);
    assert.equal(attemptsOf(response).length, 2);
  },

  async axios(url) {
    const client = axios.create();
    client.interceptors.request.use(ebbAxios.ebbInterceptor(policy));
    const response = await client.get(`${url}/axios`);
    assert.equal(response.status, 200);
    assert.equal(attemptsOf(response).length, 2);
    const failed = await client.get(`${url}/missing`).catch((error) => error);
    assert.ok(failed instanceof axios.AxiosError);
    const timedOut = await client
      .get(`${url}/silent`, { ebb: { maxRetries: 0, attemptTimeoutMs: 20 } })
      .catch((error) => error);
    assert.ok(timedOut instanceof axios.AxiosError);
    const canceled = await client
      .get(`${url}/axios`, { signal: AbortSignal.abort() })
      .catch((error) => error);
    assert.ok(canceled instanceof axios.CanceledError);
  },

  async undici(url) {
    const dispatcher = new Agent().compose(ebbUndici.ebbInterceptor(policy));
    const { statusCode, body } = await request(`${url}/undici`, { dispatcher });
    assert.equal(statusCode, 200);
    await body.dump();
    await dispatcher.close();
  },

  async bucket(url) {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1, nonConforming: 'reject' });
    const limited = createFetch({ maxRetries: 0, bucket });
    await limited(`${url}/bucket`);
    await assert.rejects(limited(`${url}/bucket`), NotSentError);
  },

  async compat(url) {
    const client = createFetch(likeFetchRetry({ retries: 1, retryDelay: 1, retryOn: [503] }));
    assert.equal((await client(`${url}/compat`)).status, 200);
  },

  async valkey() {
    const down = async () => Promise.reject(new Error('down'));
    const bucket = valkeyBucket({ client: { evalsha: down, eval: down }, key: 'quota', refillPerSecond: 1 });
    assert.equal(typeof bucket.acquire, 'function');
    await bucket.close();
  },

  async opentelemetry(url) {
    const spans = [];
    const tracer = {
      startSpan(name) {
        const span = { setAttributes: () => span, setAttribute: () => span, setStatus: () => span };
        return Object.assign(span, { addEvent: () => span, end: () => spans.push(name) });
      },
    };
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 10 });
    const stop = observe({ bucket });
    const traced = createFetch({ maxRetries: 1, backoff: constant(0), onEvent: telemetry({ tracer }) });
    await traced(`${url}/opentelemetry`);
    assert.deepEqual(spans, ['GET', 'GET', 'ebb.request']);
    stop();
  },

  async simulator() {
    const trace = simulate({
      durationMs: 1000,
      clients: { count: 5, requestsPerSecond: 4 },
      server: { workers: 1, serviceMs: 20 },
      policy: { maxRetries: 3 },
    });
    assert.ok(trace.totals.requests > 0);
  },

  async testing(url) {
    const service = faults({ workers: 1, serviceMs: 1 });
    assert.equal((await createFetch(policy, service)(`${url}/testing`)).status, 200);
    assert.equal(service.sent, 1);
    const send = async () => ({ status: 200, body: '' });
    assert.ok(rowsFor({ name: 'none', client: () => ({ send, history: () => undefined }) }).length > 100);
  },
};

exports.withUpstream = async (trial) => {
  const server = await upstream();
  try {
    await trial(server.url);
  } finally {
    server.close();
  }
};
