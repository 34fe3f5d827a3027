import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChannelAffinity, optionTable } from '../../../daemon/contract/options.ts';
import {
  type AffinityNews,
  type AffinityRequest,
  type AffinityTarget,
  CacheAffinity,
  ResponseAffinity,
  type ResponseMemory,
} from '../../../daemon/domain/affinity.ts';
import { formatAffinityNews, parseAffinityNews } from '../../../daemon/domain/affinity-news.ts';

const affinity = suite('domain/affinity');

const suggested: ChannelAffinity = optionTable.channel_affinity.default;

const request = (over: Partial<AffinityRequest> = {}): AffinityRequest => ({
  userId: 1,
  tokenId: 2,
  group: 'default',
  model: 'claude-sonnet-4',
  path: '/v1/messages',
  header: () => undefined,
  body: {},
  opening: () => undefined,
  ...over,
});

const withSession = (session: string, over: Partial<AffinityRequest> = {}) =>
  request({ header: (name) => (name === 'x-claude-code-session-id' ? session : undefined), ...over });

affinity('keeps one conversation together and others, users and groups apart', () => {
  const rules = new CacheAffinity(() => 0);
  const hash = (asked: AffinityRequest) => rules.keyOf(asked, suggested)?.hash;
  assert.ok(hash(withSession('s1')));
  assert.is(hash(withSession('s1')), hash(withSession('s1')));
  assert.is.not(hash(withSession('s1')), hash(withSession('s2')));
  assert.is.not(hash(withSession('s1')), hash(withSession('s1', { userId: 9 })));
  assert.is.not(hash(withSession('s1')), hash(withSession('s1', { group: 'vip' })));
});

affinity('keeps a session with a channel for each model, so that a small one beside does not move it', () => {
  const rules = new CacheAffinity(() => 0);
  const keyFor = (model: string) => rules.keyOf(withSession('s', { model }), suggested);
  const [large, small] = [keyFor('claude-sonnet-4'), keyFor('claude-haiku-3-5')];
  if (large === undefined || small === undefined) throw new Error('the rule yields no key');
  rules.keep(large, { channelId: 3, keyHash: 'a' }, suggested);
  rules.keep(small, { channelId: 4, keyHash: 'b' }, suggested);
  assert.equal([rules.find(large)?.channelId, rules.find(small)?.channelId], [3, 4]);
});

affinity('reads the next source when the first is empty', () => {
  const rules = new CacheAffinity(() => 0);
  const body = { metadata: { user_id: 'u' } };
  const key = rules.keyOf(request({ body }), suggested);
  assert.is(key?.rule, 'claude session');
  assert.is(rules.keyOf(request({ body, header: () => '' }), suggested)?.hash, key?.hash);
  assert.is(rules.keyOf(request({ header: () => '' }), suggested), undefined);
});

affinity('has no word of what no request has, so that it does not take all of them for one conversation', () => {
  for (const key of ['session_id', 'constructor']) {
    const rules = [{ name: 'r', key_sources: [{ type: 'context', key } as const] }];
    assert.is(new CacheAffinity(() => 0).keyOf(request(), { ...suggested, rules }), undefined, key);
  }
});

affinity('applies a rule only to its models and paths', () => {
  const rules = new CacheAffinity(() => 0);
  const body = { prompt_cache_key: 'k' };
  assert.ok(rules.keyOf(request({ model: 'gpt-5', path: '/v1/responses', body }), suggested));
  assert.is(rules.keyOf(request({ model: 'o3', path: '/v1/responses', body }), suggested), undefined);
  assert.is(rules.keyOf(request({ model: 'gpt-5', path: '/v1/chat/completions', body }), suggested), undefined);
});

affinity('falls back to the opening of a conversation that has an answer already', () => {
  const rules = new CacheAffinity(() => 0);
  const asked = request({ model: 'deepseek-chat', opening: () => ({ system: 's', firstUser: 'hi' }) });
  assert.ok(rules.keyOf(asked, suggested));
  assert.is(rules.keyOf(request({ model: 'deepseek-chat' }), suggested), undefined);
  const others = [
    request({ ...asked, userId: 9 }),
    request({ ...asked, group: 'vip' }),
    request({ ...asked, model: 'deepseek-reasoner' }),
    request({ ...asked, opening: () => ({ system: 'other', firstUser: 'hi' }) }),
    request({ ...asked, opening: () => ({ system: 's', firstUser: 'other' }) }),
  ];
  const hashes = [asked, ...others].map((one) => rules.keyOf(one, suggested)?.hash);
  assert.is(new Set(hashes).size, 6, 'each of these tells two conversations apart');
});

