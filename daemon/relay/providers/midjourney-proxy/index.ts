/**
 * Midjourney proxies: self-hosted or resold servers that draw by tasks below `/mj`. Two channel types, one protocol: a
 * server of the plain type answers 404 to what it does not know. Source: providers/midjourney.md, read 2026-11.
 */
import { type FailureRule, readFailure } from '../../failure.ts';
import type { ProviderAdapter } from '../../provider.ts';

/** Only the secret is sent, raw: newer servers read `Authorization` first and compare it as it is. */
const SECRET_HEADER = 'mj-api-secret';
const failures: readonly FailureRule[] = [
  { status: [401, 403], means: 'bad-key' },
  { status: 404, means: 'no-model' },
];

function midjourneyProxy(own: Pick<ProviderAdapter, 'id' | 'label' | 'channelType' | 'models'>): ProviderAdapter {
  return {
    ...own,
    owner: 'midjourney',
    baseUrl: '',
    speaks: { tasks: ['midjourney'] },
    streamUsage: false,
    path: ({ operation = 'submit/imagine' }) => `/mj/${operation}`,
    auth: () => ({ kind: 'header', name: SECRET_HEADER }),
    readFailure: (reply) => readFailure(reply, own.id, failures),
  };
}

const plain = ['mj_imagine', 'mj_describe', 'mj_blend', 'mj_upscale', 'mj_variation', 'mj_reroll', 'mj_upload'];

export const midjourney = midjourneyProxy({
  id: 'midjourney-proxy',
  label: { en: 'Midjourney Proxy', zh: 'Midjourney Proxy' },
  channelType: 2,
  models: plain,
});

export const midjourneyPlus = midjourneyProxy({
  id: 'midjourney-proxy-plus',
  label: { en: 'Midjourney Proxy Plus', zh: 'Midjourney Proxy Plus' },
  channelType: 5,
  models: [
    ...plain,
    'mj_modal',
    'mj_inpaint',
    'mj_zoom',
    'mj_custom_zoom',
    'mj_shorten',
    'mj_high_variation',
    'mj_low_variation',
    'mj_pan',
    'mj_edits',
    'mj_video',
    'swap_face',
  ],
});
