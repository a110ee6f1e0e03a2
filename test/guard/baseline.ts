import { readFileSync } from 'node:fs';
import { CHAINS, type Costs, IMPORTS, type Kind, PATHS, REQUESTS, SIZES } from './compare.ts';

/** What is recorded, in the order of the tables. */
export const GROUPS = ['requests', 'sizes', 'paths', 'chains', 'imports'] as const;
export type Group = (typeof GROUPS)[number];

export const KINDS: Readonly<Record<Group, Kind>> = {
  requests: REQUESTS,
  sizes: SIZES,
  paths: PATHS,
  chains: CHAINS,
  imports: IMPORTS,
};

interface Baseline extends Readonly<Record<Group, Costs>> {
  readonly node: string;
  readonly arch: string;
  /** The figures that the project wants to reach. */
  readonly goals: Readonly<Partial<Record<Group, Costs>>>;
}

export const BASELINE_FILE: string = new URL('baseline.json', import.meta.url).pathname;

export const baseline: Baseline = JSON.parse(readFileSync(BASELINE_FILE, 'utf8'));

/** True if the figures of another Node say nothing about this one. */
export const isOtherNode: boolean = process.version.split('.')[0] !== baseline.node.split('.')[0];
