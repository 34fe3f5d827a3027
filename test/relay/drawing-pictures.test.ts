/** Runs once: what goes over the wire of a whole daemon, where drawings are shown and told of (relay.md 8.7, 8.8). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { until, within } from '../support/until.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';
import { newDrawing } from '../support/work-records.ts';

interface World {
  daemon: TestDaemon;
  cdn: WebServer;
}

const test = suite<World>('relay: pictures of drawings');
const id = '1768480200123456';
const file = Buffer.from('not really a picture');
/** More than its visitor takes at once. */
const unending = Buffer.alloc(4 * 1024 * 1024);

test.before(async (world) => {
  world.cdn = await startWebServer(({ url }, response) => {
    if (url === '/away') return void response.writeHead(302, { location: 'http://10.0.0.7/x.png' }).end();
    if (url === '/large') {
      return void response.writeHead(200, { 'content-type': 'image/png', 'content-length': 70 * 1024 * 1024 }).end();
    }
    if (url === '/unending') {
      response.writeHead(200, { 'content-type': 'image/png' }).write(unending);
      return;
    }
    if (url === '/gone') return void response.writeHead(404).end();
    const type = url === '/page' ? 'text/html' : url === '/plain' ? undefined : 'image/png; charset=x';
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(file);
  });
  world.daemon = await startTestDaemon();
});
test.after(async ({ daemon, cdn }) => {
  await daemon?.stop();
  await cdn?.stop();
});

const insert = ({ daemon }: World, over: Parameters<typeof newDrawing>[0]) =>
  daemon.daemon.foundation.database.stores.midjourneys.insert(newDrawing({ quota: 0, tokenQuota: 0, ...over }));

test('a picture is shown under this site’s address, to anybody who knows the id of its task', async (world) => {
  const { daemon, cdn } = world;
  await insert(world, { mjId: id, imageUrl: `${cdn.url}/x.png` });
  for (const path of [`/mj/image/${id}`, `/mj-fast/mj/image/${id}?rand=1`]) {
    const shown = await fetch(daemon.url + path, { headers: { cookie: 'session=no' } });
    assert.is(shown.status, 200, path);
    assert.equal(Buffer.from(await shown.arrayBuffer()), file);
    const header = (name: string) => shown.headers.get(name);
    assert.equal(['content-type', 'cache-control', 'x-content-type-options'].map(header), [
      'image/png',
      'public, max-age=86400',
      'nosniff',
    ]);
    assert.match(header('content-security-policy') ?? '', /sandbox/);
  }
  assert.is(cdn.asked[0]?.headers.cookie, undefined, 'nothing of the visitor goes on');
  assert.is((await fetch(`${daemon.url}/mj/image/${id}`, { method: 'HEAD' })).status, 200);
  assert.is((await fetch(`${daemon.url}/mj/image/${id}`, { method: 'POST' })).status, 405);
  await insert(world, { mjId: `${id}9`, status: 'IN_PROGRESS', progress: '9%', imageUrl: `${cdn.url}/plain` });
  const preview = await fetch(`${daemon.url}/mj/image/${id}9`);
  assert.equal([preview.headers.get('content-type'), preview.headers.get('cache-control')], ['image/jpeg', 'no-store']);
});

test('nothing else is fetched in its place', async (world) => {
  const { daemon, cdn } = world;
  const answer = async (mjId: string) => {
    const shown = await fetch(`${daemon.url}/mj/image/${mjId}`);
    return [shown.status, (await shown.json()).error];
  };
  assert.equal(await answer('4444444444444444'), [404, 'midjourney_task_not_found']);
  await insert(world, { mjId: '5555555555555555', imageUrl: '' });
  assert.equal(await answer('5555555555555555'), [404, 'midjourney_task_not_found'], 'nothing drawn yet');
  const addresses = ['/away', '/large', '/gone', '/page'].map((path) => cdn.url + path);
  addresses.push('http://169.254.169.254/latest', 'http://10.0.0.7/x.png', 'ftp://127.0.0.1/x.png');
  for (const [index, imageUrl] of addresses.entries()) {
    const mjId = `666666666666666${index}`;
    await insert(world, { mjId, imageUrl });
    assert.equal(await answer(mjId), [502, 'http_get_image_failed'], imageUrl);
  }
});

test('a picture is fetched no further for a visitor who has left', async (world) => {
  const mjId = '7777777777777777';
  await insert(world, { mjId, imageUrl: `${world.cdn.url}/unending` });
  const shown = await fetch(`${world.daemon.url}/mj/image/${mjId}`);
  const reader = shown.body?.getReader();
  for (let read = 0; read < unending.length; ) read += (await reader?.read())?.value?.length ?? unending.length;
  await reader?.cancel();
  // Far less than a picture may take.
  await within(10_000, () => world.daemon.daemon.running() === 0);
});

