import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const transfer = suite<{ daemon: TestDaemon }>('http/routes/management (channels as files)');

transfer.before.each(async (context) => {
  context.daemon = await startTestDaemon();
});
transfer.after.each(({ daemon }) => daemon.stop());

const mapping = '{"gpt-4o": "gpt-4o-2024-08-06"}';
const full = {
  name: 'full, with "quotes"',
  type: 43,
  key: 'sk-one-of-the-full,sk-two-of-the-full',
  models: 'deepseek-chat,deepseek-reasoner',
  group: 'default,vip',
  base_url: 'https://api.example.org',
  priority: -5,
  weight: 7,
  tag: '=SUM(A1)',
  model_prefix: 'p/',
  model_mapping: mapping,
  status_code_mapping: '{\n  "429": "503"\n}',
  param_override: '{"temperature":0.5}',
  setting: '{"proxy":""}',
  test_model: 'deepseek-chat',
  max_input_tokens: 1000,
  auto_ban: 0,
};
const row = { name: 'plain', type: 'openai', key: 'sk-plain', models: 'gpt-4o' };

async function textOf(answer: Promise<Response>): Promise<string> {
  return (await answer).text();
}

async function withoutFigures({ root }: TestDaemon): Promise<Record<string, unknown>[]> {
  const { items } = await root.channels.list({ id_sort: true, page_size: 100 });
  // CSV knows no null; for clients both mean that there is none.
  return items.map(({ id: _id, created_time: _created, test_model, openai_organization, ...rest }) => ({
    ...rest,
    test_model: test_model ?? '',
    openai_organization: openai_organization ?? '',
  }));
}

async function filled(daemon: TestDaemon): Promise<number> {
  const { root } = daemon;
  await daemon.addChannel({ base_url: '', models: 'gpt-4o', name: 'plain' });
  const created = await root.channels.create(full);
  const id = 'items' in created ? 0 : created.id;
  const [first] = await root.channels.keys({ id });
  await root.channels.setKey({ id, key_hash: first?.key_hash ?? '', status: 2, cap: 30 });
  return id;
}

for (const format of ['json', 'csv'] as const) {
  transfer(`come back from ${format} as they were, keys included`, async ({ daemon }) => {
    const { root } = daemon;
    await filled(daemon);
    const before = await withoutFigures(daemon);
    const text = await textOf(root.channels.export({ format, keys: true }));
    const ids = (await root.channels.list({ page_size: 100 })).items.map(({ id }) => id);
    await root.channels.deleteBatch({ ids });
    const channels = format === 'json' ? { channels: JSON.parse(text) } : { csv: text };
    const answer = await root.channels.import(channels);
    assert.equal([answer.success, answer.created, answer.problems], [true, 2, []], JSON.stringify(answer.problems));
    // CSV has no room for the state of each key: all are in use again.
    const kept = format === 'json' ? before : before.map((row) => ({ ...row, keys_enabled: row.keys_total }));
    assert.equal(await withoutFigures(daemon), kept);
    const made = answer.rows.find(({ name }) => name === full.name)?.id ?? 0;
    assert.is((await root.channels.revealKey({ id: made })).key, full.key);
    const keys = await root.channels.keys({ id: made });
    const state = format === 'json' ? [2, 30] : [1, 0];
    assert.equal([keys[0]?.status, keys[0]?.cap, keys[1]?.status], [...state, 1]);
    const routed = await root.channels.explain({ model: 'p/deepseek-chat', group: 'vip' });
    assert.is(routed.candidates[0]?.channel_id, made, 'abilities are there');
    const again = await root.channels.import({ ...channels, on_clash: 'update' });
    assert.equal([again.unchanged, again.updated], [2, 0], JSON.stringify(again.rows));
  });
}

