import { concurrencyLimit, createPolicy, retryBudget, tokenBucket } from '@ebb/core';
import { instrument, observe, telemetry } from '@ebb/opentelemetry';
import { metrics, trace } from '@opentelemetry/api';

const bucket = tokenBucket({ refillPerSecond: 10 });
const concurrency = concurrencyLimit({ maxConcurrent: 5 });
const budget = retryBudget();
const meter = metrics.getMeter('mine');
const onEvent = telemetry({ tracer: trace.getTracer('mine'), meter, attributes: { upstream: 'orders' } });
export const policy = createPolicy({ bucket, concurrency, budget, onEvent });
export const stop: () => void = observe({ bucket, concurrency, budget, meter });

export const instrumented = instrument({ bucket, onEvent }, { attemptSpans: false });
export const again = instrument(policy);

telemetry({ meter: false, attemptSpans: false });
// @ts-expect-error: a string for a boolean
telemetry({ attemptSpans: 'no' });
// @ts-expect-error: not a tracer
telemetry({ tracer: {} });
// @ts-expect-error: a policy has no stats
observe({ bucket: policy });
// @ts-expect-error: an option of the policy
instrument({ attributes: {} });
