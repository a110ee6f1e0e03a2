import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@ebb/core/adapter';
import type { Act, Played, Sent } from './acts.ts';
import { follow, type Lane, newLane } from './lanes.ts';
import { logHead, logLine } from './log.ts';
import { bucket, policy, stage } from './policy.ts';
import { live, say, show } from './screen.ts';
import { draw } from './timeline.ts';
import { type Client, clients, resultOf } from './traffic.ts';
import type { Upstream } from './upstreams.ts';

/** Unique for each request of an act, and the same for all attempts of a request. */
function urlOf(upstream: Upstream, { name }: Client, index: number): string {
  return `${upstream.url}/${name}/${index + 1}`;
}

/** Sends all requests of the act at once, interleaved by client. */
function sendAll(act: Act, upstream: Upstream, senders: readonly Client[]): Promise<Sent[]> {
  const sending = act.asks.flatMap((ask, index) =>
    senders.map(async (sender) => {
      const result = await resultOf(sender, urlOf(upstream, sender, index), ask);
      return { client: sender.name, ask, result };
    }),
  );
  return Promise.all(sending);
}

async function closeAll(senders: readonly Client[], upstream: Upstream): Promise<void> {
  await Promise.all(senders.map((sender) => sender.close()));
  await upstream.close();
}

/** Plays the act with bare clients. */
export async function playBare(act: Act): Promise<Sent[]> {
  const upstream = await act.open();
  const senders = clients();
  const sent = await sendAll(act, upstream, senders);
  await closeAll(senders, upstream);
  return sent;
}

/** Plays the act with the policy in the same clients, and shows it live. */
export async function playEbb(act: Act): Promise<Omit<Played, 'bare'>> {
  // Each act starts with a full bucket.
  while (bucket.stats().tokens < bucket.stats().capacity) await pause(20);

  const upstream = await act.open();
  const senders = clients(policy);
  const startMs = systemClock.now();
  const lanes = new Map<string, Lane>();
  for (const sender of senders) {
    for (const [index, ask] of act.asks.entries()) {
      lanes.set(urlOf(upstream, sender, index), newLane(sender.name, ask.name, startMs));
    }
  }
  stage.onEvent = (event) => {
    const lane = lanes.get(event.request.url);
    if (lane === undefined) throw new Error(`an event of an unknown request, ${event.request.url}`);
    follow(lane, event);
    const line = live ? undefined : logLine(event, lane, startMs);
    if (line !== undefined) say(line);
  };
  if (!live) say(logHead);
  const sending = sendAll(act, upstream, senders);
  await show(() => draw([...lanes.values()], startMs, systemClock.now()), sending);
  await closeAll(senders, upstream);
  return { ebb: await sending, lanes: [...lanes.values()], upstream };
}
