/** The first screen: which channels need somebody, and the way from there to the channel. */
import stringWidth from 'string-width';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { screensOf } from '../../../cli/screens/all-screens.ts';
import { Refresher, realClock } from '../../../cli/screens/refresh.ts';
import { deskFor } from '../../support/screen-desk.ts';

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
  assert.match(
    wide.map((line) => line.slice(76)).join('\n'),
    /│ Models, 60 min[\s\S]*│ Users, 60 min[\s\S]*│ No failed calls/,
  );
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

overview.run();
