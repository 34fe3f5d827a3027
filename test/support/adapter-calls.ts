/** Adapters by their id, and calls to hand them. */
import * as assert from 'uvu/assert';
import type { ProviderAdapter, UpstreamCall } from '../../daemon/relay/provider.ts';
import { providers } from '../../daemon/relay/providers/index.ts';

export function adapterOf(id: string): ProviderAdapter {
  const adapter = providers.find((entry) => entry.id === id);
  assert.ok(adapter);
  return adapter;
}

/** A whole chat in OpenAI's dialect, unless `rest` says otherwise. */
export function callOf(adapter: ProviderAdapter, rest: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    capability: 'chat',
    format: 'openai-chat',
    model: 'some-model',
    stream: false,
    baseUrl: adapter.baseUrl,
    other: '',
    organization: undefined,
    setting: {},
    settings: {},
    options: {},
    ...rest,
  };
}
