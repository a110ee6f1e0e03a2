import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ScenarioError } from '../scenario/check.ts';
import { checkExperiment } from '../studies/experiment.ts';
import { experimentStudy } from '../studies/experiment-study.ts';
import type { Study } from '../studies/study.ts';

const MODULES = ['.ts', '.mts', '.js', '.mjs'];

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function load(path: string): Promise<unknown> {
  if (MODULES.includes(extname(path))) {
    const module = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown };
    if (module.default === undefined)
      throw new ScenarioError('the module must export the scenario as its default export');
    return module.default;
  }
  const text = await readFile(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ScenarioError(`the file is not valid JSON: ${reasonOf(error)}`);
  }
}

/**
 * The study of a scenario file.
 * @throws ScenarioError with the path of the wrong field and the name of the file
 */
export async function studyOfFile(path: string): Promise<Study> {
  const name = basename(path);
  try {
    const experiment = await load(path);
    checkExperiment(experiment);
    return experimentStudy(name, experiment.title ?? name, experiment);
  } catch (error) {
    throw new ScenarioError(`${reasonOf(error)} (in ${name})`, { cause: error });
  }
}
