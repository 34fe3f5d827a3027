/** What a session with GLM sees, and what is refused in whose language. Pictures become frames of a call with video. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject } from '../../daemon/relay/formats/fields.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { png } from '../support/mask-files.ts';
import { eachInRealtimeWorld, hangUp, next, openSession, type RealtimeWorld } from '../support/realtime-world.ts';
import { until } from '../support/until.ts';

const model = 'glm-realtime-flash';

const test = suite<RealtimeWorld>('relay: what GLM sees in sessions');
eachInRealtimeWorld(test, { type: 26, models: [model], key: 'id.secret' });

/** What a session is to be like once it sees; the rest as it is by itself. */
const seeing: JsonObject = {
  model,
  input_audio_format: 'pcm24',
  output_audio_format: 'pcm',
  turn_detection: { type: 'server_vad' },
  beta_fields: { chat_mode: 'video_passive' },
};
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]).toString('base64');
const picture = { type: 'input_image', image_url: `data:image/jpeg;base64,${jpeg}`, detail: 'low' };
const frame = { type: 'input_audio_buffer.append_video_frame', video_frame: jpeg };
const dataUrl = (file: Buffer) => `data:image/png;base64,${file.toString('base64')}`;
const response = { id: 'resp_1', object: 'realtime.response', status: 'completed' };
const usage = { input_tokens: 50, output_tokens: 100, output_token_details: { audio_tokens: 20 } };

test('what GLM cannot hear, say or see is told in the caller’s language', async (world) => {
  const { client } = await openSession(world, model, { 'accept-language': 'zh-CN', 'openai-beta': 'realtime=v1' });
  const seen = (image_url: string) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_image', image_url }],
  });
  const cases: readonly (readonly [event: JsonObject, param: string, why: string])[] = [
    [
      { session: { input_audio_format: 'g711_ulaw' } },
      'session.input_audio_format',
      '此模型只能识别 16 或 24 kHz 的 PCM',
    ],
    [{ session: { output_audio_format: 'g711_alaw' } }, 'session.output_audio_format', '此模型只能输出 24 kHz 的 PCM'],
    [{ session: { tools: [{ type: 'mcp' }] } }, 'session.tools', '此模型只能调用函数'],
    [
      { item: seen('https://example.com/a.jpg') },
      'item.content',
      '此模型只能读取以 data URL 给出的 JPEG、PNG、WebP 和',
    ],
    [{ item: seen('data:image/png;base64,Qk0AAAAAAAA=') }, 'item.content', '此模型只能读取以 data URL 给出的 JPEG'],
    [{ item: seen('data:image/jpeg;base64,iVBORw0KGgo=') }, 'item.content', '文件已损坏：请重新保存为 JPEG 文件'],
    [
      { item: seen(dataUrl(png({ width: 5000, height: 5000, color: 0 }, Buffer.alloc(8)))) },
      'item.content',
      '5000x5000 超过了此模型可读取的 16777216 像素（4096x4096）：请缩小图片',
    ],
  ];
  for (const [index, [event, param, why]] of cases.entries()) {
    client.say({ type: event.session === undefined ? 'conversation.item.create' : 'session.update', ...event });
    const error = asObject((await next(client.heard, index)).error);
    assert.is(error?.param, param);
    assert.match(String(error?.message), `请求无法转换为所选模型的格式：${param}：${why}`);
  }
});

test('pictures become frames of a call with video, which every turn is shown, and are paid as the vendor counts them', async (world) => {
  const { client, upstream } = await openSession(world, model);
  client.say({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'what is this?' }, picture] },
  });
  client.say({ type: 'response.create' });
  await until(() => upstream.heard.length === 5);
  const text = { type: 'input_text', text: 'what is this?' };
  assert.equal(upstream.heard.slice(1), [
    { type: 'session.update', session: seeing },
    frame,
    {
      type: 'conversation.item.create',
      item: { object: 'realtime.item', type: 'message', role: 'user', content: [text] },
    },
    { type: 'response.create' },
  ]);
  upstream.say({ type: 'response.created', response }, { type: 'response.done', response: { ...response, usage } });
  await until(() => client.heard.at(-1)?.type === 'response.done');
  // The next turn sees it too, once; so does the one after what was wiped away.
  const sound = { type: 'input_audio_buffer.append', audio: 'AAAA' };
  for (const event of [sound, sound, { type: 'input_audio_buffer.commit' }, { type: 'response.create' }])
    client.say(event);
  client.say({ type: 'input_audio_buffer.clear' });
  client.say(sound);
  client.say({ type: 'session.update', session: { type: 'realtime', instructions: 'be brief' } });
  assert.equal((await next(upstream.heard, 13)).session, { ...seeing, instructions: 'be brief' });
  assert.equal(upstream.heard.slice(5, 13), [
    frame,
    sound,
    sound,
    { type: 'input_audio_buffer.commit' },
    { type: 'response.create' },
    { type: 'input_audio_buffer.clear' },
    frame,
    sound,
  ]);
  const row = await hangUp(world, client);
  assert.equal([row.promptTokens, row.completionTokens, row.quota], [50, 100, 170]);
});

