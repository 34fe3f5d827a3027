/**
 * What holds for every path of work that goes on after its answer, and for a realtime socket, as `every-route.test.ts` says
 * of other calls: each order writes a row and has a price; a question is answered here, or has a row and a limit of its own
 * (REQ-25). Each asks for a key (S23), and none lets its caller name the upstream (S24). The compiler misses an entry here
 * for every new kind of order and of question.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DrawingCall } from '../../daemon/gateway/tasks/drawing-calls.ts';
import type { SongCall } from '../../daemon/gateway/tasks/song-calls.ts';
import { matchRelayPath } from '../../daemon/http/routes/relay-paths.ts';
import type { Json } from '../../daemon/relay/json.ts';
import type { DrawingKind } from '../../daemon/relay/tasks/midjourney/order.ts';
import type { SongAction } from '../../daemon/relay/tasks/suno/order.ts';
import { openCounters } from '../support/count-limits.ts';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { eachInRealtimeWorld, hangUp, next, openSession, type RealtimeWorld } from '../support/realtime-world.ts';
import { drawingSecret } from '../support/task-parts.ts';

interface World {
  upstream: FakeUpstream;
  /** Where callers would like to be sent. */
  elsewhere: FakeUpstream;
  harness: GatewayHarness;
}

interface Order {
  readonly model: string;
  readonly body: Record<string, Json>;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Record<string, Json>;
  /** Its upstream is asked, for nothing: a row tells of it, and it has a limit of its own. */
  readonly isAsked?: true;
  /** Upstreams ask it themselves, by the secret of their channel and without a key. */
  readonly isOfUpstreams?: true;
}

/** A drawing and a song that are there before. */
const [parent, song] = ['1768480200123456', 's-1'];
const picture = 'data:image/png;base64,aGk=';

const drawings: Readonly<Record<DrawingKind, Order>> = {
  imagine: { model: 'mj_imagine', body: { prompt: 'a cat' } },
  blend: { model: 'mj_blend', body: { base64Array: [picture, picture] } },
  describe: { model: 'mj_describe', body: { base64: picture } },
  shorten: { model: 'mj_shorten', body: { prompt: 'a cat' } },
  change: { model: 'mj_upscale', body: { taskId: parent, action: 'UPSCALE', index: 1 } },
  'simple-change': { model: 'mj_variation', body: { content: `${parent} V2` } },
  action: { model: 'mj_reroll', body: { taskId: parent, customId: 'MJ::JOB::reroll::0::h::SOLO' } },
  modal: { model: 'mj_modal', body: { taskId: parent, prompt: 'a cat' } },
  'upload-discord-images': { model: 'mj_upload', body: { base64Array: [picture] } },
  edits: { model: 'mj_edits', body: { prompt: 'a cat', image: picture } },
  video: { model: 'mj_video', body: { prompt: 'a cat', image: picture } },
  swap: { model: 'swap_face', body: { sourceBase64: picture, targetBase64: picture } },
};
const songs: Readonly<Record<SongAction, Order>> = {
  MUSIC: { model: 'suno_music', body: { prompt: 'la' } },
  LYRICS: { model: 'suno_lyrics', body: { prompt: 'la' } },
};
const aboutDrawings: Readonly<Record<Exclude<DrawingCall['does'], 'submit'>, Question>> = {
  fetch: { method: 'GET', path: `/mj/task/${parent}/fetch` },
  seed: { method: 'GET', path: `/mj/task/${parent}/image-seed`, isAsked: true },
  list: { method: 'POST', path: '/mj/task/list-by-condition', body: { ids: [parent] } },
  notify: {
    method: 'POST',
    path: `/mj/notify?c=1&s=${drawingSecret(1)}`,
    body: { id: parent, status: 'IN_PROGRESS', progress: '40%' },
    isOfUpstreams: true,
  },
};
const aboutSongs: Readonly<Record<Exclude<SongCall['does'], 'submit'>, Question>> = {
  fetch: { method: 'GET', path: `/suno/fetch/${song}` },
  list: { method: 'POST', path: '/suno/fetch', body: { ids: [song] } },
};

const drawingPath = (kind: string) => (kind === 'swap' ? '/mj/insight-face/swap' : `/mj/submit/${kind}`);
const orders: readonly (readonly [path: string, order: Order])[] = [
  ...Object.entries(drawings).map(([kind, order]) => [drawingPath(kind), order] as const),
  ...Object.entries(songs).map(([action, order]) => [`/suno/submit/${action}`, order] as const),
];
const questions: readonly Question[] = [...Object.values(aboutDrawings), ...Object.values(aboutSongs)];

