#!/usr/bin/env node
import { ebbSim } from './cli/run.ts';

// A reader that has seen enough, as `head` does, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await ebbSim(process.argv.slice(2), process);
