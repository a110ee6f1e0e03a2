import { BucketView } from './bucket-view.ts';
import { FleetView } from './fleet-view.ts';
import { adjust, fillForm, fillRule } from './form.ts';
import { fromHash, toHash } from './link.ts';
import { announce, copy, find, hideRepeated, plot, tell } from './page.ts';
import { codeOf } from './policy.ts';
import { scheduleOf } from './schedule.ts';
import { drawSchedule, scheduleFinding, scheduleTable } from './schedule-chart.ts';
import { INITIAL, type Settings } from './settings.ts';

const fleet = new FleetView();
const bucket = new BucketView();
const copied = find('[data-copied]');
let settings: Settings = INITIAL;
let finding = '';

function showSchedule(): void {
  const schedule = scheduleOf(settings);
  const found = scheduleFinding(schedule);
  if (found !== finding) announce(found);
  finding = found;
  tell('schedule', found);
  drawSchedule(plot('schedule'), schedule);
  find('[data-table]').replaceChildren(scheduleTable(schedule));
}

function show(): void {
  showSchedule();
  find('[data-code]').textContent = codeOf(settings);
  copied.textContent = '';
  fleet.want(settings);
  void bucket.want(settings);
}

let writing = 0;

function change(part: Partial<Settings>): void {
  const { rule } = settings;
  settings = { ...settings, ...part };
  if (settings.rule !== rule) fillRule(settings, change);
  adjust(settings);
  show();
  // Browsers limit how often an address may change, and a slider that is dragged changes it at every step.
  clearTimeout(writing);
  writing = window.setTimeout(() => history.replaceState(null, '', `#${toHash(settings)}`), 150);
}

/** Loads the settings of the address. */
function load(): void {
  clearTimeout(writing);
  const { settings: read, wrong } = fromHash(location.hash);
  settings = read;
  const notice = find('#notice');
  notice.hidden = wrong.length === 0;
  notice.textContent = `This link has unknown settings or values, which are ignored: ${wrong.join(', ')}.`;
  fillForm(settings, change);
  show();
}

find('[data-copy="code"]').addEventListener('click', async () => {
  const done = await copy(codeOf(settings));
  if (!done) getSelection()?.selectAllChildren(find('[data-code]'));
  copied.textContent = done ? 'The code is copied.' : 'The code is selected: copy it with your keyboard.';
});
find('[data-copy="link"]').addEventListener('click', async () => {
  const link = `${location.href.replace(/#.*/, '')}#${toHash(settings)}`;
  copied.textContent = (await copy(link)) ? 'The link is copied.' : 'The address of this page is the link.';
});
find('[data-reset]').addEventListener('click', () => {
  history.replaceState(null, '', location.pathname + location.search);
  load();
  copied.textContent = 'All settings are reset.';
});
hideRepeated();
addEventListener('hashchange', load);
load();

// Figures are drawn again when the size of their places changes.
let room = '';
new ResizeObserver(() => {
  const now = ['schedule', 'calls', 'stream'].map((name) => plot(name).clientWidth).join();
  if (now === room) return;
  room = now;
  showSchedule();
  fleet.draw();
  bucket.draw();
}).observe(find('main'));
