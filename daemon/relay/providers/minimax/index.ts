/** MiniMax. Source: providers/minimax.md, read 2026-11. */
import type { FormatId } from '../../format.ts';
import type { UpstreamCall } from '../../provider.ts';
import { modelList, openaiCompatible, pathOn } from '../openai-compatible.ts';
import { fitMiniMax } from './quirks.ts';

const paths: Partial<Record<FormatId, string>> = {
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/anthropic/v1/messages',
  'minimax-embeddings': '/v1/embeddings',
  'minimax-images': '/v1/image_generation',
  'minimax-speech': '/v1/t2a_v2',
};

const version = /\/v1$/;
/** The vendor shows the address of Anthropic's dialect as one of its own. */
const pasted = /\/anthropic(?:\/v1)?$/;

/** The address of earlier years knows none of the newer paths. */
function placed(baseUrl: string, path: string): string {
  const host = baseUrl.replace(pasted, '').replace(version, '');
  if (pasted.test(baseUrl) && host !== 'https://api.minimax.chat') return host + path;
  if (host === 'https://api.minimax.chat') return `https://api.minimaxi.com${path}`;
  // Anthropic's dialect stands beside the version, not below it.
  return host === baseUrl || path.startsWith('/v1/') ? pathOn(baseUrl, path) : host + path;
}

/** Media and embeddings want the key's group, if known. */
function pathOf({ baseUrl, format, settings }: UpstreamCall): string {
  const query = format.startsWith('minimax-') && settings.group !== undefined ? `?GroupId=${settings.group}` : '';
  return placed(baseUrl, paths[format] ?? '/v1/chat/completions') + query;
}

export const minimax = openaiCompatible({
  id: 'minimax',
  owner: 'minimax',
  label: { en: 'MiniMax', zh: 'MiniMax' },
  channelType: 35,
  // Keys of the international site need https://api.minimax.io.
  baseUrl: 'https://api.minimaxi.com',
  speaks: {
    chat: ['openai-chat', 'anthropic-messages', 'openai-responses'],
    embeddings: ['minimax-embeddings'],
    images: ['minimax-images'],
    speech: ['minimax-speech'],
    'image-edits': ['minimax-images'],
  },
  atOnce: ({ capability }) => (capability === 'images' || capability === 'image-edits' ? 9 : undefined),
  path: pathOf,
  keyParts: [undefined, 'group'],
  keyClaims: { group: 'GroupID' },
  auth: () => ({ kind: 'bearer', parts: [0] }),
  reportsBeside: true,
  traits: { replayReasoning: true, ownStops: true },
  listModels: ({ baseUrl }) => modelList(placed(baseUrl, '/v1/models'), { kind: 'bearer', parts: [0] }),
  failures: [
    { code: ['1004', '2049'], means: 'bad-key' },
    { code: '1008', means: 'no-credit' },
    { code: ['1002', '1039', '1041', '2045'], means: 'rate-limit' },
    // What a plan allows in five hours.
    { code: '2056', means: 'rate-limit', exhausts: 'key' },
    { code: ['1000', '1001', '1013', '1024', '1033'], means: 'overload' },
    { code: ['1026', '1027', 'content_filter'], means: 'bad-request', tells: 'content_filter' },
    { code: '1042', means: 'bad-request' },
    // Voices that are not there, too short, or another's.
    { code: ['1043', '1044', '2037', '2038', '2039', '2042', '2048', '20132'], means: 'bad-request' },
    { code: '2013', text: /unknown model|not support model/i, means: 'no-model' },
    { code: '2013', means: 'bad-request' },
    { code: '2061', means: 'no-model' },
  ],
  amend: fitMiniMax,
  models: [
    'MiniMax-M3.1-Flash-Preview',
    'MiniMax-M3',
    'MiniMax-M2.7',
    'MiniMax-M2.7-highspeed',
    'MiniMax-M2.5',
    'MiniMax-M2.5-highspeed',
    'MiniMax-M2.1',
    'MiniMax-M2.1-highspeed',
    'MiniMax-M2',
    'M2-her',
    'MiniMax-M1',
    'MiniMax-Text-01',
    'MiniMax-VL-01',
    'embo-01',
    'speech-2.8-hd',
    'speech-2.8-turbo',
    'speech-2.6-hd',
    'speech-2.6-turbo',
    'speech-02-hd',
    'speech-02-turbo',
    'image-01',
    'abab6.5s-chat',
    'abab6.5-chat',
    'abab6.5t-chat',
    'abab6-chat',
    'abab5.5-chat',
    'abab5.5s-chat',
  ],
});
