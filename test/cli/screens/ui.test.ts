/** The screens on a terminal against a whole daemon, as a person drives them; and what is said where there is no terminal. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { completion } from '../../relay/wire.ts';
import { runProgram } from '../../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts';
import { PseudoTerminal } from '../../support/pseudo-terminal.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  folder: string;
  environment: Record<string, string>;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const screens = suite<World>('the screens on a terminal');

screens.before(async (world) => {
  world.upstream = await startFakeUpstream(jsonAnswer(completion({ model: 'gpt-4o-mini', usage })));
  world.daemon = await startTestDaemon();
  for (const name of ['main', '备用渠道'])
    await world.daemon.addChannel({ name, base_url: world.upstream.url, models: 'gpt-4o-mini' });
  world.folder = mkdtempSync(join(tmpdir(), 'tollgate-ui-'));
  world.environment = {
    TOLLGATE_CONFIG_DIR: world.folder,
    HOME: world.folder,
    TOLLGATE_URL: world.daemon.url,
    TOLLGATE_ACCESS_TOKEN: world.daemon.accessToken,
    NO_COLOR: '1',
  };
});
screens.after(async ({ daemon, upstream, folder }) => {
  await daemon.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the screens on a terminal of 80x24, whose state is told when they are gone. */
function open({ folder, environment }: World, args: readonly string[]): PseudoTerminal {
  return new PseudoTerminal(args, environment, {
    // The shell hears Ctrl-C of a command as well, and stays.
    before: `trap : INT; stty rows 24 cols 80; cd '${folder}'`,
    behind: 'stty -a; echo "the shell goes on"',
  });
}

/** Types, and waits for what is then shown. */
async function typed(terminal: PseudoTerminal, text: string, shown: RegExp): Promise<void> {
  terminal.type(text);
  await terminal.until(shown);
}

/** The terminal is as it was: its own screen, a cursor, lines and echo. */
async function isGivenBack(terminal: PseudoTerminal): Promise<void> {
  const left = await terminal.until(/the shell goes on/);
  assert.match(left, '\x1b[?1049l');
  assert.match(left, '\x1b[?25h');
  assert.match(left, /[^-]icanon/);
  assert.match(left, /[^-]echo /);
}