transfer('leaves keys out unless they are asked for, and audits whoever asks', async ({ daemon }) => {
  const { root } = daemon;
  const id = await filled(daemon);
  for (const format of ['json', 'ndjson', 'csv'] as const) {
    assert.not.match(await textOf(root.channels.export({ format })), 'sk-');
  }
  const { audits } = daemon.daemon.foundation.database.stores;
  const rows = async () => (await audits.list({ action: 'channel.export_keys' }, { offset: 0, limit: 5 })).items;
  assert.equal(await rows(), []);
  const text = await textOf(root.channels.export({ keys: true, format: 'ndjson', ids: String(id) }));
  assert.equal(text.match(/sk-\w+-of-the-full/g), ['sk-one-of-the-full', 'sk-two-of-the-full']);
  assert.equal(
    (await rows()).map(({ detail }) => JSON.parse(detail)),
    [{ channels: [id] }],
  );
  assert.match(await textOf(root.channels.export({ format: 'csv' })), `'=SUM(A1)`);
  assert.is(JSON.parse(await textOf(root.channels.export({ tag: 'nobody has it' }))).length, 0);
  await assertRefused(root.channels.export({ ids: 'x' }), 'invalid_params');
});

transfer('says in a dry run what would happen, and does nothing', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url: '', models: 'gpt-4o', name: 'plain', weight: 1 });
  const before = await withoutFigures(daemon);
  const channels = [
    { ...row, weight: 9, keys: [{ key: 'sk-upstream-key', cap: 5 }, 'sk-another'] },
    { ...row, name: 'new' },
  ];
  const wish = { channels, on_clash: 'update', dry_run: true } as const;
  const answer = await root.channels.import(wish);
  assert.equal([answer.success, answer.dry_run, answer.created, answer.updated], [true, true, 1, 1]);
  assert.equal(answer.rows, [
    {
      row: 1,
      name: 'plain',
      action: 'update',
      id,
      changes: [
        { field: 'weight', from: '1', to: '9' },
        { field: 'keys', from: '1', to: '2' },
        { field: 'key_states', from: '', to: '1' },
      ],
    },
    { row: 2, name: 'new', action: 'create', id: null, changes: [] },
  ]);
  assert.equal(await withoutFigures(daemon), before);
  const written = await root.channels.import({ ...wish, dry_run: false });
  assert.equal([written.created, written.updated], [1, 1]);
  const keys = await root.channels.keys({ id });
  assert.equal(
    keys.map(({ cap, status }) => [cap, status]),
    [
      [5, 1],
      [0, 1],
    ],
  );
});

transfer('names every row and member at fault, and then writes nothing', async ({ daemon }) => {
  const { root } = daemon;
  await daemon.addChannel({ base_url: '', models: 'm', name: 'taken' });
  const channels = [
    row,
    { ...row, name: '' },
    { ...row, name: 'typeless', type: 'no-such' },
    { ...row, name: 'keyless', key: '' },
    { ...row, name: 'bad json', setting: '{' },
    { ...row, name: 'bad weight', weight: -1 },
    { ...row, name: 'bad key', keys: [{ key: 'k', cap: -3 }] },
    { ...row, name: 'inside', base_url: 'http://169.254.169.254' },
    { ...row, name: 'typo', modles: 'x' },
    { ...row, name: 'taken' },
    { ...row, name: 'plain' },
    { ...row, name: 'bad header', setting: { header_override: { 'x a': 'b' } } },
  ];
  const expected = [
    [2, 'name', 'channel_name_required'],
    [3, 'type', 'channel_type_unknown'],
    [4, 'key', 'channel_key_required'],
    [5, 'setting', 'channel_json_invalid'],
    [6, 'weight', 'channel_weight_invalid'],
    [7, 'keys.0.cap', 'channel_key_cap_invalid'],
    [8, 'base_url', 'channel_base_url_refused'],
    [9, 'modles', 'channel_import_member'],
    [10, 'name', 'channel_import_clash'],
    [11, 'name', 'channel_import_twice'],
    [12, 'setting.header_override.x a', 'channel_setting_invalid'],
  ];
  for (const dry_run of [true, false]) {
    const answer = await root.channels.import({ channels, dry_run });
    assert.equal([answer.success, answer.code, answer.field], [false, 'channel_import_invalid', 'channels.1.name']);
    assert.match(answer.message, '11 行');
    assert.equal(
      answer.problems.map((problem) => [problem.row, problem.field, problem.code]),
      expected,
    );
  }
  assert.is((await root.channels.list({})).total, 1);
  const schema = root.channels.import({ channels: [row, { ...row, name: 'x', weight: true } as never] });
  await assertRefused(schema, 'invalid_params');
  await assertRefused(root.channels.import({}), 'channel_import_empty');
  await assertRefused(root.channels.import({ csv: 'a,"b\n1' }), 'channel_import_csv');
});

