/**
 * Imagen on Vertex AI through a whole daemon: new images, edits and masks, charged by what came (relay.md 5.6, 15.5).
 * Runs once: what is sent to a vendor, and made of its answer, is the same on every database.
 */
import OpenAI, { toFile } from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { logRowOf } from '../support/log-row.ts';
import { alphaPng, shadesOf } from '../support/mask-files.ts';
import { postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';
import { picture } from './image-vendors.ts';

const test = suite<RelayWorld>('relay: images on Vertex');

const capability = 'imagen-3.0-capability-001';
const four = 'imagen-4.0-generate-001';
/** 0.01 USD each. */
const quotaOfOne = 5000;
const b64 = picture.toString('base64');
const inline = `data:image/png;base64,${b64}`;
/** Two pixels, of which the first may change. */
const alpha = alphaPng({ width: 2, opacity: [0, 255] });
const mask = `data:image/png;base64,${alpha.toString('base64')}`;
const made = (count = 1) =>
  jsonAnswer({ predictions: Array(count).fill({ mimeType: 'image/png', bytesBase64Encoded: b64 }) });

test.before(async (world) => {
  world.upstream = await startFakeUpstream();
  const prices = { [capability]: 0.01, [four]: 0.01 };
  world.daemon = await startTestDaemon({
    config: { 'limits.per_user.enabled': false },
    options: { ModelPrice: JSON.stringify(prices), AutomaticDisableChannelEnabled: 'false', RetryTimes: '0' },
  });
  await world.daemon.addChannel({
    type: 41,
    key: 'acme|AIza-key',
    other: 'us-central1',
    base_url: world.upstream.url,
    models: `${capability},${four}`,
  });
  world.key = await world.daemon.addKey();
});
tidyBetween(test);

/** What was sent, with `painted` in place of a mask in which what may change is white. */
function sent({ upstream }: RelayWorld): unknown {
  return JSON.parse(upstream.requests[0]?.body.toString() ?? '', (_, value) => {
    if (value?.referenceType !== 'REFERENCE_TYPE_MASK' || value.referenceImage === undefined) return value;
    assert.equal(shadesOf(Buffer.from(value.referenceImage.bytesBase64Encoded, 'base64')), [255, 0]);
    return { ...value, referenceImage: 'painted' };
  });
}

interface Case {
  readonly kind: 'generations' | 'edits';
  readonly asked: Record<string, unknown>;
  readonly instance: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
  readonly lost?: readonly string[];
}

const raw = { referenceType: 'REFERENCE_TYPE_RAW', referenceId: 1, referenceImage: { bytesBase64Encoded: b64 } };
const edited = { model: capability, prompt: 'a hat', images: [{ image_url: inline }] };
const painted = (config: object = {}) => ({
  referenceType: 'REFERENCE_TYPE_MASK',
  referenceId: 2,
  referenceImage: 'painted',
  maskImageConfig: { maskMode: 'MASK_MODE_USER_PROVIDED', ...config },
});

const cases: Readonly<Record<string, Case>> = {
  'new images, with the words of the host': {
    kind: 'generations',
    asked: {
      model: four,
      prompt: 'a cat',
      n: 2,
      size: '1792x1024',
      output_format: 'jpeg',
      output_compression: 80,
      negative_prompt: 'dogs',
      seed: 7,
      addWatermark: false,
      personGeneration: 'dont_allow',
      quality: 'high',
      storageUri: 'gs://bucket',
    },
    instance: { prompt: 'a cat' },
    parameters: {
      sampleCount: 2,
      aspectRatio: '16:9',
      negativePrompt: 'dogs',
      outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 },
      seed: 7,
      addWatermark: false,
      personGeneration: 'dont_allow',
    },
    // What the host keeps in a bucket could not be given to anybody.
    lost: ['quality', 'storageUri'],
  },
  'new images, large': {
    kind: 'generations',
    // What is left to the vendor is not lost.
    asked: { model: four, prompt: 'a cat', size: '2K', quality: 'auto', background: 'auto' },
    instance: { prompt: 'a cat' },
    parameters: { sampleCount: 1, sampleImageSize: '2K' },
  },
  'an edit inside a mask': {
    kind: 'edits',
    asked: { ...edited, mask, n: 2, dilation: 0.02, editConfig: { baseSteps: 35 } },
    instance: { prompt: 'a hat', referenceImages: [raw, painted({ dilation: 0.02 })] },
    parameters: { sampleCount: 2, editMode: 'EDIT_MODE_INPAINT_INSERTION', editConfig: { baseSteps: 35 } },
  },
  'an image made larger': {
    kind: 'edits',
    asked: { ...edited, mask, editMode: 'EDIT_MODE_OUTPAINT', baseSteps: 40, size: '1024x1024' },
    instance: { prompt: 'a hat', referenceImages: [raw, painted()] },
    parameters: { sampleCount: 1, editMode: 'EDIT_MODE_OUTPAINT', editConfig: { baseSteps: 40 } },
    lost: ['size'],
  },
  'another background, found by the model': {
    kind: 'edits',
    asked: { ...edited, maskMode: 'MASK_MODE_BACKGROUND', dilation: 0 },
    instance: {
      prompt: 'a hat',
      referenceImages: [
        raw,
        {
          referenceType: 'REFERENCE_TYPE_MASK',
          referenceId: 2,
          maskImageConfig: { maskMode: 'MASK_MODE_BACKGROUND', dilation: 0 },
        },
      ],
    },
    parameters: { sampleCount: 1, editMode: 'EDIT_MODE_BGSWAP' },
  },
  'what the model is told to take away': {
    kind: 'edits',
    asked: {
      ...edited,
      maskMode: 'MASK_MODE_SEMANTIC',
      maskClasses: [175, 176],
      editMode: 'EDIT_MODE_INPAINT_REMOVAL',
    },
    instance: {
      prompt: 'a hat',
      referenceImages: [
        raw,
        {
          referenceType: 'REFERENCE_TYPE_MASK',
          referenceId: 2,
          maskImageConfig: { maskMode: 'MASK_MODE_SEMANTIC', maskClasses: [175, 176] },
        },
      ],
    },
    parameters: { sampleCount: 1, editMode: 'EDIT_MODE_INPAINT_REMOVAL' },
  },
  'an edit of the whole image': {
    kind: 'edits',
    asked: { ...edited, guidanceScale: 60, enhancePrompt: true },
    instance: { prompt: 'a hat', referenceImages: [raw] },
    parameters: { sampleCount: 1, guidanceScale: 60 },
    lost: ['enhancePrompt'],
  },
};

