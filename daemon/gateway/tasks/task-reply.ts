/** Answers of a platform's upstreams that are not in the platform's words: judged by the vendor's adapter like any other. */
import type { UpstreamFailure } from '../../errors.ts';
import { keyRemover } from '../../relay/failure-mask.ts';
import type { FormatId } from '../../relay/format.ts';
import type { ProviderAdapter } from '../../relay/provider.ts';
import { providerOf } from '../../relay/providers/index.ts';
import { unusableReply } from '../attempt-failure.ts';
import type { RoutedPick } from '../route.ts';
import { MAX_ERROR_BYTES } from '../typed-reply.ts';
import { type TaskReply, taskCall } from './task-request.ts';

/** What was asked, as far as its judge must know. */
interface JudgedCall {
  readonly format: FormatId;
  readonly model: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** Why the answer is none: a status that refuses, or a success that says nothing readable. */
export function strangeReply(reply: TaskReply, pick: RoutedPick, call: JudgedCall): UpstreamFailure {
  const { status, body } = reply;
  if (status < 200 || status > 299) return spokenFailure(reply, pick, call);
  const code = body.length === 0 ? 'empty_response' : 'bad_response_body';
  return unusableReply({ adapter: adapterOf(pick) }, code).failure;
}

/** What the answer says went wrong, whatever its status. */
export function spokenFailure(
  { status, headers, body }: TaskReply,
  pick: RoutedPick,
  { format, model, nowMs }: JudgedCall,
): UpstreamFailure {
  const adapter = adapterOf(pick);
  const named: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) named[name] = Array.isArray(value) ? value.join(', ') : value;
  return adapter.readFailure({
    status,
    headers: named,
    body: body.toString('utf8', 0, MAX_ERROR_BYTES),
    call: { ...taskCall(adapter, pick.channel, { format, model }), withoutKey: keyRemover(pick.key.secret) },
    nowMs,
  });
}

function adapterOf({ channel }: RoutedPick): ProviderAdapter {
  const adapter = providerOf(channel.record.type);
  if (adapter === undefined) throw new TypeError('a channel without an adapter was asked');
  return adapter;
}
