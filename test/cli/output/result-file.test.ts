import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CliError } from '../../../cli/errors.ts';
import type { Bilingual } from '../../../cli/language.ts';
import { ResultFile } from '../../../cli/output/result-file.ts';
import { openResultFile } from '../../../cli/output/unfinished-files.ts';
import { ReaderGone } from '../../../cli/streams.ts';
import { runProgram } from '../../support/command-line.ts';
import { startWebServer } from '../../support/web-server.ts';

const test = suite('the file of --out');

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-result-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function refusal(work: Promise<unknown>): Promise<CliError> {
  const error: unknown = await work.then(
    () => assert.unreachable('was taken'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CliError)) throw error;
  return error;
}

test('is private, and in its place when it is whole', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'out.csv');
    const file = await ResultFile.open(path, { force: false });
    await file.write('id,name\r\n');
    await file.write('1,x\r\n');
    assert.not.ok(readdirSync(folder).includes('out.csv'));
    file.done();
    await file.close();
    assert.is(readFileSync(path, 'utf8'), 'id,name\r\n1,x\r\n');
    assert.is(statSync(path).mode & 0o777, 0o600);
    assert.equal(readdirSync(folder), ['out.csv']);
  }));

test('is not made of what broke off, and replaces nothing then', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'out.csv');
    writeFileSync(path, 'mine');
    assert.is((await refusal(ResultFile.open(path, { force: false }))).exitCode, 12);
    const file = await ResultFile.open(path, { force: true });
    await file.write('half');
    await file.close();
    assert.is(readFileSync(path, 'utf8'), 'mine');
    assert.equal(readdirSync(folder), ['out.csv']);
  }));

test('goes where a link leads, which stays, and takes one that leads nowhere for a file that is there', () =>
  inFolder(async (folder) => {
    const real = join(folder, 'today.csv');
    const link = join(folder, 'latest.csv');
    const results: string[] = [];
    symlinkSync('today.csv', link);
    for (const text of ['first', 'second']) {
      assert.is((await refusal(ResultFile.open(link, { force: false }))).exitCode, 12);
      const file = await ResultFile.open(link, { force: true });
      await file.write(text);
      file.done();
      await file.close();
      results.push(readFileSync(real, 'utf8'));
    }
    assert.equal(results, ['first', 'second']);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(readdirSync(folder), ['latest.csv', 'today.csv']);
  }));

test('is not kept from its place by what a killed run left behind, which in a container had the same number', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'nightly.tgb');
    writeFileSync(`${path}.${process.pid}.part`, 'half');
    const file = await ResultFile.open(path, { force: false });
    await file.write('whole');
    file.done();
    await file.close();
    assert.is(readFileSync(path, 'utf8'), 'whole');
  }));

test('is opened with a word of what killed runs have left beside it, and of nothing else', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'nightly.tgb');
    const told: string[] = [];
    const teller = { note: (text: string) => void told.push(text), say: ({ zh }: Bilingual) => zh };
    await (await openResultFile(teller, path, { force: false })).close();
    for (const other of ['nightly.tgb', 'nightly.tgb.part', 'nightly.tgb.old.00c0ffee.part', 'x.00c0ffee.part']) {
      writeFileSync(join(folder, other), '');
    }
    await (await openResultFile(teller, path, { force: true })).close();
    assert.equal(told, []);
    for (const id of ['00c0ffee', '1badcafe', '2badcafe', '3badcafe']) writeFileSync(`${path}.${id}.part`, 'half');
    const file = await openResultFile(teller, path, { force: true });
    const named = ['00c0ffee', '1badcafe', '2badcafe'].map((id) => `${path}.${id}.part`).join(', ');
    assert.equal(told, [`发现先前运行未完成的文件，如无命令仍在运行可删除：${named}, …`]);
    await file.close();
    assert.is(readFileSync(`${path}.00c0ffee.part`, 'utf8'), 'half');
  }));

test('is opened with a word of what lies unfinished where a link leads, since that is where it is written', () =>
  inFolder(async (folder) => {
    const link = join(folder, 'latest.csv');
    mkdirSync(join(folder, 'days'));
    const target = join(realpathSync(folder), 'days', 'today.csv');
    symlinkSync(target, link);
    for (const path of [target, link]) writeFileSync(`${path}.00c0ffee.part`, 'half');
    for (const when of ['that is yet to be', 'that is there']) {
      const told: string[] = [];
      const teller = { note: (text: string) => void told.push(text), say: ({ en }: Bilingual) => en };
      const file = await openResultFile(teller, link, { force: true });
      file.done();
      await file.close();
      assert.is(told.length, 1, when);
      assert.ok(told[0]?.endsWith(`: ${target}.00c0ffee.part`), `a target ${when}: ${told}`);
    }
  }));

test('may be a pipe whose reader leaves, which ends as quietly as one on standard output', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    // Who opens both ends waits for nobody.
    const reader = await open(path, 'r+');
    const file = await ResultFile.open(path, { force: true });
    await file.write('read\n');
    await reader.close();
    const thrown: unknown = await file.write('unread\n').catch((error: unknown) => error);
    await file.close();
    assert.instance(thrown, ReaderGone);
    assert.ok(statSync(path).isFIFO());
  }));

test('may be a device, which is written to and never replaced', async () => {
  const file = await ResultFile.open('/dev/null', { force: true });
  await file.write('x');
  file.done();
  await file.close();
  assert.ok(statSync('/dev/null').isCharacterDevice());
});

test('says why it could not be written, as on a full disk', async () => {
  const file = await ResultFile.open('/dev/full', { force: true });
  const error = await refusal(file.write('x'));
  await file.close();
  assert.equal(error.text, { en: 'cannot write /dev/full (ENOSPC)', zh: '无法写入 /dev/full（ENOSPC）' });
});

test('is opened before anything is asked of the server, and says why it cannot be', () =>
  inFolder(async (folder) => {
    const { url, asked, stop } = await startWebServer(() => ({}));
    try {
      const environment = { TOLLGATE_CONFIG_DIR: folder, TOLLGATE_URL: url, TOLLGATE_ACCESS_TOKEN: 'x'.repeat(32) };
      const create = ['token', 'create', '--name', 'a', '--quota', 'unlimited', '--out'];
      for (const [place, code, told] of [
        [join(folder, 'no', 'such', 'folder.json'), 12, /cannot write .*folder\.json \(ENOENT\)/],
        [folder, 12, /cannot write .* \(is a directory\)/],
        ['', 3, /--out needs a file/],
      ] as const) {
        const ended = await runProgram([...create, place, '--force'], { environment });
        assert.is(ended.code, code, ended.stderr);
        assert.match(ended.stderr, told);
      }
      assert.equal(asked, []);
    } finally {
      await stop();
    }
  }));

test.run();
