// A program of NestJS whose HTTP client retries. Prints what became of each request as JSON.
import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ebbInterceptor } from '@ebb/axios';
import { attemptsOf, constant } from '@ebb/core';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import axios from 'axios';
import { firstValueFrom } from 'rxjs';

let warnings = 0;
process.on('warning', ({ name }) => {
  if (name === 'EbbWarning') warnings += 1;
});

@Module({ imports: [HttpModule.register({ timeout: 60_000 })] })
class App {}

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(App, { logger: ['error'] });
  let count = 0;
  const server = createServer(({ url }, response) => {
    if (url === '/hang') return;
    count += 1;
    response.statusCode = count === 1 ? 503 : url === '/' ? 200 : 404;
    response.end(url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = app.get(HttpService);
  const given = process.env.PASS === 'yes' ? axios : undefined;
  http.axiosRef.interceptors.request.use(ebbInterceptor({ maxRetries: 1, backoff: constant(0) }, given));
  const results: unknown[] = [];
  for (const path of ['/', '/nothing', '/hang']) {
    const config = path === '/hang' ? { timeout: 200 } : {};
    const result = await firstValueFrom(http.get(url + path, config)).catch((error: unknown) => error);
    const { status, code } = result as { status?: number; code?: string };
    results.push([status, code, attemptsOf(result).length, axios.isAxiosError(result)]);
  }
  server.closeAllConnections();
  server.close();
  await app.close();
  console.log(JSON.stringify({ results, warnings }));
}
void main();
