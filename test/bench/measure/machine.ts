import { cpus } from 'node:os';

/** Where and when a table was measured. */
export function machine(): string {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  return `${cpus().length} cores (${model.trim()}), Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
}
