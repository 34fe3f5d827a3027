import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needProgram } from './engine-programs.ts';
import type { FileReport, PassMessage, PassOrder } from './pass-report.ts';
import { bundleTests } from './test-bundle.ts';
import { planTests } from './test-plan.ts';
import { createWorkspace } from './workspace.ts';

const test = suite('the test runner');

/** Runs one test file with this text in a pass of its own; undefined when the pass died before reporting it. */
async function report(text: string): Promise<FileReport | undefined> {
  const workspace = createWorkspace();
  const file = workspace.path('sample.test.mjs');
  writeFileSync(file, `import { suite } from 'uvu';\nconst t = suite('sample');\n${text}\n`);
  const bundle = await bundleTests([file], []);
  const child = fork(bundle.pass, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  let found: FileReport | undefined;
  const order = (next: PassOrder) => child.send(next);
  child.on('message', ({ report }: PassMessage) => {
    found = report;
    order({});
  });
  order({ file, module: bundle.moduleOf(file) });
  await new Promise((resolve) => child.once('close', resolve));
  bundle.remove();
  workspace.remove();
  return found;
}

test('counts what passed and shows why the others did not', async () => {
  const seen = await report(
    "t('a', () => {}); t('b', () => { console.log('said'); throw new Error('why'); }); t.run();",
  );
  assert.equal([seen?.passed, seen?.failed], [1, 1]);
  assert.match(seen?.problems ?? '', 'why');
  assert.match(seen?.output ?? '', 'said');
});

test('runs every suite of a file once', async () => {
  const others = "const u = suite('another'); u('c', () => {}); u('d', () => {}); u.run();";
  const seen = await report(`t('a', () => new Promise((r) => setTimeout(r, 50))); t.run(); ${others}`);
  assert.equal([seen?.passed, seen?.failed], [3, 0]);
});

const failing: Record<string, string> = {
  'a suite that is not run': "t('a', () => {});",
  'a test that is left out': "t('a', () => {}); t.skip('b', () => {}); t.run();",
  'a test that hides the others': "t('a', () => {}); t.only('b', () => {}); t.run();",
  'a hook that throws': "t.before(() => { throw new Error('x'); }); t('a', () => {}); t.run();",
  'a rejection that nobody handles': "t('a', () => { Promise.reject(new Error('stray')); }); t.run();",
  'an error thrown behind the back of a test':
    "t('a', async () => { setTimeout(() => { throw new Error('late'); }); await new Promise((r) => setTimeout(r, 20)); }); t.run();",
  'a file that cannot be loaded': "throw new Error('broken'); t.run();",
};

for (const [what, text] of Object.entries(failing)) {
  test(`fails ${what}`, async () => {
    const seen = await report(text);
    assert.ok((seen?.failed ?? 0) > 0, what);
    assert.ok(seen?.problems);
  });
}

test('shows what a hook threw, which uvu forgets', async () => {
  const seen = await report("t.before(() => { throw new Error('no server'); }); t('a', () => {}); t.run();");
  assert.match(seen?.problems ?? '', 'no server');
});

test('notices a test that ends the process', async () => {
  assert.is(await report("t('a', () => { process.exit(0); }); t.run();"), undefined);
});

test('repeats files that ask for the database of their pass, and runs all others once', () => {
  const plan = planTests([
    'test/cluster/',
    'test/cli/commands',
    'test/daemon/config/load',
    'relay/taught',
    'acceptance',
  ]);
  assert.ok(plan.perEngine.includes('test/relay/acceptance.test.ts'), 'through test/support/daemon.ts');
  assert.ok(plan.once.includes('test/cluster/counters.test.ts'), 'uses both engines by itself');
  assert.ok(plan.once.includes('test/cli/commands.test.ts'), 'talks to a server, whatever its engine');
  assert.ok(plan.once.includes('test/daemon/config/load.test.ts'));
  assert.ok(plan.once.includes('test/cluster/two-daemons.test.ts'), 'has a daemon, and says that it runs once');
  assert.is(plan.servers, true);
  assert.is(planTests(['test/daemon/config/load']).servers, false);
});

test('says what to type when a server is missing and cannot be installed', () => {
  const asked: string[] = [];
  const need = {
    find: () => undefined,
    pack: 'redis-server',
    instead: 'TEST_REDIS_URL=…',
    install: asked.push.bind(asked),
  };
  assert.throws(() => needProgram(need), /sudo apt-get install redis-server/);
  assert.equal(asked, ['redis-server']);
});

test.run();
