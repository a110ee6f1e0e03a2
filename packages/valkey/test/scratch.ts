import { play } from './closed-loop.ts';
import { inTrouble } from './quiet-fleet.ts';

const show = (name: string, v: unknown) => console.log(name.padEnd(48), v);
const pct = (n: number) => `${(n * 100).toFixed(0)} %`;
const which = process.argv[2] ?? 'all';
const on = (k: string) => which === 'all' || which.includes(k);
if (on('quiet')) {
  for (const [n, s] of [
    [8, 3],
    [8, 10],
    [8, 30],
    [32, 10],
    [32, 30],
  ] as const) {
    const r = await inTrouble({
      processes: n,
      rate: 400,
      quietMs: s * 1000,
      quietForMs: 600_000,
      health: 'refusing',
      forMs: 20_000,
    });
    show(`quiet ${n} × 1 in ${s} s`, `${pct(r.share)} ${JSON.stringify(r.modes)}`);
  }
  const r = await inTrouble({
    processes: 8,
    rate: 400,
    quietMs: 30_000,
    quietForMs: 1_000,
    apartMs: 2_500,
    health: 'refusing',
    forMs: 20_000,
  });
  show('quiet, started 2.5 s apart, lost 1 s later', pct(r.share));
  for (const s of [3, 10, 30, 300]) {
    const q = await inTrouble({
      processes: 32,
      rate: 400,
      quietMs: s * 1000,
      quietForMs: 60_000,
      apartMs: 2_500,
      health: 'refusing',
      forMs: 20_000,
    });
    show(
      `quiet 32 × 1 in ${s} s, started 2.5 s apart, 60 s later`,
      `${pct(q.share)} ${JSON.stringify(q.modes)}`,
    );
  }
}
if (on('slow'))
  for (const n of [6, 32]) {
    const r = await inTrouble({
      processes: n,
      rate: 400,
      quietMs: 0,
      quietForMs: 5_000,
      slowMs: 130,
      forMs: 30_000,
    });
    show(`store slower than timeoutMs, ${n}`, `${pct(r.share)} ${JSON.stringify(r.modes)}`);
    const s = await inTrouble({
      processes: n,
      rate: 400,
      quietMs: 30_000,
      quietForMs: 100,
      slowMs: 130,
      forMs: 30_000,
    });
    show(`  … from quiet, ${n}`, `${pct(s.share)} ${JSON.stringify(s.modes)}`);
    const u = await inTrouble({
      processes: n,
      rate: 400,
      quietMs: 0,
      quietForMs: 5_000,
      slowMs: 123,
      forMs: 30_000,
    });
    show(`  … at 246 ms, ${n}`, `${pct(u.share)} ${JSON.stringify(u.modes)}`);
  }
if (on('far')) {
  for (const rtt of [100, 200]) {
    const u = await play(
      { rate: 1000, capacity: 200, costs: [1], processes: 1, askers: 16, seconds: 15, latencyMs: rtt / 2 },
      'shared',
    );
    show(`far: one process, 16 askers, ${rtt} ms`, pct(u.share));
  }
  const u = await play(
    { rate: 1000, capacity: 200, costs: [1], processes: 8, askers: 16, seconds: 15, latencyMs: 50 },
    'shared',
  );
  show('far: 8 × 16 at 100 ms', `${pct(u.share)} parts ${u.parts.map((p) => p.toFixed(2))}`);
}
if (on('calls')) {
  const rows: [string, Parameters<typeof play>[0]][] = [
    ['8 × 2,000/s', { rate: 2000, capacity: 400, costs: [1], processes: 8, askers: 16, seconds: 15 }],
    ['8 at 50/s', { rate: 50, capacity: 10, costs: [1], processes: 8, askers: 16, seconds: 30 }],
    ['4 at 5/s', { rate: 5, capacity: 1, costs: [1], processes: 4, askers: 16, seconds: 60 }],
    [
      '[1, 20] with 32',
      { rate: 1000, capacity: 200, costs: [1, 20], processes: 32, askers: 16, seconds: 15 },
    ],
    [
      '[1, 200] with 32',
      { rate: 1000, capacity: 200, costs: [1, 200], processes: 32, askers: 16, seconds: 15 },
    ],
  ];
  for (const [name, load] of rows) {
    const u = await play(load, 'shared');
    show(
      `calls per 1,000: ${name}`,
      `${(u.callsPerGrant * 1000).toFixed(0)} share ${pct(u.share)} ${JSON.stringify(Object.fromEntries(Object.entries(u.modes).map(([k, v]) => [k, Math.round((v * 1000 * u.callsPerGrant) / Object.values(u.modes).reduce((a, b) => a + b))])))}`,
    );
  }
}
