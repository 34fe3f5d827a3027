/** Why nobody serves a model to a caller. */
import { TollgateError } from '../errors.ts';
import { providerOf } from '../relay/providers/index.ts';
import type { AbilityView } from '../snapshots/channel-index.ts';
import { type Caller, groupsOf } from './authenticate.ts';
import type { Exchange } from './exchange.ts';

/** Nobody ever does, those who do cannot serve such a call, or nobody does now. */
export function noChannel(exchange: Exchange, caller: Caller, model: string): TollgateError {
  const usable = Object.keys(exchange.view.options.get('UserUsableGroups'));
  const everOffered = exchange.view.channels.offers(model, new Set([...usable, caller.user.group, caller.group]));
  if (!everOffered) return new TollgateError('model_not_found', { model }, { field: 'model' });
  const groups = groupsOf(exchange.view, caller);
  const offering = groups.flatMap((group) => exchange.view.channels.candidates(group, model));
  const isRetired = ({ channel }: AbilityView) => providerOf(channel.record.type)?.retired !== undefined;
  if (offering.length > 0 && offering.every(isRetired)) {
    return new TollgateError('model_retired', { model }, { field: 'model' });
  }
  const { unserved } = exchange.endpoint;
  if (offering.length > 0 && unserved !== undefined) return new TollgateError(unserved, { model }, { field: 'model' });
  if (offering.length === 0) return nobodyNow(caller, model);
  return new TollgateError('endpoint_not_served', { group: caller.group, model }, { retryAfterSeconds: 5 });
}

/** Channels that offer the model are switched off, or lack what the request names. */
export function nobodyNow({ group }: Caller, model: string): TollgateError {
  return new TollgateError('no_channel_for_model', { group, model }, { retryAfterSeconds: 5 });
}
