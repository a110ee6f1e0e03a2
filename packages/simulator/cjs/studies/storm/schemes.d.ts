import type { ClientFactory } from '../../scenario/client-options.ts';
/**
 * gRPC with the settings of the examples in its proposal: four attempts, after random waits of up to 100, 200 and
 * 400 ms. There are ten tokens. A failure takes one, a success adds a tenth, and below half of them nothing is retried.
 *
 * Source: gRPC proposal A6, "Client Retries", sections "Exponential Backoff" and "Throttling Retry Attempts".
 */
export declare const grpcA6: ClientFactory;
/**
 * Finagle's default: retries at once, up to a fifth of the requests of the last ten seconds plus ten per second. One
 * request may make up to 20 retries, a fifth of the reserve.
 *
 * Source: twitter/finagle, RetryBudget.scala and RequeueFilter.scala; user guide, "Retries".
 */
export declare const finagle: ClientFactory;
/**
 * The standard mode of the AWS SDKs with the defaults of 2026: three attempts, after random waits of up to 50 and
 * 100 ms (1 and 2 s after a 429). There are 500 tokens. A retry takes 14 (5 after a 429), a retry that succeeds returns
 * them, and a request that succeeds at once adds one.
 *
 * Source: AWS SDKs and Tools Reference Guide, "Retry behavior"; "Announcing updated retry behavior for AWS SDKs
 * and Tools", AWS Developer Tools Blog, 2026.
 */
export declare const awsStandard: ClientFactory;
/**
 * Google's clients: each refuses its own requests with a probability of (requests − 2·accepts) / (requests + 1), over
 * two minutes. Three attempts without waits, and retries for at most a tenth of the requests.
 *
 * Source: "Site Reliability Engineering", chapter 21, "Client-Side Throttling" and "Deciding to Retry".
 */
export declare const sreThrottling: ClientFactory;
//# sourceMappingURL=schemes.d.ts.map