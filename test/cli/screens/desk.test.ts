/** What all screens work with: pages over a screen, a token that is no longer good, and the row that was just made. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { both } from '../../../cli/language.ts';
import { channelForm } from '../../../cli/screens/channel-form.ts';
import { CodeWizard } from '../../../cli/screens/code-wizard.ts';
import { CodesScreen } from '../../../cli/screens/codes.ts';
import { ListState } from '../../../cli/screens/list-state.ts';
import { LogsScreen } from '../../../cli/screens/logs.ts';
import { newUserForm } from '../../../cli/screens/new-user.ts';
import { openOutput, Palette } from '../../../cli/screens/palette.ts';
import { Refresher } from '../../../cli/screens/refresh.ts';
import { SignInPage } from '../../../cli/screens/sign-in-page.ts';
import { TokensScreen } from '../../../cli/screens/tokens.ts';
import { gate } from '../../support/gate.ts';
import { deskFor } from '../../support/screen-desk.ts';
import { someTurns, until } from '../../support/until.ts';
import { startWebServer } from '../../support/web-server.ts';

const desks = suite('the desk of the screens');

function refusing(code: string, status: number): typeof globalThis.fetch {
  return async () => Response.json({ success: false, message: 'refused', code }, { status });
}

desks('ask for a password when the token is no longer good, and at no other refusal', async () => {
  const askedAt = async (code: string, status: number) => {
    const desk = deskFor({ lang: 'en', fetch: refusing(code, status) });
    let asked = 0;
    desk.onSignedOut(() => {
      asked += 1;
    });
    await desk.act('tollgate token list', async () => {
      await desk.client.tokens.list({});
      return both('', '');
    });
    return [asked, desk.message?.tone];
  };
  assert.equal(await askedAt('machine_token_invalid', 401), [1, 'bad']);
  assert.equal(await askedAt('machine_token_expired', 401), [1, 'bad']);
  assert.equal(await askedAt('admin_required', 403), [0, 'bad']);
});

desks('ask for a password once for all that the refresh is refused, whatever was told before', async () => {
  const desk = deskFor({ lang: 'en', fetch: refusing('machine_token_invalid', 401) });
  let asked = 0;
  desk.onSignedOut(() => {
    asked += 1;
  });
  const failure = await desk.client.tokens.list({}).catch((error: unknown) => error);
  const refused = async (times: number) => {
    desk.refreshed(failure);
    await until(() => desk.message?.tone === 'bad');
    await someTurns();
    assert.is(asked, times);
  };
  desk.tell(both('main is disabled', 'main 已禁用'));
  await refused(1);
  desk.clearMessage();
  await refused(1);
  desk.askPasswordAgain();
  await refused(2);
  await refused(2);
  await desk.fail(failure);
  assert.is(asked, 3, 'whoever does something is asked');
  await refused(3);
  desk.refreshed(undefined);
  await refused(4);
});

desks('say what to do next about what the command names', async () => {
  const usage = '[options] [channel...]';
  const known = [
    { path: 'channel balance', usage, summary: '' },
    { path: 'user quota add', usage: '[options] <user-and-money...>', summary: '' },
  ];
  const adviceOn = async (command: string, code: string) => {
    const desk = deskFor({ lang: 'en', fetch: refusing(code, 200), commands: { known, run: async () => 0 } });
    await desk.act(command, async () => {
      await desk.client.tokens.list({});
      return both('', '');
    });
    return desk.message?.text.split('Next: ')[1];
  };
  assert.is(await adviceOn('tollgate channel balance 4', 'channel_balance_failed'), 'tollgate channel test 4');
  assert.is(await adviceOn('tollgate channel balance 4 --all', 'channel_balance_failed'), 'tollgate channel test 4');
  assert.is(await adviceOn('tollgate channel balance 4 5', 'channel_balance_failed'), 'tollgate channel test CHANNEL');
  assert.is(await adviceOn('tollgate user quota add alice 5usd', 'quota_negative'), 'tollgate user get alice');
});

desks('send keys and models that were pasted line by line one by one', async () => {
  const sent: { key: string; models: string }[] = [];
  const fetch: typeof globalThis.fetch = async (_address, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return Response.json({ success: true, message: '', data: { id: 3, name: 'third' } });
  };
  const form = channelForm(deskFor({ lang: 'en', fetch }), undefined, () => undefined);
  const tab = { name: 'Tab', text: '' };
  const pasted = (text: string) => form.press({ name: '', text });
  pasted('third');
  for (const press of [tab, tab]) form.press(press);
  pasted('sk-first\rsk-second\r');
  for (const press of [tab, tab]) form.press(press);
  pasted('gpt-4o\rgpt-4o-mini\r');
  form.press({ name: 'C-s', text: '' });
  await until(() => sent.length > 0);
  assert.is(sent[0]?.key, 'sk-first\nsk-second');
  assert.is(sent[0]?.models, 'gpt-4o,gpt-4o-mini');
});

desks('name as a command all that was filled in for a new account, but its password', async () => {
  const desk = deskFor({ lang: 'en' });
  const form = newUserForm(desk, () => undefined);
  for (const word of ['alice', 'a good password', 'vip', '1000units']) {
    form.press({ name: '', text: word });
    form.press({ name: 'Tab', text: '' });
  }
  form.press({ name: 'C-s', text: '' });
  await until(() => desk.message?.command !== undefined);
  assert.is(
    desk.message?.command,
    "tollgate user create --username 'alice' --password-stdin --group 'vip' --quota '1000units'",
  );
});

desks(
  'go to the field that was refused; line by line, with no way back, to the first where none is named',
  async () => {
    for (const [field, isPlain, asked] of [
      ['password', false, 'Password'],
      ['password', true, 'Password'],
      ['', false, 'Balance'],
      ['', true, 'Name'],
    ] as const) {
      const refusal = {
        success: false,
        message: 'refused',
        code: 'password_invalid',
        ...(field === '' ? {} : { field }),
      };
      const desk = deskFor({ lang: 'en', isPlain, fetch: async () => Response.json(refusal, { status: 400 }) });
      const form = newUserForm(desk, () => undefined);
      for (let at = 0; at < 4; at += 1) form.press({ name: 'Enter', text: '' });
      await until(() => desk.running === 0);
      assert.match(form.prompt().text, asked);
    }
  },
);

desks('look at the words of a batch once, however often Enter is pressed, and say so meanwhile', async () => {
  const { open: answer, opened: answered } = gate();
  const server = await startWebServer(async () => {
    await answered;
    return { success: false, message: 'not now', code: 'busy' };
  });
  try {
    const desk = deskFor({ lang: 'en', url: server.url });
    const wizard = new CodeWizard(desk, () => undefined);
    const press = (name: string, text = '') => wizard.press({ name, text });
    press('', 'spring');
    for (const name of ['Enter', 'Enter']) press(name);
    press('', '1usd');
    // Past the last field, and twice more.
    for (let at = 0; at < 7; at += 1) press('Enter');
    press('', 'more');
    await until(() => server.asked.length > 0);
    assert.equal([desk.running, desk.message?.text], [1, 'working…']);
    answer();
    await until(() => desk.running === 0);
    assert.equal([server.asked.length, desk.message?.tone], [1, 'bad']);
    assert.not.match(wizard.lines({ width: 80, height: 20 }).join(), 'more');
  } finally {
    await server.stop();
  }
});

desks('keep the form of a sign-in that is refused, and close it when somebody is in', async () => {
  const desk = deskFor({ lang: 'en' });
  const tried: string[] = [];
  const page = new SignInPage(desk, async (words) => {
    tried.push(`${words('username')} ${words('password')}`);
    if (words('password') !== 'right') throw new Error('no');
  });
  desk.openPage(page);
  const write = async (text: string) => {
    for (const name of ['C-e', 'C-u']) page.form.press({ name, text: '' });
    page.form.press({ name: '', text });
    page.form.press({ name: 'C-s', text: '' });
    await until(() => desk.running === 0);
  };
  await write('wrong');
  assert.is(desk.page, page);
  await write('right');
  assert.is(desk.page, undefined);
  assert.equal(tried, ['root wrong', 'root right']);
});

desks('stack pages, and end what runs in one that is closed', async () => {
  let signal: AbortSignal | undefined;
  const commands = {
    known: [{ path: 'log list', usage: '[options]', summary: 'List log rows' }],
    run: (
      _words: readonly string[],
      wish: { readonly signal: AbortSignal; readonly onText: (text: string) => void },
    ) => {
      signal = wish.signal;
      wish.onText('one\ntwo\n');
      return new Promise<number>(() => undefined);
    },
  };
  const desk = deskFor({ lang: 'en', commands });
  openOutput(desk, { line: 'log list -f' });
  const output = desk.page;
  assert.equal(output?.body({ width: 40, height: 5 }), [' one', ' two']);
  assert.match(output?.head() ?? '', /\$ tollgate log list -f +running/);
  const palette = new Palette(desk);
  desk.openPage(palette);
  palette.press({ name: 'Esc', text: '' });
  assert.is(desk.page, output);
  assert.is(signal?.aborted, false);
  desk.closePages();
  assert.is(desk.page, undefined);
  assert.is(signal?.aborted, true);
});

desks('stand on the row that was asked for, once it is there', () => {
  const list = new ListState<{ id: number }>(({ id }) => id);
  list.show([{ id: 1 }, { id: 2 }]);
  list.want(3);
  list.show([{ id: 3 }, { id: 1 }, { id: 2 }]);
  assert.is(list.current?.id, 3);
  list.show([{ id: 2 }, { id: 3 }]);
  assert.is(list.current?.id, 3);
});

desks('count every key that a search has found, and say that the newest alone are shown', async () => {
  const fetch = async () => Response.json({ success: true, message: '', data: [], total: 250 });
  const desk = deskFor({ lang: 'en', fetch });
  const refresher = new Refresher({ clock: { now: () => 0, after: () => () => undefined }, onAnswer: () => undefined });
  const screen = new TokensScreen(desk, refresher);
  desk.ask = (_question, answer) => answer('laptop');
  screen.actions.filter();
  await screen.sources[0]?.call();
  assert.is(screen.head(), 'filter: laptop   0 of 250 tokens, the newest');
});

desks('paint no late answer over a list that was filtered meanwhile', async () => {
  const slow = gate();
  const fetch: typeof globalThis.fetch = async () => {
    await slow.opened;
    const figures = { codes: 1, unused: 1, used: 0, disabled: 0, used_count: 0, least_quota: 1, most_quota: 1 };
    const items = [{ name: 'winter', ...figures, created_time: 1 }];
    return Response.json({ success: true, message: '', data: { items, total: 1, page: 1, page_size: 100 } });
  };
  const desk = deskFor({ lang: 'en', fetch });
  const refresher = new Refresher({ clock: { now: () => 0, after: () => () => undefined }, onAnswer: () => undefined });
  const screen = new CodesScreen(desk, refresher);
  const shown = () => screen.body({ width: 80, height: 10 }).join('\n');
  const first = screen.sources[0]?.call();
  desk.ask = (_question, answer) => answer('spring');
  screen.actions.filter();
  slow.open();
  await first;
  assert.not.match(shown(), 'winter');
  await screen.sources[0]?.call();
  assert.match(shown(), 'winter', 'what is asked for now');
});

desks('show no rows that were asked for by the filter of before', async () => {
  const slow = gate();
  const answer = (data: object) => ({ success: true, message: '', data });
  const server = await startWebServer(async ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://gateway');
    if (pathname === '/api/log/') {
      const model = searchParams.get('model_name') ?? 'gpt-4o';
      if (model === 'gpt-4o') await slow.opened;
      const row = {
        id: model.length,
        created_at: 1,
        type: 2,
        model_name: model,
        username: 'ann',
        request_id: model,
        content: '',
        other: '',
        token_name: '',
        group: '',
        channel_name: '',
      };
      return answer({ page: 1, page_size: 100, total: 1, items: [row] });
    }
    if (pathname.endsWith('/credential')) return answer({ role: 100, username: 'root', scopes: [] });
    response.statusCode = 404;
    return { success: false, message: 'not found' };
  });
  const desk = deskFor({ lang: 'en', url: server.url });
  const refresher = new Refresher({ clock: { now: () => 0, after: () => () => undefined }, onAnswer: () => undefined });
  const screen = new LogsScreen(desk, refresher);
  const shown = () => screen.body({ width: 80, height: 20 }).join('\n');
  refresher.show(screen.sources);
  await until(() => server.asked.some(({ url }) => url.startsWith('/api/log/?')));
  desk.ask = (_question, take) => take('model=sonar');
  screen.actions.filter();
  await until(() => shown().includes('sonar'));
  slow.open();
  await sleep(100);
  assert.not.match(shown(), 'gpt-4o');
  screen.hidden();
  refresher.end();
  await server.stop();
});

desks.run();
