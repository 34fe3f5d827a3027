/** Whether a client's own bytes may go to an upstream of its dialect. */
import { carriesWrappedSeal } from '../relay/canonical/seal.ts';
import { chatFormatOf } from '../relay/formats/index.ts';
import type { Exchange } from './exchange.ts';
import type { Inspection } from './inspect.ts';

/** What an operator may have wished of a channel. */
type Setting = Readonly<Record<string, unknown>>;

/** The operator wants bodies untouched, on this channel or on all. */
export function passesThrough(exchange: Pick<Exchange, 'view'>, setting: Setting): boolean {
  return setting.pass_through_body_enabled === true || exchange.view.options.get('global.pass_through_request_enabled');
}

/** A thought that another vendor signed, as Tollgate wrapped it: this vendor would refuse the request for it. */
export function bringsForeignSeal(
  { exchange, inspection }: { readonly exchange: Pick<Exchange, 'endpoint' | 'view'>; readonly inspection: Inspection },
  setting: Setting,
): boolean {
  if (chatFormatOf(exchange.endpoint.format) === undefined || !carriesWrappedSeal(inspection.body)) return false;
  return !passesThrough(exchange, setting);
}
