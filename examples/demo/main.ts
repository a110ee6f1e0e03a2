/** Sends real requests through fetch, axios and undici, all with one policy, to misbehaving servers. */
import { styleText } from 'node:util';
import { type Act, acts, type Played, type Sent } from './acts.ts';
import { playBare, playEbb } from './play.ts';
import { brokenPromise } from './promises.ts';
import { letRead, say } from './screen.ts';
import { table } from './table.ts';

const heading = (text: string): string => styleText('bold', text);
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`.trimEnd());

function fail(sentence: string): never {
  console.error(`\nThe demo failed: ${sentence}.`);
  process.exit(1);
}

// A reader that closes the pipe, such as `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
const watchdog = setTimeout(() => fail('it takes longer than a minute'), 60_000);

function tally(sent: readonly Sent[]): string {
  const words = sent.map(({ result }) => (result === 'network' ? 'reset' : String(result)));
  const counts = [...new Set(words)].sort().map((word) => {
    return `${words.filter((other) => other === word).length} × ${word}`;
  });
  return counts.join(', ');
}

async function play(act: Act, number: number): Promise<Played> {
  say('', heading(`${number}  ${act.title}`), '', ...indented(act.story), '');
  const bare = await playBare(act);
  say(`  Bare clients, ${bare.length} requests: ${tally(bare)}. The same with ebb:`, '');
  await letRead(1_200);
  const played = { ...(await playEbb(act)), bare };
  const broken = brokenPromise(act, played);
  if (broken !== undefined) fail(broken);
  say('', ...indented(act.lesson));
  await letRead(800);
  return played;
}

say(
  heading('ebb: one policy, three clients'),
  '',
  ...indented([
    'Three local servers misbehave as real services do. fetch, axios and undici',
    'send them requests, first bare, then with one policy:',
    '',
    '  createPolicy({ maxRetries: 5, backoff, bucket, onEvent })',
    '',
    'backoff  memorystore(), the rule of Google: 1, 2, 4 … s plus up to 1 s of',
    '         jitter; divided by 5 here, to keep the demo short',
    'bucket   tokenBucket({ capacity: 6, refillPerSecond: 20 }): each attempt of',
    '         each client takes a token',
    'onEvent  draws what you see',
  ]),
);

const played: Played[] = [];
for (const [index, act] of acts.entries()) played.push(await play(act, index + 1));

say('', heading('Results'), '', ...table(played), '');
say(
  ...indented([
    'answered  requests that ended with 200, with ebb; bare: without ebb',
    "waited    the sum of the waits of a client's requests, which ran in parallel",
    '',
    'The 3 requests that failed with ebb are the orders without a key.',
  ]),
);
clearTimeout(watchdog);
