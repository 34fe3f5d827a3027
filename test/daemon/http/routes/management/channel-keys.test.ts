import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../../../../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../../../../support/fake-upstream.ts';
import { assertRefused } from '../../../../support/refusals.ts';

const keys = suite<{ daemon: TestDaemon }>('http/routes/management (keys of a channel)');

keys.before(async (context) => {
  context.daemon = await startTestDaemon();
});
keys.after(({ daemon }) => daemon.stop());

const base_url = 'http://127.0.0.1:9';
const twoKeys = 'sk-key-number-one,sk-key-number-two';

async function hashesOf({ root }: TestDaemon, id: number): Promise<string[]> {
  return (await root.channels.keys({ id })).map(({ key_hash }) => key_hash);
}

keys('are listed in their order, with a tail and never whole', async ({ daemon }) => {
  const key = 'sk-first-key-of-all-AAAA\nsk-second-key-of-all-BBBB\nshort';
  const id = await daemon.addChannel({ base_url, models: 'm', key });
  const rows = await daemon.root.channels.keys({ id });
  assert.equal(
    rows.map(({ position, tail, status, reason, last_used, cool_until, cap }) => [
      ...[position, tail, status, reason],
      ...[last_used, cool_until, cap],
    ]),
    [
      [0, 'AAAA', 1, '', 0, 0, 0],
      [1, 'BBBB', 1, '', 0, 0, 0],
      [2, '', 1, '', 0, 0, 0],
    ],
  );
  assert.not.match(JSON.stringify(rows), 'sk-');
  await assertRefused(daemon.root.channels.keys({ id: 9999 }), 'channel_not_found');
});

keys('are listed without opening those again that calls are made with', async ({ daemon }) => {
  const key = Array.from({ length: 20 }, (_, at) => `sk-key-of-many-${at + 1000}`).join(',');
  const id = await daemon.addChannel({ base_url, models: 'm', key });
  const { keyring } = daemon.daemon.foundation;
  const { open } = keyring;
  let opened = 0;
  keyring.open = (...asked) => {
    opened += 1;
    return open(...asked);
  };
  try {
    const tails = (await daemon.root.channels.keys({ id })).map(({ tail }) => tail);
    assert.equal([tails.length, tails[0], tails.at(-1), opened], [20, '1000', '1019', 0]);
    // A new one is opened once, to make calls with it.
    const { keys: rows } = await daemon.root.channels.addKeys({ id, key: 'sk-key-of-many-1020' });
    assert.is(rows.at(-1)?.tail, '1020');
    assert.ok(opened <= 21, `${opened} opened`);
  } finally {
    keyring.open = open;
  }
});

keys('are added behind those there are, and known ones keep their state', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url, models: 'm', key: 'sk-known-key-of-this-one' });
  const [key_hash = ''] = await hashesOf(daemon, id);
  await root.channels.setKey({ id, key_hash, status: 2 });
  const answer = await root.channels.addKeys({ id, key: 'sk-new-key-one\nsk-known-key-of-this-one, sk-new-key-two' });
  assert.equal([answer.added, answer.known], [2, 1]);
  assert.equal(
    answer.keys.map(({ position, status }) => [position, status]),
    [
      [0, 2],
      [1, 1],
      [2, 1],
    ],
  );
  await assertRefused(root.channels.addKeys({ id, key: ' , ' }), 'channel_key_required');
});

keys('are taken out of use and into it again one by one, and routing follows at once', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url, models: 'by-key', key: twoKeys });
  await root.options.set({ key: 'SelfUseModeEnabled', value: 'true' });
  const usable = async () => (await root.channels.explain({ model: 'by-key' })).candidates[0]?.usable_keys;
  const [first = '', second = ''] = await hashesOf(daemon, id);
  assert.is(await usable(), 2);
  const off = await root.channels.setKey({ id, key_hash: first, status: 2 });
  assert.equal([off.status, await usable()], [2, 1]);
  await root.channels.setKey({ id, key_hash: second, status: 2 });
  const { candidates, excluded } = await root.channels.explain({ model: 'by-key' });
  assert.equal([candidates, excluded[0]?.reason], [[], 'no-usable-key']);
  const on = await root.channels.setKey({ id, key_hash: first, status: 1 });
  assert.equal([on.status, on.reason, await usable()], [1, '', 1]);
  await assertRefused(root.channels.setKey({ id, key_hash: first, status: 3 }), 'channel_status_invalid');
});

