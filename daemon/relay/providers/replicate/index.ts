/**
 * Replicate's models for texts and images, by predictions that are awaited, texts also as they come. Source:
 * providers/replicate.md and replicate.com/docs/reference/http, read 2026-11.
 */
import { readFailure } from '../../failure.ts';
import { asNumber, asObject, asObjects, asWord, parseJson } from '../../formats/fields.ts';
import { imagesAtOnce } from '../../formats/replicate-images/index.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { pathOn } from '../openai-compatible.ts';

/** A version of a community model, by its hash. */
const isVersion = /(?:^|:)[0-9a-f]{64}$/;

/** Somebody's own deployment of a model, named as its path is. */
const isDeployment = /^deployments\/[^/]+\/[^/]+$/;

/** Seconds that a prediction is waited for at once. Before it is answered nobody knows by what name to call it off. */
const waitSeconds = 10;
/**
 * What is not called off, because its node died or was never told its name, ends by itself: later than anybody here
 * waits for it. A text that is heard as it comes may take as long as streams do.
 */
const longest = { whole: '10m', stream: '1h' };

function pathOf({ baseUrl, model, operation }: UpstreamCall): string {
  if (operation === 'upload') return pathOn(baseUrl, '/v1/files');
  if (isVersion.test(model)) return pathOn(baseUrl, '/v1/predictions');
  const name = isDeployment.test(model) ? model : `models/${model}`;
  return pathOn(baseUrl, `/v1/${name.split('/').map(encodeURIComponent).join('/')}/predictions`);
}

function amendBody(body: Json, { model }: UpstreamCall): Json {
  return isObject(body) && isVersion.test(model) ? { ...body, version: model } : body;
}

/** Models that are called by their bare name; anybody's others need the hash of a version. */
function readModels(body: Json): string[] | undefined {
  const members = asObject(body);
  if (!Array.isArray(members?.models)) return undefined;
  return asObjects(members.models).flatMap(({ owner, name }) => {
    const words = [asWord(owner), asWord(name)];
    return words.includes(undefined) ? [] : [words.join('/')];
  });
}

/** When to come back, in seconds, which the vendor says in the body. */
function toldWait(body: string): Readonly<Record<string, string>> {
  const seconds = asNumber(asObject(parseJson(body))?.retry_after);
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

export const replicate: ProviderAdapter = {
  id: 'replicate',
  owner: 'replicate',
  label: { en: 'Replicate', zh: 'Replicate' },
  channelType: 109,
  baseUrl: 'https://api.replicate.com',
  speaks: {
    chat: ['replicate-predictions'],
    images: ['replicate-images'],
    'image-edits': ['replicate-images'],
  },
  atOnce: ({ capability, model }) =>
    capability === 'images' || capability === 'image-edits' ? imagesAtOnce(model) : undefined,
  streamUsage: false,
  traits: { topK: true },
  models: [
    'openai/gpt-oss-120b',
    'deepseek-ai/deepseek-v3.1',
    'meta/meta-llama-3-70b-instruct',
    'black-forest-labs/flux-schnell',
    'black-forest-labs/flux-1.1-pro',
    'black-forest-labs/flux-2-pro',
    'google/nano-banana',
    'bytedance/seedream-4.5',
    'ideogram-ai/ideogram-v3-turbo',
  ],
  path: pathOf,
  auth: () => ({ kind: 'bearer' }),
  // A stream stands at an address that the answer names.
  headers: ({ stream }): Record<string, string> =>
    stream
      ? { accept: 'application/json', 'cancel-after': longest.stream }
      : { prefer: `wait=${waitSeconds}`, 'cancel-after': longest.whole },
  amendBody,
  listModels: ({ baseUrl }) => ({
    method: 'GET',
    path: pathOn(baseUrl, '/v1/collections/official'),
    auth: { kind: 'bearer' },
    read: readModels,
  }),
  readFailure: (reply) =>
    readFailure({ ...reply, headers: { ...toldWait(reply.body), ...reply.headers } }, 'replicate', [
      { status: 401, means: 'bad-key' },
      { status: 402, means: 'no-credit' },
      { status: 404, means: 'no-model' },
      { code: 'content_filter', means: 'bad-request' },
      { status: 422, means: 'bad-request' },
    ]),
};
