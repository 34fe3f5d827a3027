/** Which template an attempt goes by: in what manner the upstream is asked, and in which of its formats. */
import { chatFormatOf } from '../relay/formats/index.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { ChannelView } from '../snapshots/channel-view.ts';
import { type CallTemplates, namesOn, type TemplateResult } from './call-template.ts';
import type { Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';
import { passesThrough } from './pass-through.ts';
import type { RoutedPick } from './route.ts';

/** What of a request decides it. */
export interface TemplateWish {
  readonly exchange: Pick<Exchange, 'endpoint' | 'request' | 'view'>;
  readonly inspection: Inspection;
  /** Name to route by, prefix included. */
  readonly model: string;
}

/** The template for a pick. Throws `invalid_api_type`. */
export function templateFor(templates: CallTemplates, wish: TemplateWish, pick: RoutedPick): TemplateResult {
  const { channel, key } = pick;
  const { endpoint, request, view } = wish.exchange;
  const { model } = wish;
  const stream = asksForStream(wish, channel);
  const other = request.apiVersion === undefined ? undefined : otherOf(request.apiVersion, channel);
  const kind = { endpoint, channel, key, model, stream, options: view.options, other };
  const found = templates.of(kind);
  if (!('template' in found)) return found;
  const { adapter, call, choice } = found.template;
  if (adapter.avoids?.(call, wish.inspection.json) !== true || passesThrough(wish.exchange, call.setting)) return found;
  const elsewhere = templates.of({ ...kind, without: choice.format });
  return 'template' in elsewhere ? elsewhere : found;
}

function otherOf(version: string, { record }: ChannelView): string | undefined {
  return providerOf(record.type)?.otherOf?.(version);
}

/** Is the upstream asked for a stream: as the client wishes, unless the channel does only one of the two. */
function asksForStream({ inspection, exchange, model }: TemplateWish, channel: ChannelView): boolean {
  const { stream_support: support, force_stream: forced } = channel.setting;
  const adapter = providerOf(channel.record.type);
  const only = adapter?.answersOnly?.(namesOn(channel, model)?.upstream ?? model);
  const mayStream = support !== 'NON_STREAM_ONLY' && only !== 'whole';
  const wanted = inspection.stream ? mayStream : forced === true || only === 'stream';
  return wanted === inspection.stream || chatFormatOf(exchange.endpoint.format) === undefined
    ? inspection.stream
    : wanted;
}
