/**
 * Images that Gemini signed go to a chat client and come back in its next turn with the signatures they had.
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { tidyBetween } from '../support/relay-world.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  client: OpenAI;
}

const test = suite<World>('relay/signed images');
const model = 'gemini-3-pro-image-preview';

const image = (data: string, thoughtSignature?: string) => ({
  inlineData: { mimeType: 'image/png', data },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});

type Parts = readonly object[];

function answer(parts: Parts): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
  };
}

/** What Gemini says, and what the client gives back of it in the next turn. */
const several: Parts = [
  { text: 'Two cats:', thoughtSignature: 'V09SRFM=' },
  image('QUFB', 'T05F'),
  { text: ' and ' },
  image('QkJC', 'VFdP'),
];
const single: Parts = [{ text: 'A cat:' }, image('QUFB', 'T05F')];

test.before(async (world) => {
  world.upstream = await startFakeUpstream(() => jsonAnswer({}));
  world.daemon = await startTestDaemon({ options: { RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 1 }) } });
  await world.daemon.addChannel({ type: 24, base_url: world.upstream.url, models: model });
  const apiKey = await world.daemon.addKey();
  world.client = new OpenAI({ apiKey, baseURL: `${world.daemon.url}/v1`, maxRetries: 0 });
});

tidyBetween(test);

interface Heard {
  role: 'assistant';
  content: string;
  images?: unknown[];
  extra_content?: unknown;
}

const asked = { role: 'user', content: 'cats' } as const;

/** The first turn, and all that the client has of its answer. */
async function hear({ upstream, client }: World, parts: Parts, how: { stream: boolean; own: object }): Promise<Heard> {
  upstream.script(() =>
    how.stream ? sseAnswer(parts.map((part) => JSON.stringify(answer([part])))) : jsonAnswer(answer(parts)),
  );
  const body = { model, messages: [asked], ...how.own };
  const heard: Heard = { role: 'assistant', content: '' };
  const messages: object[] = [];
  if (how.stream) {
    const stream = await client.chat.completions.create({ ...body, stream: true });
    for await (const { choices } of stream) for (const { delta } of choices) messages.push(delta);
  } else {
    const { choices } = await client.chat.completions.create({ ...body, stream: false });
    for (const { message } of choices) messages.push(message);
  }
  for (const message of messages) {
    if ('content' in message && typeof message.content === 'string') heard.content += message.content;
    if ('images' in message && Array.isArray(message.images)) (heard.images ??= []).push(...message.images);
    if ('extra_content' in message) heard.extra_content = message.extra_content;
  }
  return heard;
}

/** The second turn; the parts of the model's turn that reach Gemini. */
async function replay({ upstream, client }: World, heard: Heard): Promise<unknown> {
  upstream.script(() => jsonAnswer(answer([{ text: 'done' }])));
  await client.chat.completions.create({ model, messages: [asked, heard, { role: 'user', content: 'bigger' }] });
  const { contents } = JSON.parse(String(upstream.requests.at(-1)?.body));
  assert.equal(
    contents.map((turn: { role: string }) => turn.role),
    ['user', 'model', 'user'],
  );
  return contents[1].parts;
}

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole';
  test(`gives every image its own signature, ${how}, to a client that asked for images`, async (world) => {
    const heard = await hear(world, several, { stream, own: { modalities: ['text', 'image'] } });
    assert.equal(heard.images, [
      {
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,QUFB' },
        extra_content: { google: { thought_signature: 'T05F' } },
      },
      {
        // The deltas of a stream number what follows the first.
        ...(stream ? { index: 1 } : {}),
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,QkJC' },
        extra_content: { google: { thought_signature: 'VFdP' } },
      },
    ]);
    assert.equal(heard.extra_content, { google: { thought_signature: 'V09SRFM=' } });
    // The signature of words stands with the last of them, and no image comes twice.
    assert.equal(await replay(world, heard), [
      { text: 'Two cats:' },
      image('QUFB', 'T05F'),
      { text: ' and ', thoughtSignature: 'V09SRFM=' },
      image('QkJC', 'VFdP'),
    ]);
  });

  test(`gives an image's signature with the message, ${how}, to a client that reads Markdown`, async (world) => {
    const heard = await hear(world, single, { stream, own: {} });
    assert.is(heard.images, undefined);
    assert.equal(heard.extra_content, { google: { thought_signature: 'T05F' } });
    assert.equal(await replay(world, heard), single);
  });
}

test('sends an image back without a signature that never had one', async (world) => {
  const parts: Parts = [{ text: 'A cat:' }, image('QUFB')];
  const heard = await hear(world, parts, { stream: false, own: { modalities: ['image'] } });
  assert.is(heard.extra_content, undefined);
  assert.equal(await replay(world, heard), parts);
});

test('keeps an image that the words do not show behind them', async (world) => {
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUFB' } }];
  assert.equal(await replay(world, { role: 'assistant', content: 'A cat:', images }), [
    { text: 'A cat:' },
    image('QUFB'),
  ]);
});

test.run();
