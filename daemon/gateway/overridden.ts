/** What a channel's parameter override means to the rest of its attempt (relay.md 12.5). */
import { TollgateError } from '../errors.ts';
import type { Json } from '../relay/json.ts';
import type { OutgoingRequest } from '../upstream/transport.ts';
import type { CallTemplate } from './call-template.ts';
import type { RoutedPick } from './route.ts';

/** What conditions of an override may read beside the body. */
export function overrideFacts(
  { userGroup, inspection }: { readonly userGroup: string; readonly inspection: { readonly model: string } },
  template: Pick<CallTemplate, 'names'>,
  { pick, index }: { readonly pick: RoutedPick; readonly index: number },
): Record<string, Json> {
  return {
    model: inspection.model,
    original_model: inspection.model,
    upstream_model: template.names.upstream,
    retry_index: index,
    channel_id: pick.channel.record.id,
    user_group: userGroup,
    using_group: pick.group,
  };
}

/** What is made of the request, unless the channel's override makes too much of it; all other failures are thrown. */
export function unlessOvergrown<T>(make: () => T): T | 'overgrown' {
  try {
    return make();
  } catch (error) {
    if (error instanceof TollgateError && error.code === 'channel:param_override_invalid') return 'overgrown';
    throw error;
  }
}

/** The override has made more of the body than a client may send. */
export function overgrown(
  { override }: Pick<CallTemplate, 'override'>,
  body: OutgoingRequest['body'],
  maxBytes: number,
): boolean {
  return override !== undefined && Buffer.isBuffer(body) && body.length > maxBytes;
}
