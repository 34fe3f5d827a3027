/** Who is signed in at the screens, and where: the server that the flags name, and somebody who signs in anew over them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signedIn } from '../../support/api-browser.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { PseudoTerminal } from '../../support/pseudo-terminal.ts';

interface World {
  daemon: TestDaemon;
  folder: string;
}

const signs = suite<World>('who is signed in at the screens');

signs.before(async (world) => {
  world.daemon = await startTestDaemon();
  await world.daemon.addChannel({ name: 'far-away', base_url: 'http://127.0.0.1:1', models: 'gpt-4o-mini' });
  world.folder = mkdtempSync(join(tmpdir(), 'tollgate-signs-'));
});
signs.after(async ({ daemon, folder }) => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

function open({ folder }: World, args: readonly string[], environment: Readonly<Record<string, string>>) {
  const own = { TOLLGATE_CONFIG_DIR: folder, HOME: folder, NO_COLOR: '1', ...environment };
  return new PseudoTerminal(args, own, { before: 'stty rows 24 cols 80' });
}

/** Types, and waits for what is then shown. */
async function typed(terminal: PseudoTerminal, text: string, shown: RegExp): Promise<void> {
  terminal.type(text);
  await terminal.until(shown);
}

/** Somebody with a session and a token for the screens. */
async function personOf({ daemon }: World, username: string) {
  const person = { username, password: `a password of ${username}` };
  await daemon.root.users.create(person);
  const session = await signedIn(daemon.url, person);
  await session.stepUp.prove({ action: 'machine_token', method: 'password', password: person.password });
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  const token = await session.machineTokens.create({ name: 'ui', scopes: ['user:write', 'token:write'], expires_at });
  return { ...person, session, token };
}

/** Screens of which the token was ended: they ask for the password. */
async function openSignedOut(world: World, { session, token }: Awaited<ReturnType<typeof personOf>>) {
  const environment = { TOLLGATE_URL: world.daemon.url, TOLLGATE_ACCESS_TOKEN: token.secret };
  const terminal = open(world, ['ui', '--screen', 'tokens'], environment);
  await terminal.until(/ 0 tokens/);
  await session.machineTokens.revoke({ id: token.id });
  await typed(terminal, 'r', /> {2}Password/);
  return terminal;
}

signs('run commands at the server that the flags name, not at that of the current profile', async (world) => {
  const { daemon, folder } = world;
  const there = { url: daemon.url, user: 'root', token: daemon.accessToken };
  const profiles = { here: { url: 'http://127.0.0.1:1', user: 'root', token: 'none' }, there };
  writeFileSync(join(folder, 'profiles.yaml'), JSON.stringify({ current: 'here', profiles }), { mode: 0o600 });
  const terminal = open(world, ['ui', '--profile', 'there', '--screen', 'channels'], {});
  try {
    await terminal.until(/ 1 channel\b/);
    await typed(terminal, ':', /: █/);
    await typed(terminal, 'channel list', /channel list█/);
    await typed(terminal, '\r', /exit code \d/);
    const shown = await terminal.until(/\[2 Channels\][\s\S]*lines? below|quit/);
    assert.match(terminal.text.slice(-4000) + shown, /ID +NAME[\s\S]*far-away +openai/);
  } finally {
    terminal.kill();
  }
});

signs('ask in the form itself for the code of a second factor', async (world) => {
  const bob = await personOf(world, 'bob');
  const { password, session } = bob;
  await session.stepUp.prove({ action: 'second_factor', method: 'password', password });
  const { secret } = await session.secondFactor.begin();
  const codes = await session.secondFactor.enable({ code: new TOTP({ secret }).generate() });
  const terminal = await openSignedOut(world, bob);
  try {
    await typed(terminal, password, /•█/);
    await typed(terminal, '\x13', /fill in its code/);
    await terminal.until(/> {2}Code +█/);
    await typed(terminal, codes.recovery_codes[0] ?? '', /█/);
    await typed(terminal, '\x13', /signed in as bob/);
    await typed(terminal, 'r', / 0 tokens/);
  } finally {
    terminal.kill();
  }
});

signs('let somebody leave who does not sign in again', async (world) => {
  const terminal = await openSignedOut(world, await personOf(world, 'eve'));
  try {
    await typed(terminal, '\x1b', /\[4 Tokens\]|\[\d Tokens\][\s\S]* 0 tokens/);
    // The screen asks as it comes back.
    await terminal.until(/ retrying/);
    await sleep(600);
    assert.not.match(await terminal.until(/quit\r\n/), /> {2}Password/);
    await typed(terminal, 'r', /> {2}Password/);
    await typed(terminal, '\x1b', / 0 tokens/);
    await terminal.until(/ retrying/);
    terminal.type('q');
    assert.is(await terminal.ended(), 0);
  } finally {
    terminal.kill();
  }
});

signs.run();