affinity('takes the time, the group and the end of retries from the rule, and its own where that says nothing', () => {
  const keyBy = (own: object, group = 'default') => {
    const source = { type: 'json', path: 'id' } as const;
    const option = {
      ...suggested,
      default_ttl_seconds: 50,
      rules: [{ name: 'r', key_sources: [source], ...own }],
    };
    return new CacheAffinity(() => 0).keyOf(request({ body: { id: 'k' }, group }), option);
  };
  assert.equal([keyBy({})?.ttlMs, keyBy({ ttl_seconds: 7 })?.ttlMs], [50_000, 7000]);
  assert.equal(
    [keyBy({})?.skipRetryOnFailure, keyBy({ skip_retry_on_failure: true })?.skipRetryOnFailure],
    [false, true],
  );
  assert.is.not(keyBy({})?.hash, keyBy({}, 'vip')?.hash);
  assert.is(keyBy({ include_group: false })?.hash, keyBy({ include_group: false }, 'vip')?.hash);
});

affinity('yields nothing while it is switched off', () => {
  assert.is(new CacheAffinity(() => 0).keyOf(withSession('s'), { ...suggested, enabled: false }), undefined);
});

affinity('returns to the kept target until it runs out or is dropped', () => {
  let nowMs = 0;
  const rules = new CacheAffinity(() => nowMs);
  const key = rules.keyOf(withSession('s'), suggested);
  assert.ok(key);
  if (!key) return;
  rules.keep(key, { channelId: 3, keyHash: 'a' }, suggested);
  assert.equal(rules.find(key), { channelId: 3, keyHash: 'a' });
  rules.drop(key);
  assert.is(rules.find(key), undefined);
  rules.keep(key, { channelId: 3, keyHash: 'a' }, suggested);
  nowMs = 3_600_000;
  assert.is(rules.find(key), undefined);
});

affinity('moves to another target after a success only when told to', () => {
  const rules = new CacheAffinity(() => 0);
  const key = rules.keyOf(withSession('s'), suggested);
  assert.ok(key);
  if (!key) return;
  rules.keep(key, { channelId: 3, keyHash: 'a' }, suggested);
  rules.keep(key, { channelId: 4, keyHash: 'b' }, { ...suggested, switch_on_success: false });
  assert.is(rules.find(key)?.channelId, 3);
  rules.keep(key, { channelId: 4, keyHash: 'b' }, suggested);
  assert.is(rules.find(key)?.channelId, 4);
});

/** Two nodes; what one tells reaches the other when it is handed over. */
function nodes() {
  const world = { nowMs: 0 };
  const node = () => {
    const told: AffinityNews[] = [];
    const rules = new CacheAffinity(
      () => world.nowMs,
      (news) => told.push(news),
    );
    return { told, rules };
  };
  const [one, two] = [node(), node()];
  const handOver = () => {
    const [ones, twos] = [one.told.splice(0), two.told.splice(0)];
    for (const news of ones) two.rules.learn(news, suggested);
    for (const news of twos) one.rules.learn(news, suggested);
    return ones.length + twos.length;
  };
  const key = one.rules.keyOf(withSession('s'), suggested);
  if (key === undefined) throw new Error('the rule yields no key');
  const found = () => [one, two].map(({ rules }) => rules.find(key)?.channelId);
  return { world, one: one.rules, two: two.rules, key, handOver, found };
}

const third = { channelId: 3, keyHash: 'a' };
const fourth = { channelId: 4, keyHash: 'a' };

affinity('tells other nodes where a conversation is served, once, and again before they would forget it', () => {
  const { world, one, two, key, handOver, found } = nodes();
  one.keep(key, third, suggested);
  assert.is(handOver(), 1);
  for (let turn = 0; turn < 5; turn += 1) {
    two.keep(key, third, suggested);
    one.keep(key, third, suggested);
  }
  assert.is(handOver(), 0);
  for (let turn = 0; turn < 6; turn += 1) {
    world.nowMs += 1_000_000;
    assert.equal(found(), [3, 3]);
    one.keep(key, third, suggested);
    handOver();
  }
});

