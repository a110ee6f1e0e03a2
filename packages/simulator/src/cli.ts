#!/usr/bin/env node
import { ebbSim } from './cli/run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A closed pipe is no error: `head` closes it after ten lines.
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout) process.stderr.write(`ebb-sim: the standard output: ${message}\n`);
  });
}

const code = await ebbSim(process.argv.slice(2), process);
process.exitCode ||= code;
