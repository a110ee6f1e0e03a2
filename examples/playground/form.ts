import { type Change, checkbox, radios, seedField, select, slider } from './controls.ts';
import { find } from './page.ts';
import { RULES } from './policy.ts';
import { type ChoiceName, FLAGS, type FlagName, type ScaleName, type Settings } from './settings.ts';

/** Fills the places of the page that are for controls. */
export function fillForm(settings: Settings, change: Change): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-choice]')) {
    place.replaceChildren(
      select(place.dataset.choice as ChoiceName, place.dataset.label ?? '', settings, change),
    );
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-radio]')) {
    place.querySelector('.radios')?.remove();
    place.append(radios(place.dataset.radio as ChoiceName, settings, change));
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-scale]')) {
    place.replaceChildren(slider(place.dataset.scale as ScaleName, settings, change));
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-flag]')) {
    place.replaceChildren(checkbox(place.dataset.flag as FlagName, settings, change));
  }
  find('[data-seed]').replaceChildren(seedField(settings, change));
  fillRule(settings, change);
  adjust(settings);
}

/** The controls of the selected rule. */
export function fillRule(settings: Settings, change: Change): void {
  const controls = Object.values(RULES[settings.rule].options).map((name) =>
    name in FLAGS
      ? checkbox(name as FlagName, settings, change)
      : slider(name as ScaleName, settings, change),
  );
  find('[data-rule]').replaceChildren(...controls);
}

/** Shows notes about the settings beside the controls, and disables controls without an effect. */
export function adjust(settings: Settings): void {
  const { options, formula, source } = RULES[settings.rule];
  const flat = 'capMs' in options && settings.capMs <= settings.baseMs;
  find('[data-formula]').textContent = `${formula}. Source: ${source}.`;
  find('[data-flat]').textContent = flat ? 'The cap is not above the base: waits do not grow.' : '';
  for (const place of document.querySelectorAll<HTMLElement>('[data-needs]')) {
    const input = place.querySelector('input');
    if (input !== null) input.disabled = !settings[place.dataset.needs as FlagName];
  }
}
