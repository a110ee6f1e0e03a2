import type { Step } from '../migration/like/play.ts';

/** What the upstream does with the requests of a program; the last step goes on. */
export interface Script {
  readonly steps: readonly Step[];
  /** When the caller gives up, in milliseconds. */
  readonly abortAtMs?: number;
}

const good: Step = { status: 200 };
const lost: Step = { code: 'ECONNRESET' };
const [busy, broken]: readonly Step[] = [{ status: 503 }, { status: 500 }];
const after = (status: number, field: string): Step => ({ status, headers: { 'retry-after': field } });

export const SCRIPTS = {
  'all is well': { steps: [good] },
  '503, 503, 200': { steps: [busy as Step, busy as Step, good] },
  'only 503': { steps: [busy as Step] },
  '500, a reset, 200': { steps: [broken as Step, lost, good] },
  '429 for 3 s, 200': { steps: [after(429, '3'), good] },
  '503 for 3 s, 429, 200': { steps: [after(503, '3'), { status: 429 }, good] },
  'a reset, 200': { steps: [lost, good] },
  'only resets': { steps: [lost] },
  'a 404': { steps: [{ status: 404 }] },
  'a 401, 200': { steps: [{ status: 401 }, good] },
  'a 408, 200': { steps: [{ status: 408 }, good] },
  'a minute late, 200': { steps: [{ status: 200, takesMs: 60_000 }, good] },
  'always a minute late': { steps: [{ status: 200, takesMs: 60_000 }] },
  'aborted in a request': { steps: [{ status: 200, takesMs: 5_000 }], abortAtMs: 700 },
  'aborted in a wait': { steps: [{ status: 503, takesMs: 50 }], abortAtMs: 700 },
} satisfies Readonly<Record<string, Script>>;

export type ScriptName = keyof typeof SCRIPTS;
