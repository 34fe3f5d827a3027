import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChannelTagService } from '../../../daemon/domain/channel-tags.ts';
import { ChannelWriter } from '../../../daemon/domain/channel-writer.ts';
import { ChannelService, type NewChannelInput } from '../../../daemon/domain/channels.ts';
import { actor, type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';
import { codeOf } from '../../support/refusal-code.ts';

interface Context {
  world: DomainWorld;
  channels: ChannelService;
  hiding: ChannelService;
  tags: ChannelTagService;
  cleared: number[];
}

const channels = suite<Context>('domain/channels');
const admin = actor({ userId: 2, username: 'admin' });
const flat: NewChannelInput = { type: 1, name: 'up', key: 'sk-a', models: 'gpt-4o,gpt-4o-mini', group: 'default' };

channels.before.each(async (context) => {
  const world = await openDomainWorld();
  const writer = new ChannelWriter({
    database: world.database,
    bus: world.bus,
    secrets: world.keyring,
    nowSeconds: world.nowSeconds,
  });
  context.cleared = [];
  const deps = {
    database: world.database,
    writer,
    secrets: world.keyring,
    cooling: { clear: (id: number) => context.cleared.push(id) },
    nowSeconds: world.nowSeconds,
  };
  const acceptsBaseUrl = (url: string) => !url.includes('169.254');
  context.world = world;
  context.channels = new ChannelService({ ...deps, rules: { acceptsBaseUrl, revealKeys: 'shown' } });
  context.hiding = new ChannelService({ ...deps, rules: { acceptsBaseUrl, revealKeys: 'hidden' } });
  context.tags = new ChannelTagService({ database: world.database, writer, cooling: deps.cooling });
});
channels.after.each(({ world }) => world.close());

async function made(service: ChannelService, input: NewChannelInput = flat): Promise<number> {
  const [record] = await service.create(admin, input);
  return record?.id ?? assert.unreachable('nothing was made') ?? 0;
}

const candidates = (world: DomainWorld, model: string, group = 'default') =>
  world.snapshots
    .current()
    .channels.candidates(group, model)
    .map((ability) => ability.channel.record.id);
const abilities = async (world: DomainWorld, id: number) =>
  (await world.database.stores.abilities.list(id)).map(({ group, model, enabled }) => `${group}/${model}/${enabled}`);
const keyStates = async (world: DomainWorld, id: number) =>
  (await world.database.stores.channelKeys.all([id])).map(({ id, position, status }) => ({ id, position, status }));

channels('routes by a new channel before the answer is sent', async ({ world, channels }) => {
  const id = await made(channels);
  assert.equal(candidates(world, 'gpt-4o'), [id]);
  assert.equal(await abilities(world, id), ['default/gpt-4o/true', 'default/gpt-4o-mini/true']);
  assert.is(world.snapshots.current().channels.get(id)?.keys[0]?.secret, 'sk-a');
});

channels('stores keys sealed and ignores figures from the body', async ({ world, channels }) => {
  const forged = { ...flat, used_quota: 5, balance: 9, id: 77, created_time: 1, other_info: 'x' };
  const [record] = await channels.create(admin, forged);
  assert.ok(record && record.id !== 77);
  assert.equal(
    [record?.usedQuota, record?.balance, record?.otherInfo, record?.createdTime],
    [0, 0, '', world.nowSeconds()],
  );
  const [key] = await world.database.stores.channelKeys.all([record?.id ?? 0]);
  assert.ok(key && !key.keySealed.includes('sk-a'));
});

channels('makes one channel per key in batch mode and one with all keys otherwise', async ({ world, channels }) => {
  const key = 'sk-a\nsk-b, sk-a,';
  const batch = await channels.create(admin, { mode: 'batch', channel: { ...flat, key }, groups: ['default', 'vip'] });
  assert.equal(
    batch.map(({ group }) => group),
    ['default,vip', 'default,vip'],
  );
  const single = await made(channels, { mode: 'multi_to_single', channel: { ...flat, key } });
  assert.is(world.snapshots.current().channels.get(single)?.keys.length, 2);
});

channels('names the first thing that is missing', async ({ channels }) => {
  const refused = (over: NewChannelInput) => codeOf(channels.create(admin, { ...flat, ...over }));
  assert.is(await refused({ name: ' ' }), 'channel_name_required');
  assert.is(await refused({ key: ' , ' }), 'channel_key_required');
  assert.is(await refused({ models: ' ,' }), 'channel_models_required');
  assert.is(await refused({ type: 49 }), 'channel_type_unknown');
  assert.is(await refused({ groups: [] }), 'channel_group_required');
  assert.is(await refused({ model_mapping: '{' }), 'channel_json_invalid');
  assert.is(await refused({ type: 41, key: '{}' }), 'channel_region_required');
  assert.is(await refused({ base_url: 'http://169.254.169.254' }), 'channel_base_url_refused');
  const key = Array.from({ length: 10_001 }, (_, at) => `sk-${at}`).join();
  assert.is(await refused({ key }), 'channel_keys_too_many');
  const more = channels.update(admin, await made(channels), { key, key_mode: 'append' });
  assert.is(await codeOf(more), 'channel_keys_too_many');
});

channels('changes only what is present', async ({ world, channels }) => {
  const id = await made(channels, { ...flat, tag: 't', setting: '{"proxy":""}' });
  const before = await world.database.stores.channels.find(id);
  const after = await channels.update(admin, id, { models: 'o3' });
  assert.equal({ ...before, models: 'o3' }, after);
  assert.equal(candidates(world, 'gpt-4o'), []);
  assert.equal(candidates(world, 'o3'), [id]);
  await channels.update(admin, id, { tag: null, setting: '' });
  const cleared = await world.database.stores.channels.find(id);
  assert.equal([cleared?.tag, cleared?.setting, cleared?.models], [null, '', 'o3']);
});

channels(
  'judges only what an edit changes of a row that was stored before a rule was known',
  async ({ world, channels }) => {
    const id = await made(channels, { ...flat, type: 41, key: '{"project_id":"p"}', other: 'us-east5' });
    const broken = {
      other: '{"x":"us"}',
      paramOverride: '{"operations":[{"mode":"no-such"}]}',
      setting: '{"proxy":7}',
    };
    const stored = await world.database.stores.channels.update(id, broken);
    const renamed = await channels.update(admin, id, {
      name: 'renamed',
      param_override: broken.paramOverride,
      setting: broken.setting,
    });
    assert.equal(renamed, { ...stored, name: 'renamed' });
    assert.is(await codeOf(channels.update(admin, id, { setting: '{"proxy":8}' })), 'channel_setting_invalid');
    assert.is(await codeOf(channels.update(admin, id, { other: '{"y":"us"}' })), 'channel_region_default');
    const mended = await channels.update(admin, id, { other: 'us-east5', setting: '', param_override: '{"seed":1}' });
    assert.equal([mended.other, mended.setting, mended.paramOverride], ['us-east5', '', '{"seed":1}']);
  },
);

channels('follows group, prefix, priority, weight and status into the abilities', async ({ world, channels }) => {
  const id = await made(channels, { ...flat, models: 'gpt-4o' });
  await channels.update(admin, id, { groups: ['vip'], model_prefix: 'x/', priority: 5, weight: 7 });
  const [ability] = await world.database.stores.abilities.list(id);
  assert.equal([ability?.group, ability?.model, ability?.priority, ability?.weight], ['vip', 'x/gpt-4o', 5, 7]);
  assert.equal(candidates(world, 'x/gpt-4o', 'vip'), [id]);
  await channels.update(admin, id, { status: 2 });
  assert.equal(candidates(world, 'x/gpt-4o', 'vip'), []);
  assert.equal(await abilities(world, id), ['vip/x/gpt-4o/false']);
});

channels('keeps the state of keys that remain when keys are replaced or appended', async ({ world, channels }) => {
  const id = await made(channels, { ...flat, key: 'a,b,c' });
  const [first, second, third] = await keyStates(world, id);
  if (!first || !second || !third) return assert.unreachable('keys are missing');
  await world.database.stores.channelKeys.setStatus(second.id, { status: 3, reason: 'dead', statusTime: 1 });
  await channels.update(admin, id, { key: 'b,d,a' });
  const replaced = await keyStates(world, id);
  assert.equal(replaced[0], { id: second.id, position: 0, status: 3 });
  assert.equal(replaced[2], { id: first.id, position: 2, status: 1 });
  await channels.update(admin, id, { key: 'd,e', key_mode: 'append' });
  assert.is((await channels.get(admin, id)).key, 'b,d,a,e');
});

channels(
  'gives automatically disabled keys another chance when the channel is enabled by hand',
  async ({ world, channels }) => {
    const id = await made(channels, { ...flat, key: 'a,b' });
    const { stores } = world.database;
    await stores.channelKeys.moveAll(id, { from: 1, to: 3, reason: 'dead', statusTime: 1 });
    await stores.channels.moveStatus(id, { from: 1, to: 3, otherInfo: '{"status_reason":"all keys disabled"}' });
    const enabled = await channels.update(admin, id, { status: 1 });
    assert.equal([enabled.status, enabled.otherInfo], [1, '']);
    assert.equal(
      (await keyStates(world, id)).map(({ status }) => status),
      [1, 1],
    );
  },
);

channels(
  'tells in the audit row of an edit what was and what is, and of secrets only that they changed',
  async (context) => {
    const { world, channels, tags } = context;
    const setting = (proxy: string, secret: string) =>
      JSON.stringify({ proxy, header_override: { 'X-Account': secret }, timeout_idle: 30 });
    const id = await made(channels, { ...flat, setting: setting('http://u:hunter2@proxy:80', 'one'), tag: 'eu' });
    await channels.update(admin, id, { weight: 5, base_url: '', setting: setting('http://u:other@other:80', 'two') });
    await tags.editTag(admin, { tag: 'eu', models: 'gpt-4o' });
    await channels.update(admin, id, { weight: 5 });
    const { items } = await world.database.stores.audits.list({ target: `channel:${id}` }, { offset: 0, limit: 3 });
    const told = items.map(({ detail }) => {
      const { old, new: now }: { old?: string; new?: string } = JSON.parse(detail || '{}');
      return old === undefined || now === undefined ? undefined : [JSON.parse(old), JSON.parse(now)];
    });
    assert.equal(told, [
      undefined,
      [{ models: 'gpt-4o,gpt-4o-mini' }, { models: 'gpt-4o' }],
      [
        { weight: 0, 'setting.proxy': 'http://***@proxy:80', 'setting.header_override': '***' },
        { weight: 5, 'setting.proxy': 'http://***@other:80', 'setting.header_override': '***' },
      ],
    ]);
    assert.not.match(JSON.stringify(items), /hunter2|sk-a/);
  },
);

channels(
  'audits every look at a key and keeps them shut where they are hidden',
  async ({ world, channels, hiding }) => {
    const id = await made(channels);
    assert.is((await channels.get(admin, id)).key, 'sk-a');
    assert.is(await channels.revealKey(admin, id), 'sk-a');
    assert.is((await hiding.get(admin, id)).key, '');
    assert.is(await codeOf(hiding.revealKey(admin, id)), 'channel_key_hidden');
    const looks = await world.database.stores.audits.listBefore({ action: 'channel.key_read' }, { limit: 10 });
    assert.equal(
      looks.map(({ actorId, target }) => [actorId, target]),
      [
        [2, `channel:${id}`],
        [2, `channel:${id}`],
      ],
    );
  },
);

channels('asks for the key again when a hidden one would move to another host', async ({ hiding }) => {
  const id = await made(hiding, { ...flat, base_url: 'https://one.example' });
  assert.is(await codeOf(hiding.update(admin, id, { base_url: 'https://two.example' })), 'channel_key_required');
  assert.is(await codeOf(hiding.update(admin, id, { base_url: 'https://one.example/v1' })), 'accepted');
  assert.is(await codeOf(hiding.update(admin, id, { base_url: 'https://two.example', key: 'sk-new' })), 'accepted');
  const beside = { base_url: 'https://three.example', key: 'sk-own', key_mode: 'append' } as const;
  assert.is(await codeOf(hiding.update(admin, id, beside)), 'channel_key_required', 'the stored one would go along');
  assert.is(await codeOf(hiding.update(admin, id, { type: 43 })), 'accepted', 'its address is its own');
  const standing = await made(hiding, flat);
  assert.is(await codeOf(hiding.update(admin, standing, { type: 43 })), 'channel_key_required');
  assert.is(await codeOf(hiding.update(admin, standing, { type: 1, name: 'renamed' })), 'accepted');
  assert.is(await codeOf(hiding.update(admin, standing, { type: 43, key: 'sk-new' })), 'accepted');
  const setting = '{"proxy":"http://proxy.example:8080"}';
  const plain = await made(hiding, { ...flat, base_url: 'http://one.example' });
  assert.is(await codeOf(hiding.update(admin, plain, { setting })), 'channel_key_required', 'a proxy reads it, too');
  assert.is(await codeOf(hiding.update(admin, plain, { setting, key: 'sk-new' })), 'accepted');
  assert.is(await codeOf(hiding.update(admin, standing, { setting })), 'accepted', 'not what goes by TLS');
});

channels('copies a channel with its keys as a disabled one with fresh figures', async ({ world, channels }) => {
  const id = await made(channels, { ...flat, key: 'a,b', tag: 't' });
  const copy = await channels.copy(admin, id, { suffix: ' 2' });
  assert.equal([copy.name, copy.status, copy.usedQuota, copy.tag], ['up 2', 2, 0, 't']);
  assert.is((await channels.get(admin, copy.id)).key, 'a,b');
  assert.equal(candidates(world, 'gpt-4o'), [id]);
  assert.is(await codeOf(channels.copy(admin, id, { suffix: '\n2' })), 'invalid_input', 'a name no channel may have');
});

channels('names deleted channels in the audit trail, since nothing else does any more', async ({ world, channels }) => {
  const id = await made(channels, { ...flat, name: 'old friend' });
  await channels.delete(admin, id);
  const { items } = await world.database.stores.audits.list({ target: `channel:${id}` }, { offset: 0, limit: 1 });
  assert.equal([items[0]?.action, items[0]?.detail], ['channel.delete', JSON.stringify({ name: 'old friend' })]);
});

channels('leaves nothing behind when channels are deleted', async ({ world, channels }) => {
  const ids = [await made(channels), await made(channels), await made(channels)];
  const [first = 0, second = 0, third = 0] = ids;
  await channels.delete(admin, first);
  await channels.update(admin, second, { status: 2 });
  assert.is(await channels.deleteDisabled(admin), 1);
  assert.is(await channels.deleteBatch(admin, [third, 999]), 1);
  for (const id of ids) {
    assert.equal(await abilities(world, id), []);
    assert.equal(await keyStates(world, id), []);
    assert.is(world.snapshots.current().channels.get(id), undefined);
  }
  assert.is(await codeOf(channels.delete(admin, first)), 'channel_not_found');
  assert.is(await codeOf(channels.deleteBatch(admin, [])), 'channel_ids_required');
});

channels('finds channels by id, name, address, key, model and group', async ({ channels }) => {
  const one = await made(channels, { ...flat, name: 'alpha', base_url: 'https://one.example', key: 'sk-one' });
  const two = await made(channels, { ...flat, name: 'beta_x', group: 'vip', models: 'o3', key: 'sk-two' });
  const find = async (query: { keyword?: string; group?: string; model?: string }) => {
    const base = { keyword: undefined, group: undefined, model: undefined, order: 'id', unit: 'channel' } as const;
    return (await channels.search({ ...base, ...query })).items.map(({ id }) => id);
  };
  assert.equal(await find({ keyword: String(one) }), [one]);
  assert.equal(await find({ keyword: 'lph' }), [one]);
  assert.equal(await find({ keyword: 'one.example' }), [one]);
  assert.equal(await find({ keyword: 'sk-two' }), [two]);
  assert.equal(await find({ keyword: 'sk-t' }), []);
  assert.equal(await find({ keyword: 'beta%' }), []);
  assert.equal(await find({ keyword: 'a_x' }), [two]);
  assert.equal(await find({ group: 'vip' }), [two]);
  assert.equal(await find({ group: 'null', model: 'o3' }), [two]);
});

channels('lists by priority, by id and by tag', async ({ channels }) => {
  const a = await made(channels, { ...flat, priority: 1, tag: 'x' });
  const b = await made(channels, { ...flat, priority: 5, tag: 'y', type: 43 });
  const c = await made(channels, { ...flat, priority: 1 });
  const window = { offset: 0, limit: 10 };
  const byPriority = await channels.list({ filter: {}, order: 'priority', unit: 'channel', window });
  assert.equal(
    byPriority.items.map(({ id }) => id),
    [b, c, a],
  );
  assert.equal(
    [...byPriority.typeCounts].sort(([one], [other]) => one - other),
    [
      [1, 2],
      [43, 1],
    ],
  );
  const tagged = await channels.list({ filter: {}, order: 'id', unit: 'tag', window: { offset: 1, limit: 1 } });
  assert.equal([tagged.total, tagged.items.map(({ id }) => id)], [2, [b]]);
});

channels(
  'edits the channels that carry a tag now, also when it is renamed or dissolved',
  async ({ world, channels, tags }) => {
    const one = await made(channels, { ...flat, tag: 'old' });
    const two = await made(channels, flat);
    assert.is(await tags.editTag(admin, { tag: 'old', new_tag: 'new', priority: 3, models: 'o3', groups: 'vip' }), 1);
    const renamed = await world.database.stores.channels.find(one);
    assert.equal([renamed?.tag, renamed?.priority, renamed?.models, renamed?.group], ['new', 3, 'o3', 'vip']);
    assert.equal(candidates(world, 'o3', 'vip'), [one]);
    assert.is(await tags.editTag(admin, { tag: 'new', new_tag: '' }), 1);
    assert.is((await world.database.stores.channels.find(one))?.tag, null);
    assert.is((await world.database.stores.channels.find(two))?.models, 'gpt-4o,gpt-4o-mini');
    assert.is(await codeOf(tags.editTag(admin, { tag: '' })), 'channel_tag_required');
  },
);

channels('enables, disables and sets tags for many at once', async ({ world, channels, tags }) => {
  const ids = [await made(channels), await made(channels)];
  assert.is(await tags.setTags(admin, ids, 'both'), 2);
  assert.is(await tags.disableTag(admin, 'both'), 2);
  assert.equal(candidates(world, 'gpt-4o'), []);
  assert.is(await tags.enableTag(admin, 'both'), 2);
  assert.equal(candidates(world, 'gpt-4o'), ids);
  assert.is(await tags.setTags(admin, ids, null), 2);
  assert.is(await tags.enableTag(admin, 'both'), 0);
});

channels('ends the pauses of all whose tag is enabled or edited', async ({ world, channels, tags, cleared }) => {
  const ids = [await made(channels, { ...flat, tag: 'both' }), await made(channels, { ...flat, tag: 'both' })];
  const ends = async () => (await world.database.stores.coolingEnds.after(0)).map(({ channelId }) => channelId).sort();
  await tags.disableTag(admin, 'both');
  await tags.setTags(admin, ids, 'both');
  assert.equal([cleared, await ends()], [[], []]);
  await tags.enableTag(admin, 'both');
  assert.equal([cleared.splice(0).sort(), await ends()], [ids, ids]);
  await tags.editTag(admin, { tag: 'both', priority: 3 });
  assert.equal([...cleared].sort(), ids);
});

channels(
  'switches one model off alone, whatever happens to its channel meanwhile',
  async ({ world, channels, tags }) => {
    const id = await made(channels, { ...flat, tag: 'blue', model_prefix: 'p/', setting: '{"proxy":""}' });
    const off = await channels.setModelStatus(admin, id, { model: 'gpt-4o', status: 2 });
    assert.is(off.setting, '{"proxy":"","disabled_models":["gpt-4o"]}');
    const states = async () => [
      candidates(world, 'p/gpt-4o'),
      candidates(world, 'p/gpt-4o-mini'),
      (await abilities(world, id)).map((ability) => ability.split('/').slice(-2).join(' ')),
    ];
    const halfOn = [[], [id], ['gpt-4o false', 'gpt-4o-mini true']];
    assert.equal(await states(), halfOn);
    await tags.disableTag(admin, 'blue');
    assert.equal(await states(), [[], [], ['gpt-4o false', 'gpt-4o-mini false']]);
    await tags.enableTag(admin, 'blue');
    assert.equal(await states(), halfOn);
    await channels.update(admin, id, { status: 2 });
    await channels.update(admin, id, { status: 1, weight: 3 });
    assert.equal(await states(), halfOn);
    await tags.rebuildAbilities(admin);
    assert.equal(await states(), halfOn);
    assert.is(await codeOf(channels.setModelStatus(admin, id, { model: 'other', status: 2 })), 'channel_model_unknown');
    assert.is(
      await codeOf(channels.setModelStatus(admin, id, { model: 'gpt-4o', status: 3 })),
      'channel_status_invalid',
    );
    const on = await channels.setModelStatus(admin, id, { model: 'gpt-4o', status: 1 });
    assert.is(on.setting, '{"proxy":""}');
    assert.equal(await states(), [[id], [id], ['gpt-4o true', 'gpt-4o-mini true']]);
  },
);

channels('rebuilds abilities and drops orphans', async ({ world, channels, tags }) => {
  const id = await made(channels);
  const orphan = { group: 'g', model: 'm', enabled: true, priority: 0, weight: 0, tag: null };
  await world.database.stores.abilities.replace(id, []);
  await world.database.stores.abilities.replace(9999, [orphan]);
  assert.is(await tags.rebuildAbilities(admin), 1);
  assert.equal(await abilities(world, id), ['default/gpt-4o/true', 'default/gpt-4o-mini/true']);
  assert.equal(await abilities(world, 9999), []);
});

channels.run();
