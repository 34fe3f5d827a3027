/**
 * Price versions, lists taken over and rate rules from the command line, against a whole daemon.
 * Runs once: looks only at what the commands say.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, wordsOf } from '../support/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { newLogRow } from '../support/log-records.ts';

const work = suite('price work on the command line');

let daemon: TestDaemon;
let folder: string;
let list: string;

work.before(async () => {
  daemon = await startTestDaemon();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-prices-'));
  list = join(folder, 'prices.json');
  const openai = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 5e-6, output_cost_per_token: 2e-5 };
  writeFileSync(list, JSON.stringify({ 'gpt-4o': openai, 'brand-new': openai }));
});
work.after(async () => {
  await daemon?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(words: string) {
  const environment = {
    TOLLGATE_CONFIG_DIR: folder,
    TOLLGATE_URL: daemon.url,
    TOLLGATE_ACCESS_TOKEN: daemon.accessToken,
  };
  return runProgram(wordsOf(words), { environment });
}

async function output(words: string, code = 0): Promise<string> {
  const ended = await run(words);
  assert.is(ended.code, code, ended.stderr);
  return ended.stdout;
}

work('shows what a list would change, refuses what rises too far, applies the rest and goes back', async () => {
  const changed =
    'brand-new\tmodel_ratio\t\t2.5\t\nbrand-new\tcompletion_ratio\t\t4\t\ngpt-4o\tmodel_ratio\t1.25\t2.5\t+100.0\n';
  assert.is(await output(`price sync ${list} --dry-run`, 2), changed);
  assert.is(await output('price history'), '', 'a dry run changes nothing');
  const refused = await run(`price sync ${list} --max-rise 20%`);
  assert.equal([refused.code, refused.stdout], [7, '']);
  assert.match(refused.stderr, /gpt-4o/);
  assert.is(
    await output(`price sync ${list} --only 'gpt-*' --note spring`),
    'gpt-4o\tmodel_ratio\t1.25\t2.5\t+100.0\n',
  );
  assert.is(await output('price history --columns version,by,cause,models,note'), '1\troot\tsync\tgpt-4o\tspring\n');
  assert.is(await output(`price sync ${list} --no-new`), '');
  await output('price set house --ratio 1');
  assert.is(await output('price diff 0'), 'gpt-4o\tModelRatio\t1.25\t2.5\nhouse\tModelRatio\t\t1\n');
  await output('price rollback 1 --yes');
  assert.is(await output('price diff 1'), '');
  assert.is((await run('price rollback 99 --yes')).code, 6);
  writeFileSync(list, JSON.stringify({ model_ratio: { house: '2', 'gpt-4o': 2.5 } }));
  const partly = await run(`price sync ${list}`);
  assert.equal([partly.code, partly.stdout], [0, '']);
  assert.match(partly.stderr, /1 model with a figure that is no price, which was passed over: house/);
  writeFileSync(list, '[]');
  assert.is((await run(`price sync ${list}`)).code, 3);
});

work('says what past traffic would have cost, and books the difference when its rows are counted', async () => {
  const { database, nowSeconds } = daemon.daemon.foundation;
  const used = { userId: 1, username: 'root', group: 'default', modelName: 'gpt-4o', promptTokens: 1000 };
  const row = (requestId: string, over: object) =>
    newLogRow({ ...used, createdAt: nowSeconds() - 60, requestId, ...over });
  const other = JSON.stringify({ group_ratio: 1, model_price: -1, price_version: 0 });
  await database.stores.logs.insert([row('r1', { quota: 1250, other }), row('r2', { quota: 7, other })]);
  const at = await run('price rerate --at 1 --by model --since 1h');
  assert.equal([at.code, at.stdout], [0, 'gpt-4o\t1\t1250\t2500\t+100.0\n'], at.stderr);
  assert.match(at.stderr, /1 row of \$0.000014 is left as it is, the prices of that time do not explain .*r2/);
  const draft = join(folder, 'draft.yaml');
  writeFileSync(draft, 'gpt-4o:\n  input: 1\n  output: 4\n');
  const drafted = JSON.parse(await output(`price rerate --draft ${draft} --since 1h --json`));
  assert.equal(drafted, [{ key: 'root', requests: 1, charged: 1250, would_be: 500 }]);
  const misspelt = join(folder, 'misspelt.yaml');
  writeFileSync(misspelt, 'gpt-4o:\n  inputs: 1\n');
  for (const words of [
    `--draft ${misspelt}`,
    '',
    '--at 1 --draft x',
    '--at soon',
    '--at 1 --by hour',
    `--draft ${draft} --book`,
  ]) {
    assert.is((await run(`price rerate ${words}`)).code, 3, words);
  }
  assert.is((await run('price rerate --at 1 --since 1h --book --yes')).code, 3, 'the rows are to be counted');
  const booked = await run('price rerate --at 1 --since 1h --book --confirm 1');
  assert.is(booked.code, 0, booked.stderr);
  assert.match(booked.stderr, /1 row is charged by the other prices now/);
  assert.match(await output('price rerate --at 1 --since 1h'), /\t2500\t2500\t0\.0\n$/);
  assert.is((await run('price rerate --at 99')).code, 6);
});

work('sets, lists and removes rate rules, by the names of those they are for', async () => {
  assert.match(await output("rate-rule set --who user:root --model 'gpt-*' --ratio 0.8"), /user:root/);
  await output("rate-rule set --who group:vip --model '*' --ratio 0.5");
  assert.is(
    await output('rate-rule list --columns who,model,ratio,by'),
    'group:vip\t*\t0.5\troot\nuser:root\tgpt-*\t0.8\troot\n',
  );
  assert.is(await output('rate-rule list --who user:root --columns model'), 'gpt-*\n');
  await output("rate-rule delete --who user:root --model 'gpt-*' --yes");
  assert.is((await run("rate-rule delete --who user:root --model 'gpt-*' --yes")).code, 6);
  assert.is((await run("rate-rule set --who user:nobody --model '*' --ratio 1")).code, 6);
  assert.is((await run("rate-rule set --who alice --model '*' --ratio 1")).code, 3);
});

work.run();
