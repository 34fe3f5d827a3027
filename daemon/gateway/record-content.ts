/** Hands prompt and answer of a finished call to whoever stores them, while the option asks for it (relay.md 16.2). */
import type { CallContent } from '../domain/log-content.ts';
import { answeredIn, askedIn, type Said } from '../relay/conversation-texts.ts';
import { AnswerCopy } from './answer-copy.ts';
import { callDigests } from './logged-calls.ts';
import type { FinishListener } from './record.ts';

/** Calls without a log row have nothing to be shown with and are left out. */
export function contentListener(keep: (content: CallContent) => void): FinishListener {
  return ({ account, bill, outcome }) => {
    const { exchange, caller, inspection } = account;
    const { sink, endpoint, id } = exchange;
    if (!(sink instanceof AnswerCopy) || bill.settlement.rows.length === 0) return;
    const asked = askedIn(endpoint.format, inspection.json);
    if (asked === undefined) return;
    const isTrusted = outcome.served?.pick.channel.setting.untrusted !== true;
    const said = outcome.meter === undefined ? [] : [answeredIn(endpoint.format, sink.bytes)];
    const calls = isTrusted ? [] : callDigests(endpoint.format, sink.bytes);
    keep({
      requestId: id,
      userId: caller.user.id,
      createdAt: bill.settlement.nowSeconds,
      ...parted(asked),
      outputContent: [...said, ...calls].filter((text) => text !== '').join('\n'),
    });
  };
}

/** Instructions, the last question, and what was said around it. */
function parted(asked: readonly Said[]): Pick<CallContent, 'systemPrompt' | 'context' | 'inputContent'> {
  const system = asked.filter(({ role }) => role === 'system');
  const others = asked.filter(({ role }) => role !== 'system');
  const last = others.findLastIndex(({ role }) => role === 'user');
  return {
    systemPrompt: system.map(({ content }) => content).join('\n'),
    context: others.filter((_, index) => index !== last),
    inputContent: others[last]?.content ?? '',
  };
}
