import {
  CHOICES,
  type ChoiceName,
  INITIAL,
  MOST_SEED,
  SCALES,
  type ScaleName,
  type Settings,
} from './settings.ts';

/** The part of the address after `#`: the settings that differ from the defaults, so that links stay short. */
export function toHash(settings: Settings): string {
  const changed = Object.entries(settings).filter(
    ([name, value]) => INITIAL[name as keyof Settings] !== value,
  );
  return new URLSearchParams(changed.map(([name, value]) => [name, String(value)])).toString();
}

/** Reads a link. Settings with unknown names or invalid values keep their defaults, and `wrong` lists them. */
export function fromHash(hash: string): { settings: Settings; wrong: string[] } {
  const settings: Record<string, unknown> = { ...INITIAL };
  const wrong: string[] = [];
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    const value = Object.hasOwn(INITIAL, name) ? valueIn(name as keyof Settings, text) : undefined;
    if (value === undefined) wrong.push(name);
    else settings[name] = value;
  }
  return { settings: settings as Settings, wrong };
}

function valueIn(name: keyof Settings, text: string): unknown {
  if (name === 'seed') return isSeed(Number(text)) ? Number(text) : undefined;
  if (name in SCALES) return SCALES[name as ScaleName].values.find((value) => String(value) === text);
  if (name in CHOICES) return CHOICES[name as ChoiceName].find(([value]) => value === text)?.[0];
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

export function isSeed(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MOST_SEED;
}