screens('filter, test and switch channels, and make a batch of codes once', async (world) => {
  const terminal = open(world, ['ui', '--screen', 'channels']);
  const { root } = world.daemon;
  try {
    await terminal.until(/ 2 channels/);
    await typed(terminal, '/', /filter \(text/);
    await typed(terminal, '备用', /备用█/);
    await typed(terminal, '\r', /filter: 备用 .* 1 channel\b/);
    await typed(terminal, 't', /备用渠道 passed its test/);
    await typed(terminal, 'x', /备用渠道 is disabled/);
    await terminal.until(/= tollgate channel disable 2/);
    const { items } = await root.channels.list({});
    assert.equal(items.map(({ name, status }) => [name, status]).sort(), [
      ['main', 1],
      ['备用渠道', 2],
    ]);
    await typed(terminal, '5', /\[5 Codes\][\s\S]* 0 batches/);
    await typed(terminal, 'n', /1 of 3/);
    await typed(terminal, 'spring', /spring█/);
    await typed(terminal, '\t', /> {2}Kind/);
    await typed(terminal, '\t', /> {2}Value/);
    await typed(terminal, '2usd', /2usd█/);
    await typed(terminal, '\t', /> {2}Count +1█/);
    await typed(terminal, '\x15', /> {2}Count +█/);
    await typed(terminal, '3', /> {2}Count +3█/);
    await typed(terminal, '\r', /> {2}Valid from/);
    await typed(terminal, '\r', /> {2}Valid until/);
    await typed(terminal, '\r', /> {2}File/);
    await typed(terminal, '\r', /Total +\$6\s/);
    await typed(terminal, '\r', /type 3 to create them/);
    assert.is((await root.redemptions.list({})).total, 0, 'nothing is made without the count');
    await typed(terminal, '3', /create them: 3█/);
    await typed(terminal, '\r', /3 codes named spring are in spring\.csv/);
    await typed(terminal, '\r', / 1 batch\b/);
    await terminal.until(/> +spring +3 +3 +0 +0 +\$2/);
    assert.is((await root.redemptions.list({})).total, 3);
    const file = join(world.folder, 'spring.csv');
    assert.is(statSync(file).mode & 0o777, 0o600);
    const [heading, ...codes] = readFileSync(file, 'utf8').trimEnd().split('\r\n');
    assert.match(heading ?? '', /^CODE,NAME/);
    for (const line of codes) assert.match(line, /^[0-9a-f]{32},spring,1000000,/);
    await typed(terminal, '\r', /spring +filter: no filter +3 codes/);
    await typed(terminal, 'x', /code 3 spring is disabled/);
    await typed(terminal, '\x1b', /> +spring +3 +2 +0 +1 /);
    await typed(terminal, 'x', /Disable the 2 unused codes named spring\?/);
    await typed(terminal, 'y', /redemption disable --name 'spring' --yes +exit code 0/);
    await typed(terminal, '\x1b', /> +spring +3 +0 +0 +3 /);
    await typed(terminal, 'x', /no code named spring is unused/);
    assert.not.match(terminal.text, codes[0]?.split(',')[0] ?? 'no code');
    await typed(terminal, ':', /: █/);
    await typed(terminal, 'chlist', /> channel list /);
    await typed(terminal, '\r', /\$ tollgate channel list +exit code 0/);
    await terminal.until(/2 +备用渠道 +openai +disabled/);
    await typed(terminal, 'e', /: channel list█/);
    await typed(terminal, ' --name', /: channel list --name█/);
    await typed(terminal, '\r', /exit code 3/);
    await typed(terminal, '7', /\[7 Settings\][\s\S]* options/);
    await typed(terminal, '/', /key, label, section or value/);
    await typed(terminal, 'retrytimes', /retrytimes█/);
    await typed(terminal, '\r', /> +RetryTimes/);
    await typed(terminal, 'e', /RetryTimes: 0█/);
    await typed(terminal, '\x15', /RetryTimes: █/);
    await typed(terminal, '2', /RetryTimes: 2█/);
    await typed(terminal, '\r', /- 0[\s\S]*\+ 2[\s\S]*Save RetryTimes\?/);
    await typed(terminal, 'y', /RetryTimes = 2/);
    assert.is((await root.options.list()).find(({ key }) => key === 'RetryTimes')?.value, '2');
    terminal.type('q');
    await isGivenBack(terminal);
    assert.is(await terminal.ended(), 0);
  } finally {
    terminal.kill();
  }
});

screens('make and change a channel, and its keys one by one', async (world) => {
  const terminal = open(world, ['ui', '--screen', 'channels']);
  const { root } = world.daemon;
  const named = async (name: string) => (await root.channels.list({})).items.find((row) => row.name === name);
  try {
    await terminal.until(/ 2 channels/);
    await typed(terminal, 'n', /New channel[\s\S]*> {2}Name/);
    await typed(terminal, 'third', /third█/);
    await typed(terminal, '\t', /> {2}Type +openai█ +OpenAI/);
    await typed(terminal, '\t', /> {2}Key/);
    await typed(terminal, 'sk-of-the-third', /•{15}█/);
    await typed(terminal, '\t', /> {2}Address/);
    await typed(terminal, world.upstream.url, new RegExp(`${world.upstream.url}█`));
    await typed(terminal, '\t', /> {2}Models/);
    await typed(terminal, 'gpt-4o', /gpt-4o█/);
    await typed(terminal, '\x13', /channel third has id 3/);
    await terminal.until(/> +3 third /);
    assert.equal((await named('third'))?.models, 'gpt-4o');
    await typed(terminal, '#', /tag of 1 channel;/);
    await typed(terminal, 'blue', /blue█/);
    await typed(terminal, '\r', /1 channel is changed/);
    assert.is((await named('third'))?.tag, 'blue');
    await typed(terminal, 'w', /why, for the model: gpt-4o█/);
    await typed(terminal, '\r', /channel explain --model 'gpt-4o' +exit code 0/);
    await terminal.until(/1 +3 +third/);
    await typed(terminal, '\x1b', / 3 channels/);
    await typed(terminal, 'K', /Keys of 3 third: 1 usable/);
    await typed(terminal, 'n', /Add keys to third/);
    await typed(terminal, 'sk-another-one', /•{14}█/);
    await typed(terminal, '\x13', /1 key added, 0 were there/);
    await terminal.until(/third: 2 usable/);
    await typed(terminal, 'T', /2 keys passed, 0 failed/);
    await typed(terminal, 'x', /1 key is disabled/);
    assert.equal(
      (await root.channels.keys({ id: 3 })).map(({ status }) => status),
      [2, 1],
    );
    assert.not.match(terminal.text, 'sk-another-one');
    await typed(terminal, 'y', /Show key #1 of third\? This is audited/);
    await typed(terminal, 'y', /on the clipboard: sk-of-the-third/);
    terminal.type('\x03');
    await isGivenBack(terminal);
    assert.is(await terminal.ended(), 130);
  } finally {
    terminal.kill();
  }
});

screens('make, change, copy and delete a relay key, and an account', async (world) => {
  const terminal = open(world, ['ui', '--screen', 'tokens']);
  const { root } = world.daemon;
  try {
    await terminal.until(/\[4 Tokens\][\s\S]* 0 tokens/);
    await typed(terminal, 'n', /New token[\s\S]*> {2}Name/);
    await typed(terminal, '手机', /手机█/);
    await typed(terminal, '\t', /> {2}Quota +1usd█/);
    await typed(terminal, '\x15', /> {2}Quota +█/);
    await typed(terminal, 'lots', /lots█/);
    await typed(terminal, '\x13', /lots is no amount|lots .*\(/);
    assert.is((await root.tokens.list({})).total, 0, 'what is refused stays in the form');
    await typed(terminal, '\x15', /> {2}Quota +█/);
    await typed(terminal, '2usd', /2usd█/);
    await typed(terminal, '\x13', /手机 is made; y copies its key/);
    // A frame may come in two pieces.
    await terminal.until(/= tollgate token create --name '手机' --quota '2usd'/);
    const [made] = (await root.tokens.list({})).items;
    assert.equal([made?.name, made?.remain_quota, made?.expired_time], ['手机', 1_000_000, -1]);
    await terminal.until(/> +\d+ 手机 /);
    const { key } = await root.tokens.revealKey({ id: made?.id ?? 0 });
    assert.not.match(terminal.text, key, 'no key is drawn before y');
    await typed(terminal, 'y', new RegExp(`sk-${key}`));
    assert.ok(terminal.text.includes(`\x1b]52;c;${Buffer.from(`sk-${key}`).toString('base64')}\x07`));
    await typed(terminal, 'e', /Token 手机[\s\S]*> {2}Name/);
    await typed(terminal, '\t', /> {2}Quota +1000000units█/);
    await typed(terminal, '\x15', /> {2}Quota +█/);
    await typed(terminal, 'unlimited', /unlimited█/);
    await typed(terminal, '\x13', /手机 is changed/);
    assert.is((await root.tokens.list({})).items[0]?.unlimited_quota, true);
    await typed(terminal, 'x', /手机 is disabled/);
    await typed(terminal, 'd', /Delete 手机/);
    await typed(terminal, 'y', /手机 is deleted/);
    assert.is((await root.tokens.list({})).total, 0);
    await typed(terminal, '3', /\[3 Users\][\s\S]* 1 user\b/);
    await typed(terminal, 'n', /New user[\s\S]*> {2}Name/);
    await typed(terminal, 'carol', /carol█/);
    await typed(terminal, '\t', /> {2}Password/);
    await typed(terminal, 'a good password', /•{15}█/);
    assert.not.match(terminal.text, 'a good password');
    await typed(terminal, '\x13', /carol can sign in/);
    const carol = (await root.users.search({ keyword: 'carol' })).items[0];
    assert.equal([carol?.username, carol?.role], ['carol', 1]);
    await terminal.until(/ 2 users/);
    await typed(terminal, '/', /filter \(text/);
    await typed(terminal, 'carol', /carol█/);
    await typed(terminal, '\r', /filter: carol .* 1 user\b/);
    await typed(terminal, 'P', /Make carol an administrator/);
    await typed(terminal, 'y', /carol is an administrator/);
    await typed(terminal, 'D', /Make carol a normal user/);
    await typed(terminal, 'y', /carol is a normal user/);
    await typed(terminal, 'd', /Type carol to delete/);
    await typed(terminal, 'carol', /account: carol█/);
    await typed(terminal, '\r', /carol is deleted/);
    terminal.type('q');
    await isGivenBack(terminal);
    assert.is(await terminal.ended(), 0);
  } finally {
    terminal.kill();
  }
});

screens('open by the name alone, show the log as it is written, and leave at Ctrl-C with 130', async (world) => {
  const terminal = open(world, []);
  try {
    await terminal.until(/root \(root\)/);
    await typed(terminal, '6', /\[6 Logs\]/);
    await terminal.until(/rows held/);
    const key = await world.daemon.addKey();
    await fetch(`${world.daemon.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await terminal.until(/> +\d\d:\d\d:\d\d root +gpt-4o-mini/);
    terminal.type('\x03');
    await isGivenBack(terminal);
    assert.is(await terminal.ended(), 130);
  } finally {
    terminal.kill();
  }
});

screens('come back from a command that was ended by Ctrl-C', async (world) => {
  const terminal = open(world, ['ui', '--screen', 'channels']);
  try {
    await terminal.until(/ \d channels/);
    await typed(terminal, ':', /: █/);
    await typed(terminal, 'log list --follow', /--follow█/);
    await typed(terminal, '\r', /running…/);
    await typed(terminal, 'o', /\$ tollgate log list --follow\r\n[\s\S]*TIME/);
    await typed(terminal, '\x03', /Enter goes back/);
    await typed(terminal, '\r', / \d channels/);
    await typed(terminal, '3', /\[3 Users\]/);
    terminal.type('q');
    await isGivenBack(terminal);
    assert.is(await terminal.ended(), 0);
  } finally {
    terminal.kill();
  }
});

screens(
  'stay on a terminal that has become too small, with a form that is not saved',
  async ({ folder, environment }) => {
    const terminal = new PseudoTerminal(['ui', '--screen', 'users'], environment, {
      before: `tty > '${folder}/tty'; stty rows 24 cols 80`,
    });
    const resize = (rows: number, cols: number) => {
      const device = readFileSync(join(folder, 'tty'), 'utf8').trim();
      execFileSync('stty', ['-F', device, 'rows', String(rows), 'cols', String(cols)]);
    };
    try {
      await terminal.until(/ \d users?\b/);
      await typed(terminal, 'n', /> {2}Name/);
      await typed(terminal, 'dora', /dora█/);
      resize(10, 40);
      await terminal.until(/needs 60x16, has 40x10/);
      await typed(terminal, 'q', /not saved; Ctrl-C leaves at once/);
      resize(24, 80);
      await terminal.until(/> {2}Name +dora█/);
      await typed(terminal, '\x15', /> {2}Name +█/);
      resize(10, 40);
      await terminal.until(/needs 60x16, has 40x10/);
      terminal.type('q');
      assert.is(await terminal.ended(), 0);
    } finally {
      terminal.kill();
    }
  },
);

screens('say which commands there are where no terminal is', async ({ environment }) => {
  for (const words of [['ui'], ['ui', '--plain']]) {
    const { code, stderr } = await runProgram(words, { environment });
    assert.is(code, 3);
    assert.match(stderr, /need a terminal[\s\S]*channel list/);
  }
  const bare = await runProgram([], { environment });
  assert.is(bare.code, 3);
  assert.match(bare.stderr, 'Usage: tollgate');
  const unknown = await runProgram(['ui', '--screen', 'nowhere'], { environment });
  assert.match(unknown.stderr, 'no screen nowhere');
});

screens.run();
