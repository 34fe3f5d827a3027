/**
 * Documents of declared state from the command line: files, references, plans and exit codes, against a whole daemon.
 * Runs once: looks only at what the commands say; the engines are told apart in test/daemon/domain/declared-state.test.ts.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const state = suite('declared state on the command line');

let daemon: TestDaemon;
let folder: string;
let back: string;

state.before(async () => {
  daemon = await startTestDaemon();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-state-'));
  // References of plans are relative to where a command runs.
  back = process.cwd();
  process.chdir(folder);
});
state.after(async () => {
  process.chdir(back);
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(words: readonly string[], secrets: Readonly<Record<string, string>> = {}, input = ''): Promise<Ended> {
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
    ...secrets,
  };
  return runProgram([...words], { environment, input });
}

async function output(words: readonly string[], secrets?: Readonly<Record<string, string>>, code = 0): Promise<string> {
  const ended = await run(words, secrets);
  assert.is(ended.code, code, `${words.join(' ')}: ${ended.stderr}`);
  return ended.stdout;
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const head = 'apiVersion: tollgate/v1\nset: prod\n';
const secrets = { OPENAI_KEY: 'sk-canary-openai', SMTP_TOKEN: 'canary-mail' };

const whole = `${head}
options:
  RetryTimes: 2
  SMTPToken: env:SMTP_TOKEN
prices:
  house-model: {model_ratio: 1}
channels:
  main:
    type: openai
    keys: [env:OPENAI_KEY, file:keys/second]
    models: [gpt-4o, house-model]
    weight: 20
`;

state('shows what differs with 2, applies it with 0, and then finds nothing', async () => {
  write('keys/second', 'sk-canary-second\n');
  const file = write('state.yaml', whole);
  const told = await output(['diff', '-f', file, '-o', 'table'], secrets, 2);
  assert.match(told, /~ option +RetryTimes +value 0 -> 2/);
  assert.match(told, /\+ channel +main +.*keys \*\*\*/);
  assert.match(told, /2 to create, 2 to change, 0 to delete, 0 orphans\. Plan [0-9a-f]{16} on revision \d+\./);
  assert.match(await output(['diff', '-f', file, '-o', 'markdown'], secrets, 2), /\| \+ \| channel `main` \| /);
  assert.is(
    await output(['diff', '-f', file, '-q'], secrets, 2),
    ['option RetryTimes', 'option SMTPToken', 'price house-model', 'channel main', ''].join('\n'),
  );
  assert.is((await run(['apply', '-f', file], secrets)).code, 3, 'nobody was there to agree');
  await output(['apply', '-f', file, '--yes', '--message', 'first'], secrets);
  assert.is(await output(['diff', '-f', file], secrets), '');
  assert.match((await run(['apply', '-f', file, '--yes'], secrets)).stderr, /nothing to change/);
  assert.is(await output(['state', 'sets', '--columns', 'set,objects,by,message']), 'prod\t4\troot\tfirst\n');
  assert.match(await output(['state', 'get', 'prod', '--columns', 'kind,key']), /^channel\tmain\n/);
  const group = write('group.yaml', `${head}groups:\n  vip: {ratio: 0.8, description: Customers}\n`);
  assert.is(await output(['diff', '-f', group, '-q'], {}, 2), 'group vip\n', 'each object once');

  const fewer = write('fewer.yaml', `${head}options:\n  RetryTimes: 2\n`);
  const piped = await run(['diff', '-f', fewer, '--columns', 'action,kind,key'], secrets);
  assert.match(piped.stderr, /channel main {2}orphan: --prune would delete it\n/, 'a pipe is told of orphans, too');
  assert.not.match(piped.stdout, /main/, 'and they are no change');
  await output(['option', 'set', 'Footer=x']);
  const unmanaged = ['diff', '-f', file, '--unmanaged', '--columns', 'action,kind,key'];
  assert.match((await run(unmanaged, secrets)).stdout, /^unmanaged\toption\tFooter$/m);
});

