import { cpus, loadavg } from 'node:os';

/** Where and when a table was measured, and how many processes wanted a core: about one, if the machine had nothing else to do. */
export function machine(): string {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  const [load = 0] = loadavg();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${model.trim()}), load ${load.toFixed(1)}, Node ${process.versions.node}, ${date}`;
}
