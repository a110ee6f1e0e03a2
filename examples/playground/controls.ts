import { isSeed } from './link.ts';
import { element } from './page.ts';
import {
  CHOICES,
  type ChoiceName,
  FLAGS,
  type FlagName,
  MOST_SEED,
  SCALES,
  type ScaleName,
  type Settings,
} from './settings.ts';

/** Called with the settings that the user has changed. */
export type Change = (change: Partial<Settings>) => void;

/** A slider over the values of a scale, with the value beside the label. */
export function slider(name: ScaleName, settings: Settings, change: Change): HTMLElement {
  const { label, values, format } = SCALES[name];
  const input = element('input', {
    type: 'range',
    id: name,
    name,
    min: '0',
    max: String(values.length - 1),
    step: '1',
  });
  const output = element('output', {});
  output.setAttribute('for', name);
  // Screen readers get the value from the slider itself.
  output.setAttribute('aria-live', 'off');
  const show = (value: number): void => {
    output.textContent = format(value);
    input.setAttribute('aria-valuetext', format(value));
  };
  input.value = String((values as readonly number[]).indexOf(settings[name]));
  show(settings[name]);
  input.addEventListener('input', () => {
    const value = values[input.valueAsNumber] ?? SCALES[name].initial;
    show(value);
    change({ [name]: value });
  });
  return element(
    'div',
    { className: 'field slider' },
    element('label', { htmlFor: name }, label),
    output,
    input,
  );
}

/** A drop-down list. */
export function select(name: ChoiceName, label: string, settings: Settings, change: Change): HTMLElement {
  const options = CHOICES[name].map(([value, text]) => element('option', { value }, text));
  const input = element('select', { id: name, name }, ...options);
  input.value = settings[name];
  input.addEventListener('change', () => change({ [name]: input.value }));
  return element('div', { className: 'field' }, element('label', { htmlFor: name }, label), input);
}

/** A group of radio buttons. */
export function radios(name: ChoiceName, settings: Settings, change: Change): HTMLElement {
  const labels = CHOICES[name].map(([value, text]) => {
    const input = element('input', { type: 'radio', name, value, checked: settings[name] === value });
    input.addEventListener('change', () => change({ [name]: value }));
    return element('label', {}, input, ` ${text}`);
  });
  return element('div', { className: 'radios' }, ...labels);
}

export function checkbox(name: FlagName, settings: Settings, change: Change): HTMLElement {
  const input = element('input', { type: 'checkbox', id: name, name, checked: settings[name] });
  input.addEventListener('change', () => change({ [name]: input.checked }));
  return element('label', { className: 'check', htmlFor: name }, input, ` ${FLAGS[name].label}`);
}

/** A number field. An invalid seed shows a message beside it, and changes nothing. */
export function seedField(settings: Settings, change: Change): HTMLElement {
  const input = element('input', {
    type: 'number',
    id: 'seed',
    name: 'seed',
    min: '1',
    max: String(MOST_SEED),
    step: '1',
  });
  input.required = true;
  input.inputMode = 'numeric';
  input.value = String(settings.seed);
  const message = element('p', { className: 'wrong', id: 'seed-wrong' });
  input.setAttribute('aria-describedby', message.id);
  input.addEventListener('input', () => {
    const good = isSeed(input.valueAsNumber);
    input.setAttribute('aria-invalid', String(!good));
    message.textContent = good ? '' : `A whole number from 1 to ${MOST_SEED}`;
    if (good) change({ seed: input.valueAsNumber });
  });
  // Enter would submit a form with a single text field.
  input.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault());
  return element(
    'div',
    { className: 'field seed' },
    element('label', { htmlFor: 'seed' }, 'Seed'),
    input,
    message,
  );
}
