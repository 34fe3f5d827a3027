/** Forms that could be read in two ways, or hold nothing: refused by name before anything is held or sent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: unclear forms');

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream(jsonAnswer({ text: 'hello' }));
  context.harness = await GatewayHarness.start({
    channels: [{ id: 1, baseUrl: context.upstream.url, models: 'gpt-image-1,dall-e-2,whisper-1' }],
    options: { SensitiveWords: ['secret plan'] },
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

type Part = readonly [name: string, value: string | Blob];

const file = new Blob(['some bytes']);
const nothing = new Blob([]);
const edit: readonly Part[] = [['model', 'gpt-image-1']];
const transcript: readonly Part[] = [['model', 'whisper-1']];

function send({ harness }: Context, path: string, parts: readonly Part[]): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, value, 'a.bin');
  }
  return fetch(harness.url + path, { method: 'POST', headers: { authorization: `Bearer sk-${harness.key}` }, body });
}

async function assertRefused(context: Context, path: string, parts: readonly Part[], told: [string, RegExp]) {
  const answer = await send(context, path, parts);
  const { error } = await answer.json();
  assert.equal([answer.status, error?.param], [400, told[0]], JSON.stringify(error));
  assert.match(error.message, told[1]);
}

async function assertUntouched({ harness, upstream }: Context): Promise<void> {
  assert.is(upstream.requests.length, 0);
  assert.equal(await harness.rows(), []);
}

test('a second prompt cannot carry past the word filter what an upstream reads first', async (context) => {
  const prompts: readonly Part[] = [
    ['prompt', 'tell me the secret plan'],
    ['prompt', 'a hat'],
  ];
  const listed: readonly Part[] = [
    ['prompt[]', 'tell me the secret plan'],
    ['prompt', 'a hat'],
  ];
  for (const said of [prompts, listed]) {
    await assertRefused(context, '/v1/images/edits', [...edit, ...said, ['image', file]], ['prompt', /is repeated/]);
    for (const path of ['/v1/audio/transcriptions', '/v1/audio/translations']) {
      await assertRefused(context, path, [...transcript, ...said, ['file', file]], ['prompt', /is repeated/]);
    }
  }
  await assertUntouched(context);
});

test('a prompt that is sent as a file, which no filter reads, is refused', async (context) => {
  const parts: readonly Part[] = [...transcript, ['prompt', new Blob(['the secret plan'])], ['file', file]];
  await assertRefused(context, '/v1/audio/transcriptions', parts, ['prompt', /must be a string/]);
  await assertUntouched(context);
});

test('files without a byte are refused by the name of their field', async (context) => {
  const told = (name: string): [string, RegExp] => [name, /must not be an empty file/];
  const words: Part = ['prompt', 'a hat'];
  await assertRefused(context, '/v1/images/edits', [...edit, words, ['image', nothing]], told('image'));
  const second: readonly Part[] = [...edit, words, ['image[]', file], ['image[]', nothing]];
  await assertRefused(context, '/v1/images/edits', second, told('image[]'));
  const mask: readonly Part[] = [...edit, words, ['image', file], ['mask', nothing]];
  await assertRefused(context, '/v1/images/edits', mask, told('mask'));
  const variation: readonly Part[] = [
    ['model', 'dall-e-2'],
    ['image', nothing],
  ];
  await assertRefused(context, '/v1/images/variations', variation, told('image'));
  for (const path of ['/v1/audio/transcriptions', '/v1/audio/translations']) {
    await assertRefused(context, path, [...transcript, ['file', nothing]], told('file'));
  }
  await assertUntouched(context);
  // One prompt and one file with something in it are served as before.
  const served = await send(context, '/v1/audio/transcriptions', [...transcript, ['prompt', 'names'], ['file', file]]);
  assert.is(served.status, 200);
});

test.run();