for (const [name, { kind, asked, instance, parameters, lost }] of Object.entries(cases)) {
  test(`asks, reads and charges: ${name}`, async (world) => {
    const count = Number(asked.n ?? 1);
    world.upstream.script(made(count));
    const told = await postJson(world, `/v1/images/${kind}`, asked);
    assert.is(told.status, 200, JSON.stringify(told.body));
    assert.equal(told.body.data, Array(count).fill({ b64_json: b64 }));
    assert.equal(
      world.upstream.requests.map(({ url }) => url),
      [`/v1/projects/acme/locations/us-central1/publishers/google/models/${String(asked.model)}:predict`],
    );
    assert.is(world.upstream.requests[0]?.headers['x-goog-api-key'], 'AIza-key');
    assert.equal(sent(world), { instances: [instance], parameters });
    const row = await logRowOf(world.daemon, told.answer);
    assert.is(row.quota, count * quotaOfOne);
    assert.equal(row.facts.dropped_fields, lost);
  });
}

test('reads a form: its files, and what it can only write as text', async (world) => {
  world.upstream.script(made());
  const client = new OpenAI({ apiKey: world.key, baseURL: `${world.daemon.url}/v1`, maxRetries: 0 });
  const own = { dilation: '0.03', editConfig: '{"baseSteps":20}', addWatermark: 'false', seed: '7' };
  await client.images.edit({
    model: capability,
    prompt: 'a hat',
    image: await toFile(picture, 'a.png', { type: 'image/png' }),
    mask: await toFile(alpha, 'm.png', { type: 'image/png' }),
    ...own,
  });
  assert.equal(sent(world), {
    instances: [{ prompt: 'a hat', referenceImages: [raw, painted({ dilation: 0.03 })] }],
    parameters: {
      sampleCount: 1,
      addWatermark: false,
      seed: 7,
      editMode: 'EDIT_MODE_INPAINT_INSERTION',
      editConfig: { baseSteps: 20 },
    },
  });
});

test('asks for more images than four in several requests', async (world) => {
  world.upstream.script(({ body }) => made(JSON.parse(body.toString()).parameters.sampleCount));
  const told = await postJson(world, '/v1/images/edits', { ...edited, mask, n: 6 });
  assert.is(told.status, 200, JSON.stringify(told.body));
  assert.is(world.upstream.requests.length, 2);
  assert.is((await logRowOf(world.daemon, told.answer)).quota, 6 * quotaOfOne);
});

test('refuses what the model cannot do, and asks nobody', async (world) => {
  for (const [asked, code, text] of [
    [{ ...edited, model: four }, 'convert_request_failed', 'this model edits no images'],
    [{ ...edited, images: [{ image_url: inline }, { image_url: inline }] }, 'convert_request_failed', 'one image'],
    [{ ...edited, editMode: 'EDIT_MODE_MAGIC' }, 'invalid_request', 'EDIT_MODE_OUTPAINT'],
    [{ ...edited, maskMode: 'MASK_MODE_MAGIC' }, 'invalid_request', 'MASK_MODE_SEMANTIC'],
  ] as const) {
    const { status, body } = await postJson(world, '/v1/images/edits', asked);
    assert.equal([status, body.error?.code], [400, code], JSON.stringify(body));
    assert.match(body.error?.message ?? '', text);
  }
  assert.is(world.upstream.requests.length, 0);
});

test('tells why a filter took all images away, and charges none', async (world) => {
  world.upstream.script(jsonAnswer({ predictions: [{ raiFilteredReason: 'the result was blocked: 58061214' }] }));
  const { status, body } = await postJson(world, '/v1/images/edits', edited);
  assert.is(status, 400, JSON.stringify(body));
  assert.match(body.error?.message ?? '', '58061214');
});

test('a client of the host’s own words still passes as it is', async (world) => {
  world.upstream.script(made());
  const asked = { instances: [{ prompt: 'a hat', referenceImages: [raw] }], parameters: { sampleCount: 1 } };
  const response = await fetch(`${world.daemon.url}/v1beta/models/${capability}:predict`, {
    method: 'POST',
    headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  assert.is(response.status, 200);
  assert.equal(sent(world), asked);
});

test.run();
