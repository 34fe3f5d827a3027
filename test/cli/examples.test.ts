/**
 * Every example of the help, run on one site that has what they name, with the exit code that help and cli.md give it.
 * Runs once: looks only at what goes over the wire, whatever the database.
 */
import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { localCommandsThat } from '../../cli/local-commands.ts';
import { buildProgram } from '../../cli/program.ts';
import { type ExampleSite, examplePassword, letIn, type Manner, startExampleSite } from '../support/example-site.ts';

const examples = suite('examples of the help');

let site: ExampleSite;
examples.before(async () => {
  site = await startExampleSite();
});
examples.after(() => site?.stop());

/** All examples in the order of the commands. */
function declaredExamples(): string[] {
  const stream = new PassThrough();
  const found: string[] = [];
  buildProgram({
    environment: {},
    host: { stdin: stream, stdout: stream, stderr: stream },
    signal: new AbortController().signal,
    local: localCommandsThat(() => Promise.reject(new Error('no command is run here'))),
    language: 'en',
    onCommand: (_command, text) => found.push(...text.examples),
  });
  return found;
}

/** How examples begin that are not run here, by the reason. */
const apart: Readonly<Record<string, readonly string[]>> = {
  'run beside the daemon: test/archive/beside-daemon.test.ts, test/cli/commands/local.test.ts': [
    'serve',
    'config',
    'migrate',
    'backup',
    'restore',
    'import',
    'rescue',
    'doctor --local',
  ],
  'want a daemon that nobody has set up: test/cli/setup.test.ts': ['setup'],
  'want a terminal: test/cli/screens/ui.test.ts, test/cli/chat-loop.test.ts': ['ui', 'option edit'],
  'wait for somebody at a browser: test/cli/console-sign-in.test.ts, test/cli/commands/payment-page.test.ts': [
    'login --url https://gw.example.com --web',
    'login --url https://gw.example.com --device',
    'wallet pay 10 --method zfb',
  ],
  'ask the registry of packages: test/cli/release-check.test.ts': ['version --check'],
};

/** Whole examples that want a terminal, where others of their commands do not. */
const atTerminals = new Set(['chat', 'account password', 'account 2fa enable']);

const isApart = (line: string): boolean =>
  atTerminals.has(line) ||
  Object.values(apart).some((beginnings) => beginnings.some((words) => line === words || line.startsWith(`${words} `)));

interface Trial extends Manner {
  /** The exit code; 0 without. */
  readonly ends?: number;
  /** Makes what other examples have taken. */
  readonly before?: () => Promise<unknown>;
}

/** What a person at a terminal would have said yes to. */
const agreed: Trial = { adds: '--yes' };
const proof = '--password-file pw';
const li: Trial = { as: 'li' };
const newcomer: Trial = { as: '', input: examplePassword };

async function run(line: string): Promise<void> {
  const ended = await site.run(line);
  assert.is(ended.code, 0, `${line}: ${ended.stderr}`);
}

async function disableChannels(): Promise<void> {
  const { items } = await site.daemon.root.channels.list({ page_size: 100 });
  for (const [at, { id }] of items.entries()) await site.daemon.root.channels.setStatus({ id, status: at < 4 ? 2 : 1 });
}

/** A plan that changes one thing. */
async function makePlan(): Promise<void> {
  await run('option set RetryTimes 3');
  await site.run('diff -f state.yaml --plan-out plan.json');
}

const makeOldSet = () => {
  writeFileSync('old.yaml', 'apiVersion: tollgate/v1\nset: old\noptions:\n  RetryTimes: 2\n');
  return run('apply -f old.yaml --yes --take-over');
};