affinity('lets a conversation go from a channel on all nodes, and come to the next', () => {
  const { one, two, key, handOver, found } = nodes();
  one.keep(key, third, suggested);
  handOver();
  two.drop(key);
  handOver();
  assert.equal(found(), [undefined, undefined]);
  one.keep(key, third, suggested);
  handOver();
  two.keep(key, fourth, suggested);
  one.keep(key, third, suggested);
  handOver();
  assert.equal(found(), [4, 4]);
});

affinity('keeps a conversation that has moved on where another node lets go of the channel before', () => {
  const { one, two, key, handOver, found } = nodes();
  one.keep(key, third, suggested);
  handOver();
  two.keep(key, fourth, suggested);
  one.drop(key);
  handOver();
  assert.equal(found(), [4, 4]);
});

affinity('takes a conversation that has moved to where it is told to be now', () => {
  const { one, key } = nodes();
  one.keep(key, fourth, suggested);
  one.keep(key, third, suggested);
  one.learn({ hash: key.hash, target: fourth, forMs: key.ttlMs, moves: 0 }, suggested);
  assert.equal(one.find(key), third, 'not to where it was before');
  one.learn({ hash: key.hash, target: fourth, forMs: key.ttlMs, moves: 2 }, suggested);
  assert.equal(one.find(key), fourth);
});

affinity('brings a conversation back together that a node begins anew after a restart', () => {
  const { world, key } = nodes();
  const told: AffinityNews[] = [];
  const restarted = new CacheAffinity(() => world.nowMs);
  const first = new CacheAffinity(
    () => world.nowMs,
    (news) => told.push(news),
  );
  first.keep(key, third, suggested);
  told.length = 0;
  restarted.keep(key, fourth, suggested);
  first.learn({ hash: key.hash, target: fourth, forMs: key.ttlMs, moves: 0 }, suggested);
  first.keep(key, first.find(key) ?? third, suggested);
  for (const news of told) restarted.learn(news, suggested);
  assert.equal([first.find(key), restarted.find(key)], [third, third]);
});

affinity('brings a conversation that begins on two nodes at once to one channel', () => {
  const { world, one, two, key, handOver, found } = nodes();
  one.keep(key, fourth, suggested);
  two.keep(key, third, suggested);
  world.nowMs += 60_000;
  handOver();
  assert.equal(found(), [3, 3], 'however late they hear of each other');
});

affinity('reads back what it tells other nodes, and nothing else', () => {
  const news = [{ hash: 'h', target: third, forMs: 5, moves: 2 }];
  assert.equal(parseAffinityNews(formatAffinityNews(news)), news);
  for (const text of [
    '',
    '{}',
    '[1]',
    '[["h",3,"a",-1,0]]',
    '[["h","3","a",1,0]]',
    '[[1,3,"a",1,0]]',
    '[["h",3,null,1,0]]',
    '[["h",3,"a",1]]',
  ]) {
    assert.equal(parseAffinityNews(text), []);
  }
});

affinity('holds no more conversations than allowed', () => {
  const rules = new CacheAffinity(() => 0);
  const keys = ['a', 'b', 'c'].map((session) => rules.keyOf(withSession(session), suggested));
  for (const key of keys) if (key) rules.keep(key, { channelId: 1, keyHash: 'k' }, { ...suggested, max_entries: 2 });
  assert.equal(
    keys.map((key) => (key ? rules.find(key) !== undefined : undefined)),
    [false, true, true],
  );
});

affinity('ignores a rule whose pattern does not compile', () => {
  const broken = { ...suggested, rules: [{ name: 'x', model_regex: '(', key_sources: [] }, ...suggested.rules] };
  assert.is(new CacheAffinity(() => 0).keyOf(withSession('s'), broken)?.rule, 'claude session');
});

const named = (...ids: string[]) => ids.map((id, at) => ({ id, field: `input.${at}` }));

affinity('knows a stored response and its items for their user alone', async () => {
  const responses = new ResponseAffinity({ now: () => 0, ttlSeconds: 60 });
  responses.keep(1, ['resp_1', 'msg_1'], { channelId: 5, keyHash: 'h' });
  for (const id of ['resp_1', 'msg_1']) {
    assert.equal(await responses.find(1, named(id)), { channelId: 5, keyHash: 'h' });
    assert.is(await responses.find(2, named(id)), undefined);
  }
});

