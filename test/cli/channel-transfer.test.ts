/** Channels as files: exported, imported, and what is said where one of both fails. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';

const channels = suite('channels in files');

let daemon: TestDaemon;
let folder: string;

channels.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-channel-files-'));
  daemon = await startTestDaemon({ config: { 'jobs.polling_interval_seconds': 0, 'limits.download.enabled': false } });
});
channels.before.each(async () => {
  const { items } = await daemon.root.channels.list({ page_size: 100 });
  if (items.length > 0) await daemon.root.channels.deleteBatch({ ids: items.map(({ id }) => id) });
});
channels.after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(words: string, input = ''): Promise<Ended> {
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  return runProgram(wordsOf(words), { environment, input });
}

/** The output of a command that succeeds. */
async function output(words: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await run(words, input);
  assert.is(code, 0, `${words}: ${stdout}${stderr}`);
  return stdout;
}

/** The exit code of a command with what it said. */
async function ending(words: string, input = ''): Promise<[number | null, string]> {
  const { code, stdout, stderr } = await run(words, input);
  return [code, stdout + stderr];
}

channels('of which only a part arrives are no export, and no bug', async () => {
  const cutting = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-disposition': 'attachment' });
    response.write('[{"name":"one",', () => setTimeout(() => response.destroy(), 20));
  });
  await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
  const address = cutting.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const file = join(folder, 'cut.yaml');
  const ended = await run(`channel export --url http://127.0.0.1:${port} --out ${file} --json`);
  cutting.close();
  assert.equal([ended.code, ended.stdout, existsSync(file)], [10, '', false], ended.stderr);
  assert.is(JSON.parse(ended.stderr).error.code, 'network_error');
});

channels('that no file holds are told with where the form of one is shown', async () => {
  for (const [text, words] of [
    ['7', 'holds no list of channels'],
    ['{"a": [', 'is no YAML or JSON'],
  ] as const) {
    const [code, said] = await ending('channel import -', text);
    assert.is(code, 12);
    assert.match(said, new RegExp(`${words}[\\s\\S]*try: tollgate channel export`));
  }
});

for (const format of ['yaml', 'csv', 'ndjson']) {
  channels(`leave and come back as ${format}`, async () => {
    await daemon.addChannel({
      base_url: 'http://127.0.0.1:9',
      models: 'gpt-4o',
      name: 'out',
      key: 'sk-canary-out',
      param_override: '{"temperature":0}',
      weight: 3,
    });
    const file = join(folder, `channels.${format}`);
    assert.not.match(await output(`channel export -o ${format}`), 'canary');
    assert.match(await output(`channel export - -o ${format}`, 'out\n'), 'out');
    assert.is(await output(`channel export - -o ${format}`, ''), '');
    assert.not.match(await output(`channel export -o ${format} --status auto`), 'temperature', 'enabled');
    await output(`channel export --reveal --out ${file}`);
    assert.match(readFileSync(file, 'utf8'), 'sk-canary-out');
    assert.is(statSync(file).mode & 0o777, 0o600);
    const [clash, told] = await ending(`channel import ${file}`);
    assert.is(clash, 3);
    assert.match(told, 'channel_import_clash');
    assert.match(told, /error: 1 row cannot be imported.*\n(?:.*\n)* {2}try: --on-clash skip, update or create/);
    const quiet = await run(`channel import ${file} -q`);
    assert.equal([quiet.code, quiet.stdout], [3, ''], 'no row is taken for the id of a channel');
    assert.match(quiet.stderr, 'channel_import_invalid');
    const same = await output(`channel import ${file} --on-clash update --columns name,action`);
    assert.is(same, 'out\tunchanged\n');
    await output('channel delete out --yes');
    const preview = await output(`channel import ${file} --dry-run --columns name,action`);
    assert.equal([preview, await output('channel list -q')], ['out\tcreate\n', '']);
    await output(`channel import ${file}`);
    assert.is(await output('channel get out --jq [.weight,.param_override]|@json'), '[3,{"temperature":0}]\n');
    assert.is(await output('channel key reveal out --reveal'), 'sk-canary-out\n');
  });
}

channels.run();