test('PNG, WebP and GIF files are shown as JPEG, in the order in which everything was said', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const drawn = sharp({ create: { width: 40, height: 30, channels: 3, background: 'green' } });
  const files = [await drawn.png().toBuffer(), await drawn.webp().toBuffer(), await drawn.gif().toBuffer()];
  const [first, ...others] = files.map((file) => ({ ...picture, image_url: dataUrl(file) }));
  const words = { type: 'input_text', text: 'and this?' };
  const say = (...content: JsonObject[]) =>
    client.say({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  say(first ?? {});
  client.say({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  say(...others, picture, words);
  client.say({
    type: 'conversation.item.create',
    item: { type: 'message', content: [{ ...picture, image_url: 'x:' }] },
  });
  client.say({ type: 'response.create' });
  await until(() => upstream.heard.at(-1)?.type === 'response.create');
  const heard = upstream.heard.slice(2);
  assert.equal(
    heard.map(({ type }) => type),
    [
      frame.type,
      'input_audio_buffer.append',
      frame.type,
      frame.type,
      frame.type,
      'conversation.item.create',
      'response.create',
    ],
  );
  const frames = heard.filter(({ type }) => type === frame.type).map(({ video_frame }) => String(video_frame));
  assert.is(frames.pop(), jpeg);
  for (const shown of frames) {
    const { format, width, height } = await sharp(Buffer.from(shown, 'base64')).metadata();
    assert.equal([format, width, height], ['jpeg', 40, 30]);
  }
  assert.equal(heard[5]?.item, { object: 'realtime.item', type: 'message', role: 'user', content: [words] });
  // Nothing came of the one that is nowhere, and the client was told in its place.
  assert.equal(
    client.heard.map(({ type }) => type),
    ['conversation.item.added', 'conversation.item.done', 'error'],
  );
});

test('a client that leaves while its picture is made leaves nothing behind', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const large = await sharp({ create: { width: 4000, height: 4000, channels: 3, background: 'green' } })
    .png()
    .toBuffer();
  const shown = { ...picture, image_url: dataUrl(large) };
  const content = [shown, shown, shown];
  client.say({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  client.say({ type: 'response.create' });
  await hangUp(world, client);
  assert.is(upstream.heard.length, 1);
});

test('a picture by itself is an item that the client hears of, and frames of the vendor’s open its eyes as well', async (world) => {
  const { client, upstream } = await openSession(world, model);
  const item = { type: 'message', role: 'user', content: [picture] };
  client.say({ type: 'conversation.item.create', item: { ...item, id: 'mine' } });
  assert.equal(await next(client.heard, 0), {
    type: 'conversation.item.added',
    event_id: 'event_picture_1',
    item: {
      id: 'mine',
      object: 'realtime.item',
      status: 'completed',
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image' }],
    },
  });
  assert.is((await next(client.heard, 1)).type, 'conversation.item.done');
  assert.equal(await next(upstream.heard, 2), frame);
  const { client: other, upstream: second } = await openSession(world, model, { 'openai-beta': 'realtime=v1' });
  other.say(frame);
  other.say({ type: 'conversation.item.create', item });
  await until(() => second.heard.length === 4);
  assert.equal(second.heard.slice(1), [{ type: 'session.update', session: seeing }, frame, frame]);
  const told = await next(other.heard, 0);
  assert.equal([told.type, asObject(told.item)?.id], ['conversation.item.created', 'item_picture_1']);
});

test.run();
