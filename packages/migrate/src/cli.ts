#!/usr/bin/env node
import { ebbMigrate } from './cli/run.ts';

process.exitCode = ebbMigrate(process.argv.slice(2), process);