const trials: Readonly<Record<string, Trial>> = {
  'login --url https://gw.example.com --username root': { as: '', adds: '--password-file rootpw' },
  logout: { as: '' },
  'logout --profile prod': { as: '', before: () => run('profile create prod --url https://gw.example.com') },
  'register --username li --password-stdin': newcomer,
  'register --username li --email li@example.com --send-code': newcomer,
  // The name is taken by then.
  'register --username li --email li@example.com --code 4f8k2a --password-stdin': { ...newcomer, ends: 7 },
  'password-reset request a@example.com': { as: '' },
  'password-reset confirm --email a@example.com --token -': { as: '', input: 'a token that nobody was sent', ends: 1 },
  'account get --json=quota,group': { as: 'li', before: () => letIn(site, 'li') },
  'account edit --display-name "Li Lei"': li,
  'account password --current-file old --new-file new': li,
  'log export --mine --since 30d --after 20261121035544123456789AbCdEfGh > rest.csv': {
    as: 'alice',
    before: () => letIn(site, 'alice'),
  },
  'account access-token --yes -q': { as: 'carol', before: () => letIn(site, 'carol') },
  'account bind email a@example.com --code 4f8k2a': { ends: 1 },
  'account bind oauth wechat --code 123456': { ends: 1 },
  'account 2fa enable --begin': { as: 'li', adds: proof, before: () => letIn(site, 'li') },
  'account 2fa enable --code 123456': { as: 'li', adds: proof, ends: 1 },
  'account 2fa disable --otp 123456': { as: 'li', adds: `${proof} --yes`, ends: 7 },
  'account 2fa recovery-codes --otp 123456 > codes.txt': { as: 'li', adds: `${proof} --yes`, ends: 7 },
  'account passkey rename 3 "my phone"': { ends: 6 },
  'account passkey delete 3 --yes': { adds: '--password-file rootpw', ends: 6 },
  'account delete --confirm li --password-file pw': li,
  'session revoke --others': agreed,
  'session revoke 3f2a9c4e1b7d5a60c8f1 --yes': { ends: 6 },
  'profile get prod': { before: () => run('profile create prod --url https://gw.example.com') },
  'profile create prod --url https://gw.example.com': { before: () => run('profile delete prod') },
  'user quota add alice 10usd': agreed,
  "user quota add alice 10usd --note 'ticket 4711'": agreed,
  'user quota subtract alice 10usd': agreed,
  'user quota set alice 10usd': agreed,
  'user disable 12 13': agreed,
  'user promote 12 13': agreed,
  'user demote 12 13': agreed,
  'user delete 12 13': agreed,
  'user sign-out alice': agreed,
  'user reset-2fa alice': agreed,
  'wallet redeem 3f2a0c…': { ends: 1 },
  // Nobody was invited.
  'invite transfer 1usd': { ...agreed, ends: 1 },
  'channel create --name ds --type deepseek --key env:DS_KEY --models deepseek-flash --test': {
    adds: '--base-url http://upstream.example.com',
  },
  'channel disable 3 4': agreed,
  'channel explain --user alice --model gpt-4o': { before: () => run('user enable 12 13') },
  'channel models 3 --diff': { ends: 2 },
  'channel balance --all --wait --below 5usd': { ends: 2 },
  'channel tag disable azure': agreed,
  'channel delete-disabled --confirm 4': { before: disableChannels },
  // The upstream there calls no tools.
  'channel test 3 --canary --stream on': { ends: 2 },
  'price sync prices.json --dry-run': { ends: 2 },
  'option set SMTPToken env:SMTP_TOKEN': agreed,
  'diff -f state.yaml': { ends: 2 },
  'diff -f state.yaml --prune -o markdown': { ends: 2 },
  'apply -f state.yaml --yes --message first': { adds: '--adopt' },
  'apply plan.json --yes': { before: makePlan },
  'state forget old --confirm old': { before: makeOldSet },
  'redemption delete-disabled --confirm 12': {
    before: async () => {
      await run('redemption create --name twelve --count 12 --quota 1000units --yes');
      await run('redemption disable --name twelve --yes');
    },
  },
  'alert delete pager --yes': {
    before: () => run('alert target set pager --type webhook --address https://pager.example.com/hook'),
  },
  'limit delete --on group:vip --yes': { before: () => run('limit set --on group:vip --rpm 60') },
  'log delete --before 90d --confirm 1204331': { adds: '--confirm 1' },
  'log delete --before 1w --wait --timeout 1h': { adds: '--confirm 1' },
};

/** What ends what others need comes after them. */
const isLast = (line: string): boolean =>
  /^logout|^(?!budget|limit|option|rate-rule)[a-z-]+ (?:tag |target |passkey )?(?:delete|dissolve|forget|purge|reset |revoke)/.test(
    line,
  );

examples('end as they say they do', async () => {
  const declared = declaredExamples();
  const known = new Set(declared);
  assert.equal(
    Object.keys(trials).filter((line) => !known.has(line)),
    [],
    'how they are run is told of examples',
  );
  const lines = declared.filter((line) => !isApart(line));
  const wrong: string[] = [];
  for (const line of [...lines.filter((each) => !isLast(each)), ...lines.filter(isLast)]) {
    const { ends = 0, before, ...manner } = trials[line] ?? {};
    await before?.();
    const { code, stderr } = await site.run(line, manner);
    if (code !== ends) wrong.push(`${line}: ${code}, not ${ends}: ${stderr.split('\n').slice(0, 3).join(' | ')}`);
  }
  assert.equal(wrong, []);
});

examples.run();
