#!/usr/bin/env node
import { ebbValkey } from './cli/run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A closed pipe ends `watch` as well.
    process.exit(code === 'EPIPE' ? 0 : 1);
  });
}

process.exitCode = await ebbValkey(process.argv.slice(2), process);
