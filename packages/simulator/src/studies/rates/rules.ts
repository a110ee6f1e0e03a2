import { adaptive as adaptiveBucket, type Grant, type Outcome, tokenBucket } from '@ebb/core';
import type { ClientRate, MakeRate } from './world.ts';

const SERVED: Outcome = { type: 'response', status: 200, header: () => undefined };
const REFUSED: Outcome = { type: 'response', status: 429, header: () => undefined };

/** A bucket of core. */
function ofCore(make: typeof adaptiveBucket | typeof tokenBucket): MakeRate {
  return (quota, clock) => {
    const bucket = make({ refillPerSecond: quota, clock, random: () => 0 });
    return {
      take: () => bucket.tryAcquire() !== undefined,
      waitMs: () => bucket.waitMs(),
      answered(served, grantedAtMs, waitedMs) {
        const grant: Grant = { cost: 1, waitedMs, grantedAtMs, conforming: true, settle() {} };
        bucket.observe?.(served ? SERVED : REFUSED, grant);
      },
    };
  };
}

/** Tokens that come in at a changing rate. */
class Pace {
  rate: number;
  #tokens: number;
  #atMs: number;

  constructor(rate: number, nowMs: number) {
    this.rate = rate;
    this.#tokens = 1;
    this.#atMs = nowMs;
  }

  take(nowMs: number): boolean {
    this.#tokens = Math.min(
      Math.max(1, this.rate / 5),
      this.#tokens + ((nowMs - this.#atMs) * this.rate) / 1_000,
    );
    this.#atMs = nowMs;
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Right after {@link take}. */
  waitMs(): number {
    return Math.max(0, ((1 - this.#tokens) * 1_000) / this.rate);
  }
}

/** From 1 per second, one more in each second of demand; halved when it is refused. Source: RFC 5681 §3.1. */
const aimd: MakeRate = (quota, _, startMs): ClientRate => {
  const pace = new Pace(1, startMs);
  let cutAtMs = Number.NEGATIVE_INFINITY;
  return {
    take: (nowMs) => pace.take(nowMs),
    waitMs: () => pace.waitMs(),
    answered(served, sentAtMs, waitedMs, nowMs) {
      if (sentAtMs <= cutAtMs) return;
      if (!served) {
        pace.rate = Math.max(0.5, pace.rate / 2);
        cutAtMs = nowMs;
      } else if (waitedMs > 0) pace.rate = Math.min(quota, pace.rate + 1 / pace.rate);
    },
  };
};

/**
 * CUBIC with a share of 0.7 and a scale of 0.4, at most twice what was sent, as in the adaptive mode of the AWS SDKs. It
 * is off until the first refusal. Better than theirs in one way: requests that were sent before a cut do not cut again.
 *
 * Sources: RFC 9438 §4.2; smithy-lang/smithy-typescript, DefaultRateLimiter.ts.
 */
const awsCubic: MakeRate = (_quota, _clock, startMs): ClientRate => {
  const pace = new Pace(Number.MAX_SAFE_INTEGER, startMs);
  let isOn = false;
  let refusedRate = 0;
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  let measured = 0;
  let count = 0;
  let halfSecond = 0;
  const measure = (nowMs: number): void => {
    count += 1;
    const now = Math.floor(nowMs / 500);
    if (now === halfSecond) return;
    measured = 0.8 * ((2 * count) / (now - halfSecond)) + 0.2 * measured;
    count = 0;
    halfSecond = now;
  };
  return {
    take: (nowMs) => pace.take(nowMs),
    waitMs: () => pace.waitMs(),
    answered(served, sentAtMs, _waitedMs, nowMs) {
      measure(nowMs);
      if (sentAtMs <= refusedAtMs) return;
      if (!served) {
        refusedRate = isOn ? Math.min(measured, pace.rate) : measured;
        refusedAtMs = nowMs;
        isOn = true;
      }
      if (!isOn) return;
      const flat = Math.cbrt((refusedRate * 0.3) / 0.4);
      const cubic = 0.4 * ((nowMs - refusedAtMs) / 1_000 - flat) ** 3 + refusedRate;
      pace.rate = Math.max(0.5, Math.min(served ? cubic : 0.7 * refusedRate, 2 * measured));
    },
  };
};

/** Sends a client's share of the quota evenly, and learns nothing. A real client cannot know its share. */
export const shareKnown: MakeRate = (quota, _clock, startMs, clients): ClientRate => {
  const pace = new Pace(quota / clients, startMs);
  return { take: (nowMs) => pace.take(nowMs), waitMs: () => pace.waitMs(), answered() {} };
};

/** Ways to find a rate, by their names in the figure. */
export const RULES: Readonly<Record<string, MakeRate>> = {
  'Bucket of the whole quota': ofCore(tokenBucket),
  'AIMD, +1/s': aimd,
  'CUBIC as in AWS SDKs': awsCubic,
  adaptive: ofCore(adaptiveBucket),
};
