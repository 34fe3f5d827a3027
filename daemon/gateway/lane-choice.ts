/** Which of a provider's formats an attempt speaks, and whether the client's bytes can go there as they are. */

import { callTranslatorOf } from '../relay/calls/index.ts';
import { nativeCallReaderOf } from '../relay/calls/native.ts';
import type { Capability, FormatId } from '../relay/format.ts';
import { chatFormatOf, upstreamFormatOf } from '../relay/formats/index.ts';
import type { ProviderAdapter, UpstreamCall } from '../relay/provider.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import type { Endpoint } from './exchange.ts';

export interface LaneChoice {
  /**
   * `native`: the provider speaks what the client speaks. `translated`: a conversation in another format; `converted`:
   * a call of another kind in another format.
   */
  readonly lane: 'native' | 'translated' | 'converted';
  readonly format: FormatId;
}

/**
 * The lane for an endpoint on a channel; undefined when the channel cannot serve it (relay.md 11.2). `call` names
 * the key's settings, the upstream's model and a format that it does not take such a request in; before a key is
 * chosen, all that the vendor speaks counts.
 */
export function chooseLane(
  adapter: ProviderAdapter,
  channel: Pick<ChannelView, 'setting'>,
  endpoint: Endpoint,
  call?: Pick<UpstreamCall, 'settings' | 'model'> & { readonly without?: FormatId | undefined },
): LaneChoice | undefined {
  if (adapter.retired !== undefined) return undefined;
  const offered = adapter.speaks[endpoint.capability] ?? [];
  const known = call === undefined ? undefined : adapter.formatsFor?.(call.settings, call.model, channel.setting);
  const able = offered.filter((format) => known?.includes(format) !== false && format !== call?.without);
  const spoken = channel.setting.responses_native === false ? withoutResponses(able, offered) : able;
  const native = spoken.includes(endpoint.format) ? endpoint.format : undefined;
  if (endpoint.format === 'openai-responses') {
    const wished = channel.setting.responses_native;
    if (wished === true || (wished !== false && native !== undefined))
      return { lane: 'native', format: endpoint.format };
  } else if (native !== undefined) {
    return { lane: 'native', format: native };
  }
  if (endpoint.capability === 'completions')
    return chooseLane(adapter, channel, { ...endpoint, capability: 'chat' }, call);
  if (endpoint.capability !== 'chat') return converted(endpoint, spoken);
  if (chatFormatOf(endpoint.format) === undefined) return undefined;
  const translated = spoken.find((format) => upstreamFormatOf(format) !== undefined && format !== endpoint.format);
  return translated === undefined ? undefined : { lane: 'translated', format: translated };
}

/** A host that only imitates the vendor: whatever its models are named, it is asked in the dialect that it has. */
function withoutResponses(able: readonly FormatId[], offered: readonly FormatId[]): readonly FormatId[] {
  const rest = able.filter((format) => format !== 'openai-responses' && format !== 'openai-responses-compact');
  return rest.length > 0 || able.length === 0 ? rest : offered.filter((format) => format === 'openai-chat');
}

function converted({ format }: Endpoint, spoken: readonly FormatId[]): LaneChoice | undefined {
  const found = spoken.find((upstream) => callTranslatorOf(format, upstream) !== undefined);
  return found === undefined ? undefined : { lane: 'converted', format: found };
}

/** True for answers that no stream of text and no conversation can be: they take the lane of calls. */
export function isCall({ lane, format }: LaneChoice, capability: Capability): boolean {
  return lane === 'converted' || nativeCallReaderOf(capability, format) !== undefined;
}
