#!/usr/bin/env node
import { ebbSim } from './cli/run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A reader that has seen enough, as `head` does, is no error.
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    if (stream === process.stdout) process.stderr.write(`ebb-sim: the standard output: ${message}\n`);
  });
}

const code = await ebbSim(process.argv.slice(2), process);
process.exitCode ||= code;
