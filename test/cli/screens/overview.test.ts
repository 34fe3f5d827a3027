/** The first screen: which channels need somebody, and the way from there to the channel. */
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { screensOf } from '../../../cli/screens/all-screens.ts';
import { Refresher, realClock } from '../../../cli/screens/refresh.ts';
import { deskFor, seatOf } from '../../support/screen-desk.ts';

const overview = suite('the overview screen');

const calls = (requests: number, failures: number) => ({ requests, failures });
const channel = (id: number, name: string, rest: object) => ({
  id,
  name,
  status: 1,
  cooling: 0,
  reason: '',
  models: 3,
  keys: { usable: 2, all: 3 },
  response_time: 640,
  balance: null,
  last_hour: calls(100, 1),
  last_day: calls(100, 1),
  ...rest,
});

overview('lists the channels that need somebody, and opens one on its screen', async () => {
  const channels = [
    channel(1, 'well', {}),
    channel(2, 'off by hand', { status: 2, last_hour: calls(1, 1) }),
    channel(3, 'gave up', { status: 3, reason: '401 invalid_api_key' }),
    channel(4, 'pausing', { cooling: 12 }),
    channel(5, 'failing', { last_hour: calls(8, 2), balance: 12.4 }),
    channel(6, 'slow', { response_time: 4820, last_hour: calls(0, 0) }),
  ];
  const first_token = { p50: 420, p95: 1900 };
  const data = { channels, nodes: [], warnings: [], first_token, database: { type: 'sqlite' }, redis: null };
  const fetch = async () => Response.json({ success: true, message: '', data });
  const desk = deskFor({ lang: 'en', fetch });
  const refresher = new Refresher({ clock: realClock, onAnswer: () => undefined });
  const screens = screensOf(desk, refresher);
  let opened = '';
  desk.onGo((id) => {
    opened = id;
  });
  const system = screens.overview.sources.find(({ kind }) => kind === 'system');
  await system?.call();
  const lines = screens.overview.body({ width: 80, height: 18 }).join('\n');
  assert.match(lines, /> +3 gave up +auto-disabled +3 +640 +1\.0 401 invalid_api_key/);
  assert.match(lines, /4 pausing +cooling 12 s/);
  assert.match(lines, /5 failing +enabled +3 +640 +20\.0 2 of 10 calls failed/);
  assert.not.match(lines, /well|off by hand/);
  const wide = screens.overview.body({ width: 120, height: 33 });
  assert.ok(wide.every((line) => stringWidth(line) <= 120));
  const listed = wide.map((line) => line.slice(0, 76)).join('\n');
  assert.match(listed, / 1 well +enabled +3 +640 +1\.0 +2\/3 +-/);
  assert.match(listed, /5 failing +enabled +3 +640 +20\.0 +2\/3 +\$12\.40/);
  assert.match(listed, /6 slow +enabled +3 +4820 +-/);
  assert.ok(listed.indexOf('failing') < listed.indexOf('well'), 'those that need somebody come first');
  assert.match(wide.map((line) => line.slice(76)).join('\n'), /│ Models, 60 min[\s\S]*│ Users, 60 min/);
  assert.match(wide.join('\n'), /First token p50\/p95[\s\S]*0\.42\/1\.90 s/);
  assert.match(screens.overview.body({ width: 80, height: 18 }).join('\n'), /6 slow .* slow \(over 3 s\)/);
  screens.overview.actions.down?.();
  screens.overview.actions.open?.();
  assert.is(opened, 'channels');
  assert.match(screens.channels.head(), 'filter: pausing');
  refresher.end();
  const plain = screensOf(deskFor({ lang: 'en', fetch, isPlain: true }), refresher).overview;
  await plain.sources.find(({ kind }) => kind === 'system')?.call();
  const read = plain.body({ width: 200, height: 60 });
  assert.ok(
    read.includes('Spent today: -') && read.some((line) => /ID 3, NAME gave up, STATUS auto-disabled/.test(line)),
  );
});