state('puts files together, refuses what two of them say, and lets an overlay change it', async () => {
  write('tree/1-base.yaml', whole);
  const more = write('tree/2-more.yaml', `${head}options:\n  RetryTimes: 3\n`);
  write('tree/keys/second', 'sk-canary-second');
  const twice = await run(['diff', '-f', 'tree'], secrets);
  assert.is(twice.code, 3);
  assert.match(twice.stderr, /options\.RetryTimes is declared twice: tree\/1-base\.yaml:\d+, tree\/2-more\.yaml:4/);
  symlinkSync('root@host.1234', join(folder, 'tree/.#1-base.yaml'));
  write('tree/.2-more.yaml', 'what an editor keeps');
  write('tree/2-more.yaml', `${head}overlay: true\nchannels:\n  main: {weight: 5}\n`);
  const rows = await output(['diff', '-f', 'tree', '--columns', 'action,key,field,old,new'], secrets, 2);
  assert.is(rows, 'update\tmain\tweight\t20\t5\n');
  write('tree/2-more.yaml', 'apiVersion: tollgate/v1\nset: other\n');
  assert.is((await run(['diff', '-f', 'tree'], secrets)).code, 3);
  rmSync(more);
});

state('takes names as they are written, quoted or not', async () => {
  const groups = 'groups:\n  007: {ratio: 2}\n  1e3: {ratio: 2}\n  null: {ratio: 2}\n  yes: {ratio: 2}\n';
  const told = await output(['diff', '-f', write('names.yaml', head + groups), '-q'], {}, 2);
  assert.is(told, 'group 007\ngroup 1e3\ngroup null\ngroup yes\n');
});

