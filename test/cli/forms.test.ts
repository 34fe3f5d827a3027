import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Forms, type FormWishes } from '../../cli/forms.ts';
import type { Language } from '../../cli/language.ts';
import type { OutputFormat } from '../../cli/output/printer.ts';

const forms = suite('forms of times');

const now = Math.floor(Date.now() / 1000);
const longAgo = 1_790_000_000;
const zone = { name: 'Asia/Shanghai', from: '--tz' };

function formsOf(format: OutputFormat, wishes: FormWishes = {}, language: Language = 'en'): Forms {
  const site = () => Promise.reject(new Error('the server is not asked'));
  return new Forms({ wishes, zone, language, format: () => format, site });
}

forms('say in a table how long ago something was, for a day', () => {
  const table = formsOf('table');
  assert.match(String(table.agoText(now - 5)), /^[5-9]s ago$/);
  assert.is(table.agoText(now - 121), '2m ago');
  assert.is(table.agoText(now - 7300), '2h ago');
  assert.is(formsOf('table', {}, 'zh').agoText(now - 121), '2分钟前');
  assert.match(String(table.agoText(now - 90_000)), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.is(table.agoText(longAgo), '2026-09-21 22:13:20');
  assert.is(table.agoText(0), '');
});

forms('say what is to come, and what stands on the screen while time goes on, by the clock', () => {
  const clock = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
  assert.match(String(formsOf('table').timeText(now + 5)), clock);
  assert.match(String(formsOf('table').timeText(now - 5)), clock);
  assert.match(String(formsOf('table', { follow: true }).agoText(now - 5)), clock);
});

forms('leave lines for machines and what was asked for as they are', () => {
  for (const format of ['tsv', 'csv', 'yaml'] as const)
    assert.is(formsOf(format).agoText(longAgo), '2026-09-21T14:13:20Z');
  assert.is(formsOf('table', { time: 'unix' }).agoText(longAgo), longAgo);
  assert.is(formsOf('table', { time: 'iso' }).agoText(longAgo), '2026-09-21T14:13:20Z');
  assert.is(formsOf('csv', { time: 'relative' }).timeText(now - 121), '2m ago');
});

forms('leave out the day where there is one and no room for it', () => {
  const clockOf = (wishes: FormWishes, seconds: number) => formsOf('table', wishes).clockText(seconds);
  assert.is(clockOf({}, longAgo), '22:13:20');
  assert.is(clockOf({ time: 'iso' }, longAgo), '14:13:20');
  assert.is(clockOf({ time: 'unix' }, longAgo), String(longAgo));
  assert.is(clockOf({ time: 'relative' }, now - 121), '2m ago');
  assert.is(clockOf({ time: 'relative' }, longAgo), '22:13:20');
  assert.is(clockOf({}, 0), '');
  assert.is(formsOf('table', { time: 'unix' }).wallClockText(longAgo + 0.4), '22:13:20');
});

forms("print clocks in the server's zone where that is wished, and ask for it only then", async () => {
  let asked = 0;
  const site = async () => {
    asked += 1;
    return { quotaPerUnit: 500_000, inCurrency: true, timeZone: 'Pacific/Auckland' };
  };
  const formsBy = (name: string, wishes: FormWishes, format: OutputFormat) =>
    new Forms({ wishes, zone: { name, from: 'TOLLGATE_TZ' }, language: 'en', format: () => format, site });
  const ofSite = formsBy('site', {}, 'table');
  await ofSite.prepareCells({ times: false });
  await formsBy('site', {}, 'csv').prepareCells({ times: true });
  await formsBy('site', { time: 'unix' }, 'table').prepareCells({ times: true });
  assert.is(asked, 0);
  await ofSite.prepareCells({ times: true });
  assert.is(asked, 1);
  assert.is(ofSite.timeText(longAgo), '2026-09-22 02:13:20');
  assert.is(ofSite.clockZone, 'Pacific/Auckland');
  const members = await formsBy('site', { time: 'local' }, 'json').members();
  assert.is(members.time?.(longAgo), '2026-09-22 02:13:20');
  const clocks = formsBy('site', { time: 'unix' }, 'table');
  await clocks.prepareClocks();
  assert.is(clocks.wallClockText(longAgo), '02:13:20');
  const unknown = await formsBy('Mars/Phobos', {}, 'table')
    .prepareCells({ times: true })
    .catch((error: unknown) => error);
  assert.match(String(unknown), /Mars\/Phobos is no time zone/);
});

forms.run();