affinity('goes where the newest of what is referred to is kept', async () => {
  const responses = new ResponseAffinity({ now: () => 0, ttlSeconds: 60 });
  responses.keep(1, ['msg_1'], { channelId: 5, keyHash: 'h' });
  responses.keep(1, ['msg_2'], { channelId: 6, keyHash: 'h' });
  assert.is((await responses.find(1, named('msg_1', 'msg_2', 'msg_3')))?.channelId, 6);
});

affinity(
  "prefers where shared things were found, for anybody, and goes for what is the user's own all the same",
  async () => {
    const responses = new ResponseAffinity({ now: () => 0, ttlSeconds: 60 });
    const file = { id: 'file_1', field: 'input.0', isShared: true } as const;
    responses.keepShared([file], { channelId: 5, keyHash: 'h' });
    for (const user of [1, 2]) {
      assert.equal(await responses.find(user, [file]), { channelId: 5, keyHash: 'h', isShared: true });
      assert.is(await responses.find(user, named('file_1')), undefined, 'as an item it is not known');
    }
    responses.keep(1, ['msg_1'], { channelId: 6, keyHash: 'h' });
    assert.equal(await responses.find(1, [...named('msg_1'), file]), { channelId: 6, keyHash: 'h' });
  },
);

affinity('writes down once where a shared thing is', () => {
  const written: unknown[] = [];
  const memory: ResponseMemory = { find: async () => [], keep: (_, target) => written.push(target) };
  const responses = new ResponseAffinity({ now: () => 0, ttlSeconds: 60, memory });
  const file = { id: 'file_1', field: 'input.0', isShared: true } as const;
  for (const channelId of [5, 5, 6]) responses.keepShared([file], { channelId, keyHash: 'h' });
  assert.equal(written, [
    { channelId: 5, keyHash: 'h' },
    { channelId: 6, keyHash: 'h' },
  ]);
});

affinity('holds no more ids than allowed, and each for its time', async () => {
  let nowMs = 0;
  const responses = new ResponseAffinity({ now: () => nowMs, ttlSeconds: 60, maxEntries: 2 });
  responses.keep(1, ['a', 'b', 'c'], { channelId: 5, keyHash: 'h' });
  assert.equal(
    ['a', 'b', 'c'].map((id) => responses.find(1, named(id)) !== undefined),
    [false, true, true],
  );
  nowMs = 60_000;
  assert.is(responses.find(1, named('c')), undefined);
});

affinity('asks nobody about ids that this node knows', async () => {
  const memory: ResponseMemory = { find: () => Promise.reject(new Error('was asked')), keep: () => undefined };
  const responses = new ResponseAffinity({ now: () => 0, ttlSeconds: 60, memory });
  responses.keep(1, ['a', 'b'], { channelId: 5, keyHash: 'h' });
  // No promise, so nobody was asked.
  assert.equal(responses.find(1, named('a', 'b')), { channelId: 5, keyHash: 'h' });
});

affinity('finds a response that another node kept, and survives the loss of the shared memory', async () => {
  const kept = new Map<string, AffinityTarget>();
  let away = false;
  const errors: unknown[] = [];
  const memory: ResponseMemory = {
    find: async (ids) => {
      if (away) throw new Error('away');
      return ids.map(({ userId, hash }) => kept.get(`${userId}:${hash}`));
    },
    keep: ({ userId, hash }, target) => {
      kept.set(`${userId}:${hash}`, target);
    },
  };
  const node = () =>
    new ResponseAffinity({ now: () => 0, ttlSeconds: 60, memory, report: (error) => errors.push(error) });
  node().keep(1, ['resp_1'], { channelId: 5, keyHash: 'h:1' });
  assert.not.match(JSON.stringify([...kept.keys()]), /resp_1/);
  assert.equal(await node().find(1, named('resp_1')), { channelId: 5, keyHash: 'h:1' });
  away = true;
  assert.is(await node().find(1, named('resp_1')), undefined);
  assert.is(errors.length, 1);
  const knowing = node();
  knowing.keep(1, ['resp_2'], { channelId: 6, keyHash: 'h:1' });
  assert.is((await knowing.find(1, named('resp_1', 'resp_2')))?.channelId, 6);
});

affinity.run();