const test = suite<World>('every path of work that goes on');

test.before.each(async (world) => {
  let made = 0;
  const answerTo = (url: string): Answer => {
    made += 1;
    if (url.startsWith('/suno/')) return jsonAnswer({ code: 'success', message: '', data: `s-${made}` });
    const result = url.endsWith('/imagine') && made === 2 ? parent : `17684802001${made}`;
    return jsonAnswer({ code: 1, description: 'ok', result: url.endsWith('-seed') ? '42' : result });
  };
  world.upstream = await startFakeUpstream(({ url }) => answerTo(url));
  world.elsewhere = await startFakeUpstream(jsonAnswer({ code: 1, result: 'x' }));
  const { url: baseUrl } = world.upstream;
  const modelsOf = (all: Readonly<Record<string, Order>>) =>
    [...new Set(Object.values(all).map(({ model }) => model))].join();
  world.harness = await GatewayHarness.start({
    limits: openCounters(60),
    options: { MjActionCheckSuccessEnabled: false, MjNotifyEnabled: false },
    channels: [
      { id: 1, type: 5, baseUrl, models: modelsOf(drawings), keys: ['sk-upstream'] },
      { id: 2, type: 36, baseUrl, models: modelsOf(songs), keys: ['sk-upstream'] },
    ],
  });
  // What follow-ups go on with, and what is asked about.
  await (await order(world, '/suno/submit/MUSIC', songs.MUSIC)).text();
  await (await order(world, '/mj/submit/imagine', drawings.imagine)).text();
  await world.harness.settled();
});
test.after.each(async ({ harness, upstream, elsewhere }) => {
  await harness.stop();
  await upstream.close();
  await elsewhere.close();
});

interface Over {
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, Json>>;
}

function send(
  { harness }: World,
  asked: Pick<Question, 'method' | 'path' | 'body'>,
  { key = harness.key, query = '', headers = {}, body = {} }: Over = {},
): Promise<Response> {
  const mark = query === '' ? '' : asked.path.includes('?') ? '&' : '?';
  return fetch(`${harness.url}${asked.path}${mark}${query}`, {
    method: asked.method,
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json', ...headers },
    ...(asked.method === 'GET' ? {} : { body: JSON.stringify({ ...asked.body, ...body }) }),
  });
}

function order(world: World, path: string, { body }: Order, over?: Over): Promise<Response> {
  return send(world, { method: 'POST', path, body }, over);
}

/** Rows that have come, and requests of the upstream, since then. */
async function counted({ harness, upstream }: World) {
  await harness.settled();
  return { rows: await harness.rows(), asked: upstream.requests.length };
}

test('leads to the kind of call that it is listed under', () => {
  for (const [path] of orders) {
    const match = matchRelayPath('POST', path);
    assert.ok(match?.kind === 'drawing' || match?.kind === 'song', path);
    assert.equal([match.call.does, match.endpoint.rateLimited], ['submit', true], path);
  }
  const does = (of: Readonly<Record<string, Question>>) =>
    Object.values(of).map(({ method, path }) => {
      const match = matchRelayPath(method, path.replace(/\?.*/, ''));
      return match?.kind === 'drawing' || match?.kind === 'song' ? match.call.does : match?.kind;
    });
  assert.equal(does(aboutDrawings), Object.keys(aboutDrawings));
  assert.equal(does(aboutSongs), Object.keys(aboutSongs));
});

test('writes a row and is priced where it orders something', async (world) => {
  for (const [path, { body, model }] of orders) {
    const before = await counted(world);
    const response = await order(world, path, { body, model });
    const text = await response.text();
    assert.is(response.status, 200, `${path}: ${text}`);
    const after = await counted(world);
    assert.is(after.asked, before.asked + 1, path);
    const rows = after.rows.filter(({ id }) => !before.rows.some((row) => row.id === id));
    assert.equal(
      rows.map(({ modelName }) => modelName),
      [model],
      path,
    );
    assert.ok((rows[0]?.quota ?? 0) > 0, `${path}: ${rows[0]?.quota}`);
  }
});