transfer('goes by the rule for names that are taken', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url: '', models: 'gpt-4o', name: 'plain' });
  const skipped = await root.channels.import({ channels: [row, { ...row, name: 'new' }], on_clash: 'skip' });
  assert.equal([skipped.skipped, skipped.created], [1, 1]);
  const doubled = await root.channels.import({ channels: [row, row], on_clash: 'create' });
  assert.is(doubled.created, 2);
  const ambiguous = await root.channels.import({ channels: [row], on_clash: 'update' });
  assert.is(ambiguous.problems[0]?.code, 'channel_import_ambiguous');
  await root.channels.deleteBatch({ ids: doubled.rows.flatMap((made) => (made.id === null ? [] : [made.id])) });
  const cleared = await root.channels.import({ csv: 'name,tag,models,status\nplain,"",gpt-4,3\n', on_clash: 'update' });
  assert.equal([cleared.updated, cleared.rows[0]?.id], [1, id], JSON.stringify(cleared));
  const { models, status } = await root.channels.get({ id });
  assert.equal([models, status], ['gpt-4', 3]);
  const exported = async (filter: Parameters<typeof root.channels.export>[0]) =>
    JSON.parse(await textOf(root.channels.export(filter))).map(({ name }: { name: string }) => name);
  assert.equal(await exported({ status: 'auto' }), ['plain'], 'what the daemon disabled');
  assert.equal(await exported({ status: 'enabled' }), ['new']);
});

transfer('bring a channel back into routing with the keys that were disabled automatically', async ({ daemon }) => {
  const { root } = daemon;
  const off = (key: string) => ({ key, status: 3 });
  await root.channels.import({
    channels: [{ ...row, key: undefined, keys: [off('sk-one'), off('sk-two')], status: 3 }],
  });
  const [{ id = 0 } = {}] = (await root.channels.list({})).items;
  const states = async () => (await root.channels.keys({ id })).map(({ status }) => status);
  assert.equal(await states(), [3, 3]);
  await root.channels.import({ csv: 'name,status\nplain,1\n', on_clash: 'update' });
  assert.equal([(await root.channels.get({ id })).status, await states()], [1, [1, 1]]);
  await root.channels.import({ csv: 'name,status\nplain,2\n', on_clash: 'update' });
  const wanted = [{ ...row, key: undefined, keys: [off('sk-one'), { key: 'sk-two', status: 1 }], status: 1 }];
  await root.channels.import({ channels: wanted, on_clash: 'update' });
  assert.equal(await states(), [3, 1], 'a state that the file names is the one it gets');
});

transfer(
  'an account that is taken out of a channel must stand in each stored key, by hand and by file',
  async ({ daemon }) => {
    const { channels } = daemon.root;
    const fields = { type: 39, base_url: '', models: 'm', other: 'account' };
    const id = await daemon.addChannel({ ...fields, name: 'apart', key: 'token' });
    const away = { channels: [{ name: 'apart', other: '' }], on_clash: 'update' as const };
    const refused = 'channel_rule_invalid';
    await assertRefused(channels.update({ id, other: '' }), refused);
    await assertRefused(channels.update({ id, other: '', key: 'mine|token', key_mode: 'append' }), refused);
    const { problems } = await channels.import(away);
    assert.equal(
      problems.map(({ field }) => field),
      ['other'],
    );
    assert.is((await channels.get({ id })).other, 'account');
    await channels.update({ id, other: '', key: 'mine|token' });
    await channels.update({ id, other: 'account' });
    await channels.import(away);
    assert.is((await channels.get({ id })).other, '');
  },
);

transfer.run();
