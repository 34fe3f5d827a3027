/** The first screen: which channels need somebody, and the way from there to the channel. */
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
  last_hour: calls(100, 1),
  last_day: calls(100, 1),
  ...rest,
});

overview('lists the channels that need somebody, and opens one on its screen', async () => {
  const channels = [
    channel(1, 'well', {}),
    channel(2, 'off by hand', { status: 2, last_hour: calls(1, 1) }),
    channel(3, 'gave up', { status: 3 }),
    channel(4, 'pausing', { cooling: 12 }),
    channel(5, 'failing', { last_hour: calls(8, 2) }),
  ];
  const data = { channels, nodes: [], warnings: [], database: { type: 'sqlite' }, redis: null };
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
  assert.match(lines, /> +3 gave up +auto-disabled +1\.0 disabled automatically/);
  assert.match(lines, /4 pausing +cooling 12 s/);
  assert.match(lines, /5 failing +enabled +25\.0 2 of 8 calls failed/);
  assert.not.match(lines, /well|off by hand/);
  screens.overview.actions.down?.();
  screens.overview.actions.open?.();
  assert.is(opened, 'channels');
  assert.match(screens.channels.head(), 'filter: pausing');
  refresher.end();
});

overview.run();