test('an id that can be guessed shows its picture to its owner’s session alone, and to no cache that others share', async (world) => {
  const { daemon, cdn } = world;
  const { url } = daemon;
  const owner = await daemon.root.users.create({ username: 'painter', password: 'a good password', quota: 0 });
  await daemon.root.users.create({ username: 'passer', password: 'a good password', quota: 0 });
  const cookieOf = async (username: string) => {
    const signedIn = await fetch(`${url}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'a good password' }),
    });
    return signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  for (const mjId of ['short', '1000000017']) {
    await insert(world, { mjId, userId: owner.id, imageUrl: `${cdn.url}/x.png` });
    // Another server that counts its tasks has made one with this number.
    await insert(world, { mjId, userId: 999, imageUrl: '' });
    const shownTo = async (cookie: string) => {
      const shown = await fetch(`${url}/mj/image/${mjId}`, { headers: { cookie } });
      await shown.arrayBuffer();
      return [shown.status, shown.headers.get('cache-control')];
    };
    assert.equal(await shownTo(''), [404, 'no-store'], mjId);
    assert.equal(await shownTo(await cookieOf('passer')), [404, 'no-store'], mjId);
    assert.equal(await shownTo(await cookieOf('painter')), [200, 'private, max-age=86400'], mjId);
  }
});

test('a daemon bills, lists and follows what it was told by a callback', async (world) => {
  const { daemon } = world;
  const { root, url } = daemon;
  const proxy = await startWebServer(() => ({
    code: 1,
    description: 'ok',
    result: '1768480200777777',
    properties: {},
  }));
  const channel = { type: 2, base_url: proxy.url, models: 'mj_imagine' };
  const channelId = await daemon.addChannel(channel);
  await root.options.set({ key: 'ServerAddress', value: url });
  await root.options.set({ key: 'MjNotifyEnabled', value: 'true' });
  const tested = await root.channels.test({ id: channelId });
  assert.equal([tested.success, tested.code], [false, 'channel_test_unsupported']);
  const key = await daemon.addKey();
  const { quota } = await root.account.get();
  const headers = { 'content-type': 'application/json', 'mj-api-secret': key };
  const order = await fetch(`${url}/mj/submit/imagine`, { method: 'POST', headers, body: '{"prompt":"a fox"}' });
  assert.is((await order.json()).code, 1);
  const { notifyHook } = JSON.parse(proxy.asked[0]?.body ?? '{}');
  assert.ok(notifyHook.startsWith(`${url}/mj/notify?c=${channelId}&s=`), notifyHook);
  const tell = (address: string, origin?: string) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(origin === undefined ? {} : { origin }) },
      body: JSON.stringify({ id: '1768480200777777', status: 'FAILURE', failReason: 'tired' }),
    });
  assert.is((await tell(notifyHook.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')))).status, 403);
  await root.options.set({ key: 'global.block_browser_extension_enabled', value: 'true' });
  assert.is((await tell(notifyHook, 'chrome-extension://abc')).status, 403);
  await root.options.set({ key: 'global.block_browser_extension_enabled', value: 'false' });
  // What is held already is charged a moment later, and goes back only then.
  await until(async () => {
    assert.is((await tell(notifyHook)).status, 200);
    return (await root.account.get()).quota === quota;
  });
  const { items } = await root.works.ownDrawings({ mj_id: '1768480200777777' });
  assert.equal([items[0]?.status, items[0]?.fail_reason, items[0]?.quota], ['FAILURE', 'tired', 0]);
  const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = await models.json();
  assert.equal(
    data.map((model: { id: string; owned_by: string }) => [model.id, model.owned_by]),
    [['mj_imagine', 'midjourney']],
  );
  await proxy.stop();
});

test('nobody fetches pictures without an end', async ({ daemon, cdn }) => {
  const asked = cdn.asked.length;
  const answers = await Promise.all(Array.from({ length: 301 }, () => fetch(`${daemon.url}/mj/image/${id}0`)));
  const told = await Promise.all(answers.map((answer) => answer.text()));
  const at = answers.findIndex(({ status }) => status === 429);
  assert.equal(told[at], '{"error":"too_many_requests"}');
  assert.ok(Number(answers[at]?.headers.get('retry-after')) > 0);
  assert.is(cdn.asked.length, asked);
});

test.run();
