import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ScenarioError } from '../scenario/check.ts';
import { checkExperiment, type Experiment } from '../studies/experiment.ts';
import { experimentStudy } from '../studies/experiment-study.ts';
import type { Study } from '../studies/study.ts';

const MODULES = ['.ts', '.mts', '.js', '.mjs'];

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** V8's message for an ES module that package.json declares to be CommonJS, as `npm init` does. */
const IS_COMMONJS = /^Cannot use import statement outside|^Unexpected token 'export'/;

/** The remedy for a module that cannot be loaded; `undefined` if its error says enough. */
function remedy(path: string, error: unknown): string | undefined {
  const isTypeScript = /\.m?ts$/.test(path);
  if (isTypeScript && !process.features.typescript)
    return `Node ${process.version} does not run TypeScript; use Node 22.18 or later, or a scenario in .mjs or .json`;
  if (!(error instanceof SyntaxError) || !IS_COMMONJS.test(error.message)) return undefined;
  const ending = isTypeScript ? '.mts' : '.mjs';
  return `with "type": "commonjs" in package.json the file is CommonJS, and it has the syntax of an ES module; call it ${ending}`;
}

async function importModule(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    const message = remedy(path, cause);
    throw message === undefined ? cause : new ScenarioError(message, { cause });
  }
}

async function load(path: string): Promise<unknown> {
  if (MODULES.includes(extname(path))) {
    const module = await importModule(path);
    if (module.default === undefined)
      throw new ScenarioError('the module must export the scenario as its default export');
    return module.default;
  }
  return parse(await readFile(path, 'utf8'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ScenarioError(`the file is not valid JSON: ${reasonOf(error)}`);
  }
}

function experimentOf(experiment: unknown): Experiment {
  checkExperiment(experiment);
  return experiment;
}

/**
 * The experiment in the text of a JSON file.
 * @throws ScenarioError with the path of the wrong field
 */
export function experimentIn(text: string): Experiment {
  return experimentOf(parse(text));
}

/**
 * The study of a scenario file.
 * @throws ScenarioError with the path of the wrong field and the name of the file
 */
export async function studyOfFile(path: string): Promise<Study> {
  const name = basename(path);
  try {
    const experiment = experimentOf(await load(path));
    return experimentStudy(name, experiment.title ?? name, experiment);
  } catch (error) {
    throw new ScenarioError(`${reasonOf(error)} (in ${name})`, { cause: error });
  }
}