keys('are counted in the row of their channel, those in use and all', async ({ daemon }) => {
  const { root } = daemon;
  const made = await root.channels.create({ name: 'counted', type: 1, base_url, models: 'm', key: 'one' });
  const id = Number(Reflect.get(made, 'id'));
  assert.equal([Reflect.get(made, 'keys_enabled'), Reflect.get(made, 'keys_total')], [1, 1]);
  await root.channels.addKeys({ id, key: twoKeys });
  const [key_hash = ''] = await hashesOf(daemon, id);
  await root.channels.setKey({ id, key_hash, status: 2 });
  const counts = ({ keys_enabled, keys_total }: { keys_enabled: number; keys_total: number }) => [
    keys_enabled,
    keys_total,
  ];
  const { items } = await root.channels.list({ ids: String(id) });
  assert.equal([counts(await root.channels.get({ id })), items.map(counts)], [[2, 3], [[2, 3]]]);
});

keys('are removed one by one or together, all but the last, with an audit row each', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url, models: 'm', key: `${twoKeys},sk-key-three,sk-key-four` });
  const other = await daemon.addChannel({ base_url, models: 'm', key: 'sk-key-of-another' });
  const [first = '', second = '', third = '', fourth = ''] = await hashesOf(daemon, id);
  const [foreign = ''] = await hashesOf(daemon, other);
  await root.channels.removeKey({ id, key_hash: first });
  const mixed = root.channels.removeKeys({ id, key_hashes: [second, foreign] });
  await assertRefused(mixed, 'channel_key_not_found');
  assert.equal(await hashesOf(daemon, id), [second, third, fourth], 'all or none');
  const all = root.channels.removeKeys({ id, key_hashes: [second, third, fourth] });
  await assertRefused(all, 'channel_key_last');
  assert.is(await root.channels.removeKeys({ id, key_hashes: [second, third, third] }), 2);
  assert.equal(await hashesOf(daemon, id), [fourth]);
  assert.is((await root.channels.keys({ id }))[0]?.position, 0, 'places have no gaps');
  await assertRefused(root.channels.removeKey({ id, key_hash: fourth }), 'channel_key_last');
  await assertRefused(root.channels.removeKeys({ id, key_hashes: [] }), 'channel_key_required');
  const { audits } = daemon.daemon.foundation.database.stores;
  const { items } = await audits.list({ action: 'channel.key_remove' }, { offset: 0, limit: 5 });
  assert.equal(
    items.map(({ target, detail }) => [target, JSON.parse(detail)]),
    [third, second, first].map((key) => [`channel:${id}`, { key }]),
  );
});

keys('are removed by the thousand, and those between them keep their order', async ({ daemon }) => {
  const { root } = daemon;
  const key = Array.from({ length: 1001 }, (_, index) => `sk-one-of-many-${index}`).join('\n');
  const id = await daemon.addChannel({ base_url, models: 'm', key });
  const before = await hashesOf(daemon, id);
  const [odd = [], even = []] = [1, 0].map((rest) => before.filter((_, index) => index % 2 === rest));
  assert.is(await root.channels.removeKeys({ id, key_hashes: odd }), 500);
  const left = await root.channels.keys({ id });
  assert.equal(
    left.map(({ key_hash, position }) => [key_hash, position]),
    even.map((hash, position) => [hash, position]),
  );
  const { audits } = daemon.daemon.foundation.database.stores;
  assert.is(
    (await audits.list({ target: `channel:${id}`, action: 'channel.key_remove' }, { offset: 0, limit: 1 })).total,
    500,
  );
});

keys('are shown alone or together to whoever may see them, and each look is audited', async ({ daemon }) => {
  const { root } = daemon;
  const id = await daemon.addChannel({ base_url, models: 'm', key: twoKeys });
  const [, second = ''] = await hashesOf(daemon, id);
  assert.equal(await root.channels.revealKey({ id }), { key: twoKeys });
  assert.equal(await root.channels.revealKey({ id, key_hash: second }), { key: 'sk-key-number-two' });
  const unknown = root.channels.revealKey({ id, key_hash: '0'.repeat(16) });
  await assertRefused(unknown, 'channel_key_not_found');
  const { audits } = daemon.daemon.foundation.database.stores;
  const found = await audits.list({ action: 'channel.key_read', target: `channel:${id}` }, { offset: 0, limit: 5 });
  assert.equal(
    found.items.map(({ detail }) => JSON.parse(detail)),
    [{ key: second }, {}],
  );
});