overview('tells the share of calls that failed in five minutes, and models without a price', async () => {
  const asked: URL[] = [];
  const fetch = async (input: string | URL | Request) => {
    const url = new URL(input instanceof Request ? input.url : input);
    asked.push(url);
    const page = (items: readonly object[], total: number) =>
      Response.json({ success: true, message: '', data: { items, total, page: 1, page_size: 1 } });
    if (url.pathname === '/api/price/') return page([{ model_name: 'never-priced' }], 3);
    return page([], url.searchParams.get('failed') === 'true' ? 3 : 97);
  };
  const nothing = () =>
    Response.json({ success: true, message: '', data: { items: [], total: 0, page: 1, page_size: 1 } });
  const desk = deskFor({ lang: 'en', fetch });
  const refresher = new Refresher({ clock: realClock, onAnswer: () => undefined });
  const screen = screensOf(desk, refresher).overview;
  const before = Math.floor(Date.now() / 1000);
  const unasked = screen.body({ width: 80, height: 18 }).join('\n');
  assert.not.match(unasked, 'No failed calls', 'nobody knows before the first answer');
  for (const kind of ['calls', 'unpriced']) await screen.sources.find((source) => source.kind === kind)?.call();
  const lines = screen.body({ width: 80, height: 18 }).join('\n');
  assert.match(lines, /Failed \(5 min\)[\s\S]* 3\.0 %/);
  assert.match(lines, ' ! 3 offered models have no price, as never-priced (: model list --unpriced)');
  const since = asked.flatMap(({ searchParams }) => searchParams.get('start_timestamp') ?? []).map(Number);
  assert.ok(since.every((at) => at >= before - 300 && at <= Math.floor(Date.now() / 1000) - 300));
  assert.match(asked.at(-1)?.search ?? '', 'enabled=true&unset=true');
  const quiet = screensOf(deskFor({ lang: 'en', fetch: async () => nothing() }), refresher).overview;
  await quiet.sources.find(({ kind }) => kind === 'failures')?.call();
  assert.match(quiet.body({ width: 80, height: 18 }).join('\n'), 'No failed calls');
  refresher.end();
});

overview('lists the channels that a filter means, until it is cleared', async () => {
  const channels = [
    channel(1, 'well', {}),
    channel(31, 'gave up', { status: 3 }),
    channel(4, 'pausing', { cooling: 12 }),
  ];
  const data = { channels, nodes: [], warnings: [], first_token: null };
  const desk = deskFor({ lang: 'en', fetch: async () => Response.json({ success: true, message: '', data }) });
  const refresher = new Refresher({ clock: realClock, onAnswer: () => undefined });
  const screen = screensOf(desk, refresher).overview;
  await screen.sources.find(({ kind }) => kind === 'system')?.call();
  const shown = (width: number) => {
    const lines = screen.body({ width, height: 30 }).join('\n');
    return ['well', 'gave up', 'pausing'].filter((name) => lines.includes(name));
  };
  const filter = (line: string) => {
    screen.actions.filter?.();
    desk.press({ name: 'C-u', text: '' });
    desk.press({ name: '', text: line });
    desk.press({ name: 'Enter', text: '' });
  };
  filter('P');
  assert.equal(
    [shown(80), shown(130)],
    [
      ['gave up', 'pausing'],
      ['gave up', 'pausing'],
    ],
  );
  filter('31');
  assert.equal(shown(130), ['gave up']);
  filter('status=cooling');
  assert.equal(shown(80), ['pausing']);
  assert.match(screen.head(), 'filter: status=cooling');
  filter('status=odd');
  assert.equal([desk.message?.tone, shown(80)], ['bad', ['pausing']], 'what cannot be read changes nothing');
  filter('well');
  assert.match(screen.body({ width: 80, height: 30 }).join('\n'), 'matches the filter');
  assert.equal(shown(130), ['well']);
  screen.actions.back?.();
  assert.equal(shown(130), ['well', 'gave up', 'pausing']);
  refresher.end();
});

overview('follows whoever signs in anew, and shows them nothing of what the one before was told', async () => {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    asked.push(pathname);
    const system = { channels: [channel(3, 'gave up', { status: 3 })], nodes: [], warnings: [], first_token: null };
    const data = pathname.startsWith('/api/system') ? system : { rpm: 4711, tpm: 1, quota: 1 };
    return Response.json({ success: true, message: '', data });
  };
  const seatFor = (role: number) =>
    seatOf({ lang: 'en', fetch, where: { role, username: role >= 10 ? 'root' : 'bob' } });
  const desk = deskFor({ lang: 'en', fetch });
  const refresher = new Refresher({ clock: realClock, onAnswer: () => undefined });
  const screen = screensOf(desk, refresher).overview;
  const text = () => screen.body({ width: 80, height: 30 }).join('\n');
  screen.shown?.();
  for (const kind of ['system', 'rates']) await screen.sources.find((source) => source.kind === kind)?.call();
  assert.match(text(), /4711[\s\S]*gave up[\s\S]*Users, 60 min/);
  desk.takeSeat(seatFor(1));
  screen.shown?.();
  assert.not.match(text(), /4711|gave up|Users/);
  assert.is(screen.head(), 'your own figures');
  assert.equal(
    screen.sources.map(({ kind }) => kind),
    ['rates', 'models', 'failures', 'hours'],
  );
  asked.length = 0;
  // What comes back is no matter here.
  for (const { call } of screen.sources) await call().catch(() => undefined);
  assert.ok(
    asked.every((path) => path.includes('self')),
    String(asked),
  );
  desk.takeSeat(seatFor(100));
  screen.shown?.();
  assert.is(screen.sources.length, 8);
  refresher.end();
});

overview.run();
