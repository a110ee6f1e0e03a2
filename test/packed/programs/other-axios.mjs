// Uses an instance of axios that a dependency made, maybe of another copy. Prints what became of it as JSON.
import { createServer } from 'node:http';
import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, constant } from '@ebb/core';
import axios from 'axios';
import { client, own } from 'some-client';

const warnings = [];
process.on('warning', ({ name }) => name === 'EbbWarning' && warnings.push(name));

let count = 0;
const server = createServer(({ url }, response) => {
  if (url === '/hang') return;
  count += 1;
  response.statusCode = count === 1 ? 503 : url === '/' ? 200 : 404;
  response.end(url);
});

async function tell(promise) {
  const result = await promise.catch((error) => error);
  return {
    status: result.status,
    code: result.code,
    attempts: attemptsOf(result).length,
    is: [axios.isAxiosError(result), axios.isCancel(result)],
    // Of the copy of the program, and of that of the instance.
    of: [result instanceof axios.AxiosError, result instanceof own.AxiosError],
  };
}

server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const given = process.env.PASS === 'yes' ? axios : undefined;
  client.interceptors.request.use(ebbInterceptor({ maxRetries: 1, backoff: constant(0) }, given));
  const controller = new AbortController();
  server.on('request', ({ url }) => url === '/hang' && timedOut && controller.abort());
  let timedOut = false;
  const results = {
    success: await tell(client.get(url)),
    refused: await tell(client.get(`${url}/nothing`)),
    timeout: await tell(client.get(`${url}/hang`, { ebb: { attemptTimeoutMs: 100, maxRetries: 0 } })),
  };
  timedOut = true;
  results.canceled = await tell(client.get(`${url}/hang`, { signal: controller.signal }));
  client.defaults.adapter = async (config) => ({ status: 203, headers: {}, config });
  results.mocked = await tell(client.get(url));
  server.closeAllConnections();
  server.close();
  console.log(JSON.stringify({ ...results, warnings: warnings.length }));
});
