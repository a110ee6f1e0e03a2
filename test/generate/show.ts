import { type Case, lineOf } from './case.ts';
import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';

/** Prints all that was seen of a case. */
export function show(
  of: Case,
  { seen, results, probe, tookMs }: Played,
  complaints: readonly Complaint[],
): void {
  console.log(lineOf(of));
  for (const { call, index, hop, at, connection, method, headers, body, isWhole, step, served } of seen) {
    const sent = Buffer.concat(body).length;
    const rest = headers.range ?? headers['last-event-id'] ?? '';
    const answer = served ? `${served.status} ${served.sent} ${served.content.length} bytes` : 'nothing';
    console.log(
      `  server ${at}: call ${call}.${index} hop ${hop} on ${connection}: ${method} ${rest} ${sent} bytes${isWhole ? '' : ', cut'}; ${step.do}: ${answer}`,
    );
  }
  for (const event of probe.events) {
    const { type, attempt, request, ...more } = event;
    console.log(
      `  event ${type} ${attempt} ${request.method} ${request.url} ${JSON.stringify({ ...more, atMs: undefined })}`,
    );
  }
  for (const [number, { reply, isFailed, error, bytes, isDone, isWhole }] of results.entries()) {
    const got = `${reply?.status ?? 'no reply'} ${bytes?.length ?? 'no'} bytes${isWhole ? ', whole' : ''}`;
    console.log(
      `  call ${number}: ${isDone ? '' : 'HANGS '}${got}${isFailed ? '; fails with' : ''}`,
      isFailed ? error : '',
    );
  }
  console.log(`  took ${tookMs.toFixed()} ms`);
  for (const { rule, detail } of complaints) console.log(`${rule}: ${detail}`);
}
