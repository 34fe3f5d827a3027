/** Google's Generative Language API. Knows only its own dialect. Source: providers/gemini.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import { asObject, asObjects, asTexts, asWord } from '../../formats/fields.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';
import { readGoogleFailure } from '../google-failures.ts';
import { googleAtOnce } from '../google-limits.ts';
import { pageAfter } from '../list-pages.ts';
import { fillSafety } from './safety.ts';

const auth = { kind: 'header', name: 'x-goog-api-key' } as const;
const ownVersion = /^v\d+(?:alpha|beta)?\d*$/;
const hasVersion = /\/v\d+(?:alpha|beta)?\d*$/;

/** The version segment: the channel's own, else the one set for the model. */
function versionOf({ other, options, model }: Pick<UpstreamCall, 'other' | 'options' | 'model'>): string {
  if (ownVersion.test(other)) return other;
  const versions = options['gemini.version_settings'];
  const known: ReadonlyMap<string, unknown> = new Map(
    typeof versions === 'object' && versions !== null ? Object.entries(versions) : [],
  );
  const version = known.get(model) ?? known.get('default');
  return typeof version === 'string' && version !== '' ? version : 'v1beta';
}

/** A path below the version, for an address that may already end in one. */
function versioned(baseUrl: string, version: string, path: string): string {
  return hasVersion.test(baseUrl) ? path : `/${version}${path}`;
}

const predicting: readonly FormatId[] = ['gemini-predict'];
const generating: readonly FormatId[] = ['gemini-generate', 'gemini-embeddings', 'gemini-images', 'gemini-speech'];

function actionOf(call: UpstreamCall): string {
  if (call.operation !== undefined) return call.operation;
  if (call.format === 'gemini-embeddings') return 'embedContent';
  if (call.format === 'gemini-predict') return 'predict';
  return call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

/** Models that can answer, without the collection that their names start with. */
function readModels(body: Json): string[] | undefined {
  if (!isObject(body) || !Array.isArray(body.models)) return undefined;
  return asObjects(body.models).flatMap((model) => {
    const methods = asTexts(model.supportedGenerationMethods);
    const serves = methods.length === 0 || methods.some((method) => /^(generateContent|embedContent)$/.test(method));
    return serves ? (asWord(model.name)?.replace(/^models\//, '') ?? []) : [];
  });
}

export const gemini: ProviderAdapter = {
  id: 'gemini',
  owner: 'google',
  label: { en: 'Google Gemini', zh: 'Google Gemini' },
  channelType: 24,
  baseUrl: 'https://generativelanguage.googleapis.com',
  speaks: {
    chat: ['gemini-generate'],
    'count-tokens': ['gemini-generate'],
    embeddings: ['gemini-embeddings'],
    images: ['gemini-images', 'gemini-predict'],
    speech: ['gemini-speech'],
    'image-edits': ['gemini-images'],
  },
  formatsFor: (_, model) => (/^imagen/.test(model) ? predicting : generating),
  streamUsage: false,
  traits: { showsToolRuns: true },
  atOnce: googleAtOnce,
  otherProblem: ({ other }) =>
    other === '' || ownVersion.test(other) ? undefined : 'must be a version such as v1beta',
  path: (call) => {
    const path = `/models/${encodeURIComponent(call.model)}:${actionOf(call)}`;
    return versioned(call.baseUrl, versionOf(call), path);
  },
  auth: () => auth,
  amends: (call) => call.capability === 'chat',
  amendBody: fillSafety,
  readFailure: (reply) => readGoogleFailure(reply, 'gemini'),
  listModels: ({ baseUrl, other }) => {
    const path = versioned(baseUrl, versionOf({ other, options: {}, model: '' }), '/models?pageSize=1000');
    const next = (body: Json) => pageAfter(path, 'pageToken', asObject(body)?.nextPageToken);
    return { method: 'GET', path, auth, read: readModels, next };
  },
  models: [
    'gemini-3.8-flash',
    'gemini-3.7-flash',
    'gemini-3.6-flash',
    'gemini-3.5-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.1-pro-preview',
    'gemini-3.1-flash-lite',
    'gemini-3-flash-preview',
    'gemini-2.5-flash-lite',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-3.1-flash-image',
    'gemini-3.1-flash-lite-image',
    'gemini-3-pro-image',
    'gemini-2.5-flash-image',
    'gemini-3.1-flash-tts-preview',
    'gemini-2.5-flash-preview-tts',
    'gemini-2.5-pro-preview-tts',
    'gemini-robotics-er-1.6-preview',
    'gemini-embedding-2',
    'gemini-embedding-001',
    'gemma-3-27b-it',
  ],
};