state('names file and line of what a document cannot say, and asks no server to check it', async () => {
  const refused = async (text: string, pattern: RegExp) => {
    const ended = await run(['apply', '-f', write('bad.yaml', text), '--check'], secrets);
    assert.is(ended.code, 3, ended.stderr);
    assert.match(ended.stderr, pattern);
  };
  await refused(
    `${head}channels:\n  main:\n    wieght: 3\n`,
    /bad\.yaml:5: there is no field channels\.main\.wieght; did you mean weight\? /,
  );
  await refused(`${head}overlay: "yes"\n`, /bad\.yaml:3: overlay must be true or false /);
  await refused(`${head}overlay:\n`, /bad\.yaml:3: overlay must be true or false /);
  await refused(`${head}optoins: {A: 1}\n`, /bad\.yaml:3: there is no field optoins; did you mean options\? /);
  await refused(
    `${head}rate_rules: [{who: "group:vip", model: "*", ratio: 1, modell: x}]\n`,
    /no field rate_rules\.0\.modell; did you mean model\? /,
  );
  await refused(`${head}groups: {vip: {colour: red}}\n`, /no field groups\.vip\.colour \(/);
  await refused(`${head}channels:\n  main:\n    weight: heavy\n`, /bad\.yaml:5: channels\.main\.weight/);
  await refused(
    `${head}channels:\n  main:\n    weight: heavy\n`,
    /bad\.yaml:5: channels\.main\.weight must be a number; found text /,
  );
  await refused(
    `${head}channels: {main: {keys: [1]}}\n`,
    /bad\.yaml:3: channels\.main\.keys\.0 must be text; found 1 /,
  );
  await refused(
    `${head}channels: {main: {keys: {a: b}}}\n`,
    /channels\.main\.keys must be keep or a list; found an object /,
  );
  await refused(`${head}groups:\n  vip:\n`, /bad\.yaml:4: groups\.vip must be an object; found nothing /);
  await refused(`${head}alerts: {targets: {a: {type: pigeon}}}\n`, /type must be one of owner, .*; found "pigeon" /);
  await refused('apiVersion: tollgate/v1\n', /bad\.yaml:1: set is missing /);
  const who = `${head}rate_rules: [{who: vip, model: "*", ratio: 1}]\n`;
  await refused(who, /rate_rules\.0\.who must be group:NAME, user:NAME or token:ID; found text /);
  await refused(`${head}limits: {vip: {rpm: 1}}\n`, /limits\.vip must be group:NAME or model:NAME \(/);
  await refused(`${head}---\n${head}`, /bad\.yaml:3: a second document begins here/);
  await refused(`${head}groups:\n  __proto__: {ratio: 2}\n`, /bad\.yaml:4: groups must not contain __proto__ /);
  await refused(`${head}options: {A: 1, A: 2}\n`, /bad\.yaml:3: .*unique/i);
  await refused(
    `${head}options:\n  RetryTimes: 1\n  RetryTime: 2\n`,
    /bad\.yaml:5: There is no option RetryTime; did you mean RetryTimes\? /,
  );
  await refused(`${head}options:\n  RetryTimes: "2"\n`, /bad\.yaml:4: RetryTimes must be written like this: 123/);
  await refused(`${head}options:\n  RetryTimes: -2\n`, /bad\.yaml:4: RetryTimes: /);
  await refused(`${head}options:\n  GroupRatio: {vip: 1}\n`, /bad\.yaml:4: GroupRatio is declared under groups/);
  const rule = (ratio: number) => `  - {who: "group:vip", model: "gpt-*", ratio: ${ratio}}\n`;
  await refused(
    `${head}rate_rules:\n${rule(0.7)}${rule(0.5)}`,
    /rate_rules\.group:vip gpt-\* is declared twice: .*bad\.yaml:4, .*bad\.yaml:5/,
  );
  await refused(
    `${head}channels: {main: {keys: [sk-inline]}}\n`,
    /bad\.yaml:3: channels\.main\.keys\.0 holds a secret itself/,
  );
  await refused(`${head}channels: {main: {keys: ["file:../outside"]}}\n`, /outside the folder/);
  await refused(
    `${head}channels:\n  main:\n    keys:\n      - env:MISSING\n`,
    /MISSING is not set .*\n {2}\S*bad\.yaml:6: channels\.main\.keys\.0\n/,
  );
  await refused(`${head}options:\n  SystemName: !env NAME\n`, /bad\.yaml:4: tags \(!name\) are not taken/);
  await refused(`${head}groups:\n  vip: &one {ratio: 1}\n  svip: *two\n`, /bad\.yaml:5: no &two stands before \*two/);
  const elsewhere = { TOLLGATE_URL: 'http://127.0.0.1:1' };
  assert.is((await run(['apply', '-f', 'state.yaml', '--check'], { ...secrets, ...elsewhere })).code, 0);
  assert.match(await output(['help', 'state', '--schema']), /"tollgate\/v1"/);
});

state('applies a plan from a file once, and tells what has moved when it holds no more', async () => {
  const file = write('state.yaml', whole.replace('RetryTimes: 2', 'RetryTimes: 4'));
  await output(['diff', '-f', file, '--plan-out', 'plan.json'], secrets, 2);
  assert.not.match(readFileSync('plan.json', 'utf8'), /canary/);
  await daemon.root.options.set({ key: 'RetryTimes', value: '7' });
  const stale = await run(['apply', 'plan.json', '--yes'], secrets);
  assert.is(stale.code, 7);
  assert.match(stale.stderr, /moved since the plan:\nprod at .*\n +~ option +RetryTimes +value 7 -> 4 .*root/);
  await output(['diff', '-f', file, '--plan-out', 'plan.json', '--force'], secrets, 2);
  await output(['apply', 'plan.json', '--yes'], secrets);
  assert.is(await output(['option', 'get', 'RetryTimes', '-o', 'json', '--jq', '.value']), '4\n');
  const again = await run(['apply', 'plan.json', '--yes'], secrets);
  assert.is(again.code, 0);
  assert.match(again.stderr, 'nothing is left to do: all that the plan declares is there');
  assert.not.match(again.stderr, 'the plan as it would be now');
});

state('ends with 7 where a guard refuses, and names the flag that lifts it', async () => {
  const dearer = write('state.yaml', whole.replace('model_ratio: 1', 'model_ratio: 2'));
  const refused = await run(['apply', '-f', dearer, '--yes'], secrets);
  assert.is(refused.code, 7);
  assert.match(refused.stderr, /rise by 100 %[\s\S]*try: to allow it, add --max-price-rise N$/m);
  const asked = await run(['apply', '-f', dearer, '--yes', '-o', 'json'], secrets);
  assert.equal([asked.code, asked.stdout], [7, '']);
  const { message, hint } = JSON.parse(asked.stderr).error;
  assert.match(message, /rise by 100 %/);
  assert.match(hint, /--max-price-rise N/);
  await output(['apply', '-f', dearer, '--yes', '--max-price-rise', '100%'], secrets);
  const other = write(
    'other.yaml',
    whole.replace('set: prod', 'set: other').replace('model_ratio: 1', 'model_ratio: 2'),
  );
  write('keys/second', 'sk-canary-second');
  assert.is((await run(['diff', '-f', other], secrets)).code, 7, 'another set owns it');
});

state(
  'exports the keys of channels where that is wished, tells so in the audit log, and nothing else of secrets',
  async () => {
    assert.not.match(await output(['export']), 'sk-canary');
    const shown = await run(['export', '--reveal', '--set', 'prod', '--out', 'keys.yaml']);
    assert.is(shown.code, 0, shown.stderr);
    assert.match(shown.stderr, /secrets are expected in: SMTP_TOKEN\n/);
    assert.match(readFileSync('keys.yaml', 'utf8'), /keys:\s+- sk-canary-openai\s+- sk-canary-second\s/);
    const named = { SMTP_TOKEN: 'canary-mail' };
    assert.is(await output(['diff', '-f', 'keys.yaml', '--allow-inline-secrets'], named), '');
    const { items } = await daemon.root.audits.list({ page: 1, page_size: 10, action: 'channel.export_keys' });
    assert.is(items.length, 1);
    const twin = await daemon.addChannel({ name: 'main', base_url: 'http://127.0.0.1:9', models: 'm' });
    const both = await run(['export', '--reveal', '--kind', 'channel']);
    assert.match(both.stderr, /several channels have the name of: main, main-\d+/);
    assert.not.match(both.stdout, 'sk-canary');
    await daemon.root.channels.delete({ id: twin });
  },
);

state('exports what applies again without a difference, byte for byte', async () => {
  const first = await run(['export', '--out', 'export.yaml']);
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stderr, /MAIN_KEY_1, MAIN_KEY_2, SMTP_TOKEN/);
  const named = { SMTP_TOKEN: 'canary-mail', MAIN_KEY_1: 'sk-canary-openai', MAIN_KEY_2: 'sk-canary-second' };
  assert.is(await output(['diff', '-f', 'export.yaml'], named), '');
  write('empty.yaml', head);
  await output(['apply', '-f', 'empty.yaml', '--prune', '--empty-groups', '--yes'], named);
  assert.not.match(await output(['export']), /channels/);
  await output(['apply', '-f', 'export.yaml', '--yes'], named);
  assert.is(await output(['export']), readFileSync('export.yaml', 'utf8'));
  assert.is((await run(['state', 'forget', 'prod', '--yes'])).code, 3, 'a yes is not enough');
  await output(['state', 'forget', 'prod', '--confirm', 'prod']);
  assert.is(await output(['state', 'sets']), '');
});

state('may be run again under its key, whether or not the first run took effect', async () => {
  const file = write('keyed.yaml', `apiVersion: tollgate/v1\nset: keyed\noptions:\n  SystemName: Keyed\n`);
  const keyed = ['apply', '-f', file, '--yes', '--idempotency-key', 'job 7'];
  assert.match((await run(keyed)).stderr, /objects changed: 1/);
  const again = await run(keyed);
  assert.equal([again.code, /nothing to change/.test(again.stderr)], [0, true], again.stderr);
});

state('exports a channel by another name where no document takes its own', async () => {
  await output(['channel', 'create', '--name', '__proto__', '--type', 'openai', '--key', 'sk-1', '--models', 'gpt-4o']);
  const file = join(folder, 'own-name.yaml');
  await output(['export', '--kind', 'channel', '--reveal', '--out', file]);
  assert.match(readFileSync(file, 'utf8'), /^ {2}__proto__-\d+:$/m);
  await output(['apply', '-f', file, '--allow-inline-secrets', '--check']);
  assert.is(await output(['diff', '-f', file, '--allow-inline-secrets', '-q']), '');
});

state(
  'and every other way to give a channel keys refuses those that lack what its other settings leave to them',
  async () => {
    const account = '0123456789abcdef0123456789abcdef';
    const cloudflare = (more: string) =>
      write(
        'cloudflare.yaml',
        `apiVersion: tollgate/v1\nset: accounts\nchannels:\n  flare:\n    type: cloudflare\n    models: [m]\n    groups: [default]\n${more}`,
      );
    const refusedBy = async (words: readonly string[], named: Readonly<Record<string, string>>) => {
      const { code, stderr } = await run(words, named);
      assert.equal([code, /each key written ACCOUNT_ID\|TOKEN/.test(stderr)], [3, true], `${words}: ${stderr}`);
    };
    const apply = ['apply', '-f', join(folder, 'cloudflare.yaml'), '--yes'];
    cloudflare('    keys: [env:KEY]\n');
    await output(apply, { KEY: `${account}|one` });
    const keys = () => output(['channel', 'key', 'list', 'flare', '-q']);
    const before = await keys();
    await refusedBy(apply, { KEY: 'bare' });
    await refusedBy(['channel', 'key', 'add', 'flare', '--key', 'env:KEY'], { KEY: 'bare' });
    await refusedBy(['channel', 'edit', 'flare', '--key', 'env:KEY'], { KEY: 'bare' });
    assert.is(await keys(), before);
    cloudflare(`    keys: [env:KEY]\n    other: ${account}\n`);
    await output(apply, { KEY: 'bare' });
    // The account is taken away from keys that stay.
    cloudflare('    keys: keep\n');
    await refusedBy(apply, {});
    await output(['channel', 'key', 'add', 'flare', '--key', 'env:KEY'], { KEY: 'another' });
  },
);

state.run();
