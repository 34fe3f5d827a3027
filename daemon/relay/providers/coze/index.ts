/** Coze bots. Source: providers/coze.md, read 2026-11. */
import { readFailure } from '../../failure.ts';
import { isObject, type Json } from '../../json.ts';
import type { ProviderAdapter, UpstreamCall } from '../../provider.ts';

/** Whom the bot talks to: the client's own user, else the one of the key, else the channel's, else the caller's account. */
function amendBody(body: Json, { settings, other }: UpstreamCall): Json {
  const known = settings.user ?? other;
  if (!isObject(body) || known === '' || !String(body.user_id).startsWith('tollgate')) return body;
  return { ...body, user_id: known };
}

export const coze: ProviderAdapter = {
  id: 'coze',
  owner: 'coze',
  label: { en: 'Coze', zh: '扣子 Coze' },
  channelType: 103,
  // The Chinese site is https://api.coze.cn.
  baseUrl: 'https://api.coze.com',
  speaks: { chat: ['coze-chat'] },
  streamUsage: false,
  traits: { identity: true, filesByAddress: true },
  // The other manner answers with nothing but a promise.
  answersOnly: () => 'stream',
  models: [],
  keyParts: [undefined, 'user'],
  path: ({ operation }) => (operation === 'upload' ? '/v1/files/upload' : '/v3/chat'),
  auth: () => ({ kind: 'bearer', parts: [0] }),
  amendBody,
  readFailure: (reply) =>
    readFailure(reply, 'coze', [
      { code: ['4100', '4101', '700012006'], means: 'bad-key' },
      { code: ['4019', '4027', '4028'], means: 'no-credit' },
      { code: ['4015', '4200'], means: 'no-model' },
      { code: ['4008', '4013', '4016'], means: 'rate-limit' },
      { code: ['4000', '4001', '702093001'], means: 'bad-request' },
      { code: '5000', means: 'overload' },
    ]),
};
