import { readFileSync } from 'node:fs';
import ts from 'typescript6';

/** The names that a user of a library may write: members of some of its types. */
export interface Declared {
  /** The heading of its section. */
  readonly library: string;
  /** Below test/node_modules. */
  readonly files: readonly string[];
  readonly types: readonly string[];
}

const cockatiel = ['RetryPolicy', 'CircuitBreakerPolicy', 'BulkheadPolicy', 'Policy', 'TimeoutPolicy'];
const generators = ['Exponential', 'Constant', 'Delegate', 'Iterable'].map(
  (name) => `backoff/${name}Backoff`,
);
const breakers = ['CountBreaker', 'SamplingBreaker', 'ConsecutiveBreaker'].map((name) => `breaker/${name}`);

export const DECLARED: readonly Declared[] = [
  {
    library: 'bottleneck',
    files: ['bottleneck/bottleneck.d.ts'],
    types: [
      ...['ConstructorOptions', 'JobOptions', 'StopOptions', 'BatcherOptions', 'RedisConnectionOptions'],
      ...['Bottleneck', 'Group', 'Batcher'],
    ],
  },
  { library: 'p-throttle', files: ['p-throttle/index.d.ts'], types: ['Options', 'ThrottledFunction'] },
  {
    library: 'p-queue',
    files: ['p-queue/dist/options.d.ts', 'p-queue/dist/index.d.ts'],
    types: ['Options', 'TimeoutOptions', 'QueueAddOptions', 'TaskOptions', 'EventMap', 'PQueue'],
  },
  {
    library: 'axios-rate-limit',
    files: ['axios-rate-limit/typings/index.d.ts'],
    types: [
      ...['rateLimitOptions', 'RateLimitEntry', 'RateLimiter', 'Queue', 'AxiosRateLimiter'],
      ...['RateLimitRequestHandler', 'axiosRateLimit'],
    ],
  },
  {
    library: 'limiter',
    files: ['limiter/dist/esm/TokenBucket.d.ts', 'limiter/dist/esm/RateLimiter.d.ts'],
    types: ['TokenBucketOpts', 'TokenBucket', 'RateLimiterOpts', 'RateLimiter'],
  },
  { library: 'opossum', files: ['@types/opossum/index.d.ts'], types: ['Options', 'CircuitBreaker'] },
  {
    library: 'cockatiel',
    files: [...cockatiel, ...generators, ...breakers].map((name) => `cockatiel/dist/${name}.d.ts`),
    types: [
      ...cockatiel,
      ...['IRetryPolicyConfig', 'IExponentialBackoffOptions', 'ICircuitBreakerOptions', 'ITimeoutOptions'],
      ...[
        'IHalfOpenSamplingOptions',
        'ICountBreakerOptions',
        'ISamplingBreakerOptions',
        'IBasePolicyOptions',
      ],
    ],
  },
];

/** Names without a counterpart in ebb, and those that go with one on the page. A new name is neither. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    bottleneck: `penalty reservoirIncreaseInterval reservoirIncreaseMaximum id trackDoneStatus Promise clusterNodes Redis
      clearDatastore dropErrorMessage enqueueErrorMessage maxTime maxSize removeAllListeners deleteKey disconnect limiters
      keys clusterKeys ready clients channel publish jobStatus jobs clusterQueued empty done incrementReservoir`,
    'p-throttle': 'strict',
    'p-queue': `carryoverIntervalCount strict id active empty next completed error pendingZero rateLimit
      rateLimitCleared setPriority onRateLimitCleared sizeBy runningTasks removeEventListener`,
    'axios-rate-limit': 'resolve push shift length getLength queue',
    limiter: 'lastDrip drip tokenBucket curIntervalStart tokensThisInterval',
    opossum: `newStatus name group pendingClose isShutdown warmUp toJSON clearCache healthCheck maxFailures
      rollingCountBuckets rollingPercentilesEnabled allowWarmUp cacheTTL cacheGetKey cacheTransport
      autoRenewAbortController enableSnapshots rotateBucketController`,
    cockatiel: `unref dangerouslyUnref initialState calls lastFailure toJSON resultFilter options orResultType strategy
      abortOnReturn`,
  }).map(([library, names]) => [library, names.split(/\s+/)]),
);

type Owner = ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeLiteralNode;

const isOwner = (node: ts.Node): node is Owner =>
  ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node);

function isPublic(member: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined;
  return !modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
}

/** The public members of a type. Types in its members belong to those. */
function membersOf(declaration: ts.Node): string[] {
  if (ts.isFunctionDeclaration(declaration)) return [];
  if (!isOwner(declaration)) {
    const names: string[] = [];
    ts.forEachChild(declaration, (child) => void names.push(...membersOf(child)));
    return names;
  }
  return declaration.members.flatMap((member: ts.ClassElement | ts.TypeElement) => {
    const name = member.name;
    return name !== undefined && ts.isIdentifier(name) && isPublic(member) ? [name.text] : [];
  });
}

/** The names in the declarations of a library. */
export function namesOf({ files, types }: Declared): string[] {
  const names = new Set<string>();
  for (const file of files) {
    const text = readFileSync(`test/node_modules/${file}`, 'utf8');
    const visit = (node: ts.Node): void => {
      const isNamed = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);
      if ((isNamed || ts.isTypeAliasDeclaration(node)) && types.includes(node.name?.text ?? '')) {
        const members = ts.isTypeAliasDeclaration(node) ? membersOf(node.type) : membersOf(node);
        for (const name of members) names.add(name);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return [...names].filter((name) => !name.startsWith('_') && name !== 'prototype');
}