test('asks nobody, or has a row and a limit of its own, where it only asks', async (world) => {
  for (const question of questions) {
    const { path, isAsked } = question;
    const before = await counted(world);
    const response = await send(world, question);
    const text = await response.text();
    assert.is(response.status, 200, `${path}: ${text}`);
    const after = await counted(world);
    const gained = isAsked === true ? 1 : 0;
    assert.equal(
      [after.asked - before.asked, after.rows.length - before.rows.length],
      [gained, gained],
      `${path}: ${text}`,
    );
    const remaining = response.headers.get('x-ratelimit-remaining-requests');
    assert.is(remaining !== null, isAsked === true, `${path}: ${remaining}`);
  }
});

test('is refused without a key that is known, or without the secret of a channel, before anybody is asked', async (world) => {
  const before = await counted(world);
  for (const key of ['', 'x'.repeat(48)]) {
    for (const [path, one] of orders) {
      const response = await order(world, path, one, { key });
      assert.is(response.status, 401, `${path}: ${await response.text()}`);
    }
    for (const question of questions) {
      const path = question.path.replace(/&s=.*/, `&s=${key}`);
      const response = await send(world, { ...question, path }, { key });
      assert.is(response.status, question.isOfUpstreams === true ? 403 : 401, `${path}: ${await response.text()}`);
    }
  }
  const after = await counted(world);
  assert.equal([after.asked, after.rows.length], [before.asked, before.rows.length]);
});

test('asks the channel’s own host with the channel’s own key, whatever the caller names', async (world) => {
  const { elsewhere, upstream, harness } = world;
  const { url } = elsewhere;
  const host = new URL(url).host;
  const over = {
    query: `base_url=${url}&api_base=${url}&proxy=${url}`,
    headers: {
      'x-portkey-custom-host': url,
      'x-forwarded-host': host,
      'x-base-url': url,
      'mj-api-secret': harness.key,
    },
    body: { base_url: url, api_base: url, api_key: 'sk-named', notifyHook: url, NotifyHook: url },
  };
  for (const [path, one] of orders) {
    const response = await order(world, path, one, over);
    assert.is(response.status, 200, `${path}: ${await response.text()}`);
  }
  for (const question of questions) await (await send(world, question, over)).text();
  await harness.settled();
  await harness.tasks.followUp();
  assert.is(elsewhere.requests.length, 0);
  assert.ok(upstream.requests.length > orders.length);
  for (const { headers, url: asked, body } of upstream.requests) {
    const own = headers['mj-api-secret'] ?? headers.authorization?.replace('Bearer ', '');
    assert.is(own, 'sk-upstream', asked);
    assert.not.match(asked, /sk-named|base_url|proxy/);
    assert.not.match(JSON.stringify(headers), new RegExp(`${host}|${harness.key}`), asked);
    // Whom a drawing is told to is the operator's to say; of songs the client may (relay.md 9).
    if (asked.startsWith('/mj/')) assert.not.match(String(body), /notifyhook/i, asked);
  }
});

test.run();

const model = 'gpt-realtime';
const socket = suite<RealtimeWorld>('a realtime socket');
eachInRealtimeWorld(socket, { type: 1, models: [model], key: 'sk-upstream' });

socket(
  'asks the channel’s own host with its own key, whatever the caller names, and writes a row with a price',
  async (world) => {
    const elsewhere = await startFakeUpstream(jsonAnswer({}));
    const { url } = elsewhere;
    try {
      const query = `${model}&base_url=${url}&api_base=${url}&proxy=${url}&api_key=sk-named`;
      const named = { 'x-portkey-custom-host': url, 'x-forwarded-host': new URL(url).host, 'x-base-url': url };
      const { client, upstream } = await openSession(world, query, named);
      assert.is(upstream.request.headers.authorization, 'Bearer sk-upstream');
      assert.is(upstream.request.headers.host, new URL(world.server.url).host);
      assert.not.match(`${upstream.request.url}`, /sk-named|base_url|api_base|proxy/);
      assert.not.match(JSON.stringify(upstream.request.headers), new RegExp(new URL(url).host));
      const usage = { total_tokens: 30, input_tokens: 10, output_tokens: 20 };
      upstream.say({ type: 'response.done', response: { status: 'completed', usage } });
      assert.is((await next(client.heard, 0)).type, 'response.done');
      const row = await hangUp(world, client);
      assert.equal([row.modelName, row.quota], [model, 30]);
      assert.is(elsewhere.requests.length, 0);
    } finally {
      await elsewhere.close();
    }
  },
);

socket.run();