keys('are tested one at a time, each with its own secret', async ({ daemon }) => {
  const { root } = daemon;
  const message = { role: 'assistant', content: 'hi' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const upstream = await startFakeUpstream(
    jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message }], usage }),
  );
  try {
    const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o', key: twoKeys });
    const [, second = ''] = await hashesOf(daemon, id);
    const result = await root.channels.testKey({ id, key_hash: second });
    assert.is(result.success, true);
    assert.equal(
      upstream.requests.map(({ headers }) => headers.authorization),
      ['Bearer sk-key-number-two'],
    );
    await assertRefused(root.channels.testKey({ id, key_hash: '0'.repeat(16) }), 'channel_key_not_found');
  } finally {
    await upstream.close();
  }
});

keys('cool on their own, which their row tells until somebody ends it', async ({ daemon }) => {
  const { root } = daemon;
  const upstream = await startFakeUpstream(
    jsonAnswer({ error: { message: 'slow down', type: 'rate_limit', code: null } }, 429, { 'retry-after': '120' }),
  );
  try {
    const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4.1', key: twoKeys });
    const call = async () => {
      const headers = { authorization: `Bearer ${await daemon.addKey()}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }] });
      return (await fetch(`${daemon.url}/v1/chat/completions`, { method: 'POST', headers, body })).status;
    };
    const cooling = async () =>
      (await root.channels.list({ page_size: 100 })).items.find((row) => row.id === id)?.cooling;
    assert.is(await call(), 429);
    const before = await root.channels.keys({ id });
    const now = Math.floor(Date.now() / 1000);
    const left = before.map(({ cool_until }) => (cool_until === 0 ? 0 : cool_until - now)).sort((a, b) => a - b);
    assert.is(await call(), 429);
    assert.ok((left.at(-1) ?? 0) > 100 && (left.at(-1) ?? 0) <= 121, JSON.stringify(left));
    assert.ok(((await cooling()) ?? 0) > 100, 'both keys cool, so the channel does');
    await root.channels.clearCooling({ id });
    assert.is(await cooling(), 0);
    assert.equal(
      (await root.channels.keys({ id })).map(({ cool_until }) => cool_until),
      [0, 0],
    );
    await assertRefused(root.channels.clearCooling({ id: 9999 }), 'channel_not_found');
  } finally {
    await upstream.close();
  }
});

keys('serve no more calls a minute than their cap, and the rest goes elsewhere or waits', async ({ daemon }) => {
  const { root } = daemon;
  const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const upstream = await startFakeUpstream(
    jsonAnswer({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage }),
  );
  try {
    const id = await daemon.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini', key: twoKeys });
    const [first = '', second = ''] = await hashesOf(daemon, id);
    assert.is((await root.channels.setKey({ id, key_hash: first, cap: 2 })).cap, 2);
    await root.channels.setKey({ id, key_hash: second, cap: 3 });
    const authorization = `Bearer ${await daemon.addKey()}`;
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] });
    const answers: Response[] = [];
    for (let call = 0; call < 7; call += 1) {
      const headers = { authorization, 'content-type': 'application/json' };
      answers.push(await fetch(`${daemon.url}/v1/chat/completions`, { method: 'POST', headers, body }));
    }
    assert.equal(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 429, 429],
    );
    const retryAfter = Number(answers[6]?.headers.get('retry-after'));
    assert.ok(retryAfter > 30 && retryAfter <= 61, String(retryAfter));
    assert.match((await answers[6]?.text()) ?? '', 'all_channels_cooling');
    // Not even a call that may go nowhere else passes the cap.
    const pinned = { authorization: `${authorization}-${id}`, 'content-type': 'application/json' };
    const { status } = await fetch(`${daemon.url}/v1/chat/completions`, { method: 'POST', headers: pinned, body });
    assert.is(status, 429);
    const used = upstream.requests.map(({ headers }) => String(headers.authorization));
    assert.is(used.filter((key) => key.endsWith('one')).length, 2);
    assert.is(used.filter((key) => key.endsWith('two')).length, 3);
    for (const cap of [-1, 100_001]) {
      await assertRefused(root.channels.setKey({ id, key_hash: first, cap }), 'channel_key_cap_invalid');
    }
    const tooMany = await root.channels.setKey({ id, key_hash: first, tpm: 1_000_000_001 }).catch((error) => error);
    assert.match(tooMany.message, '1000000000', 'the refusal says how many there may be');
  } finally {
    await upstream.close();
  }
});

keys.run();
