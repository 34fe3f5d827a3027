/** Suno proxies: servers that make songs and lyrics by tasks below `/suno`. Source: providers/suno.md, read 2026-11. */
import { type FailureRule, readFailure } from '../../failure.ts';
import { asNumber, asObject } from '../../formats/fields.ts';
import { isObject } from '../../json.ts';
import type { ProviderAdapter } from '../../provider.ts';

/** These servers have few codes, and each its own: what is said of the account has to be read. */
const failures: readonly FailureRule[] = [
  { code: 'quota_not_enough', means: 'no-credit' },
  { text: /(?:insufficient|not enough|no) (?:\w+ )?(?:credits?|quota|balance)/i, means: 'no-credit' },
  {
    text: /(?:credits?|quota|balance) (?:is |are |has been )?(?:not enough|insufficient|exhausted|used up)/i,
    means: 'no-credit',
  },
  // With 429 it is a pause.
  { status: [400, 402], text: /(?:credits?|quota) (?:is |are |has been )?exceeded/i, means: 'no-credit' },
  { status: [401, 403], means: 'bad-key' },
  { status: 404, means: 'no-model' },
  { text: /(?:invalid|expired|unknown) (?:api )?(?:key|token)|unauthori[sz]ed/i, means: 'bad-key' },
  {
    text: /(?:key|token) (?:is |has |was )?(?:invalid|expired|revoked)|\bauth(?:entication)? failed/i,
    means: 'bad-key',
  },
];

export const suno: ProviderAdapter = {
  id: 'suno',
  owner: 'suno',
  label: { en: 'Suno API', zh: 'Suno API' },
  channelType: 36,
  baseUrl: '',
  speaks: { tasks: ['suno'] },
  streamUsage: false,
  path: ({ operation = 'fetch' }) => `/suno/${operation}`,
  auth: () => ({ kind: 'bearer' }),
  // A refusal inside a success is the request's, unless it speaks of the account.
  readFailure: (reply) => readFailure(reply.status < 300 ? { ...reply, status: 400 } : reply, 'suno', failures),
  // Of the account nothing else is read: it also has the session that the proxy uses.
  balance: () => [
    {
      method: 'GET',
      path: '/suno/account',
      auth: { kind: 'bearer' },
      read: (body) => (isObject(body) ? asNumber(asObject(body.data)?.credits_left) : undefined),
    },
  ],
  models: ['suno_music', 'suno_lyrics'],
};
