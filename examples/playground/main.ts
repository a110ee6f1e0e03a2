import type { Trace } from '@ebb/simulator';
import { streamOf } from './bucket.ts';
import { bucketFinding, drawBucket } from './bucket-chart.ts';
import { drawFleet, fleetFinding, momentOf, tilesOf } from './fleet-chart.ts';
import { FleetRuns } from './fleet-runs.ts';
import { enable, fillForm, fillRule } from './form.ts';
import { count } from './format.ts';
import { fromHash, toHash } from './link.ts';
import { announce, copy, find, selectAll } from './page.ts';
import { codeOf } from './policy.ts';
import { scheduleOf } from './schedule.ts';
import { drawSchedule, scheduleFinding, scheduleTable } from './schedule-chart.ts';
import { INITIAL, type Settings } from './settings.ts';
import { timeScale } from './time-chart.ts';

let settings: Settings = INITIAL;
let ran: { trace: Trace; settings: Settings } | undefined;

const plot = (name: string): HTMLElement => find(`[data-plot="${name}"]`);
const fleetPlots = { calls: plot('calls'), amplification: plot('amplification'), queue: plot('queue') };
const bucketPlots = { stream: plot('stream'), tokens: plot('tokens') };
const moment = find<HTMLInputElement>('#moment');
const fleetFigure = find('[data-fleet]');
const progress = find<HTMLProgressElement>('[data-progress]');

function tell(name: string, finding: string): void {
  find(`[data-finding="${name}"]`).textContent = finding;
}

function showSchedule(): string {
  const schedule = scheduleOf(settings);
  const finding = scheduleFinding(schedule);
  tell('schedule', finding);
  drawSchedule(plot('schedule'), schedule);
  find('[data-table]').replaceChildren(scheduleTable(schedule));
  return finding;
}

async function showBucket(): Promise<string> {
  const asked = settings;
  const stream = await streamOf(asked);
  const finding = bucketFinding(stream, asked);
  if (asked !== settings) return finding;
  tell('bucket', finding);
  drawBucket(bucketPlots, stream, asked);
  const each = asked.requestsPerSecond / asked.clients;
  find('[data-bucket-note]').textContent = asked.bucket
    ? `Each client of the fleet has one of its own; it makes ${count(each)} new requests a second.`
    : 'It is not: the fleet and the code go without.';
  return finding;
}

function showMoment(): void {
  if (ran === undefined) return;
  const { trace } = ran;
  const second = Math.min(moment.valueAsNumber, trace.series.sends.length - 1);
  const text = momentOf(trace, second);
  find('[data-moment]').textContent = text;
  moment.setAttribute('aria-valuetext', text);
  const mostMs = (trace.series.sends.length - 1) * trace.intervalMs;
  for (const place of Object.values(fleetPlots)) {
    const at = timeScale(place.clientWidth, mostMs)(second * trace.intervalMs);
    place.querySelector('[data-cursor]')?.setAttribute('transform', `translate(${at} 0)`);
  }
}

function showFleet(): void {
  if (ran === undefined) return;
  drawFleet(fleetPlots, ran.trace, ran.settings);
  moment.max = String(ran.trace.series.sends.length - 1);
  showMoment();
}

function showTiles(trace: Trace): void {
  const tiles = tilesOf(trace).map(([name, text, value]) => {
    const term = Object.assign(document.createElement('dt'), { textContent: name });
    const data = Object.assign(document.createElement('data'), { value: String(value), textContent: text });
    const definition = document.createElement('dd');
    definition.append(data);
    const tile = document.createElement('div');
    tile.append(term, definition);
    return tile;
  });
  find('[data-tiles]').replaceChildren(...tiles);
}

const runs = new FleetRuns({
  started() {
    fleetFigure.setAttribute('aria-busy', 'true');
    progress.value = 0;
  },
  progress(share) {
    progress.value = share;
  },
  done(trace, of) {
    ran = { trace, settings: of };
    fleetFigure.setAttribute('aria-busy', 'false');
    progress.value = 1;
    const finding = fleetFinding(trace);
    tell('fleet', finding);
    showTiles(trace);
    showFleet();
    announce(finding);
  },
  failed(message) {
    fleetFigure.setAttribute('aria-busy', 'false');
    tell('fleet', `The fleet could not be run: ${message}`);
  },
});

function show(): void {
  const schedule = showSchedule();
  find('[data-code]').textContent = codeOf(settings);
  runs.want(settings);
  void showBucket();
  announce(schedule);
}

let writing = 0;

function change(part: Partial<Settings>): void {
  const before = settings;
  settings = { ...settings, ...part };
  if (settings.rule !== before.rule) fillRule(settings, change);
  enable(settings);
  show();
  // Browsers count how often an address is changed, and a slider that is dragged changes it at every step.
  clearTimeout(writing);
  writing = window.setTimeout(() => history.replaceState(null, '', `#${toHash(settings)}`), 150);
}

/** Takes the settings of the address. */
function load(): void {
  const { settings: read, wrong } = fromHash(location.hash);
  settings = read;
  const notice = find('#notice');
  notice.hidden = wrong.length === 0;
  notice.textContent = `The link asks for something that is not to be had, and was left out: ${wrong.join(', ')}.`;
  fillForm(settings, change);
  show();
}

find('[data-copy="code"]').addEventListener('click', async () => {
  const done = await copy(codeOf(settings));
  if (!done) selectAll(find('[data-code]'));
  find('[data-copied]').textContent = done ? 'Copied.' : 'It is selected: copy it with your keyboard.';
});
find('[data-copy="link"]').addEventListener('click', async () => {
  const link = `${location.href.replace(/#.*/, '')}#${toHash(settings)}`;
  find('[data-copied]').textContent = (await copy(link))
    ? 'Copied.'
    : 'The address of this page is the link.';
});
find('[data-reset]').addEventListener('click', () => {
  history.replaceState(null, '', '#');
  load();
  find('[data-copied]').textContent = 'All is as it was at first.';
});
moment.addEventListener('input', showMoment);
addEventListener('hashchange', load);

// A figure is drawn for the room that it has.
let width = 0;
new ResizeObserver(() => {
  const now = plot('schedule').clientWidth + plot('calls').clientWidth;
  if (now === width) return;
  width = now;
  showSchedule();
  showFleet();
  void showBucket();
}).observe(find('main'));

load();
