/**
 * Fails a Messages stream on any illegal order of events (REQ-9).
 */
import type { WireEvent } from '../../../daemon/relay/format.ts';
import { isObject, type Json } from '../../../daemon/relay/json.ts';
import { type Answer, at, type Checked, count, emptyAnswer, list, parse, text } from './answer.ts';

const deltaOfBlock: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
  server_tool_use: ['input_json_delta'],
  mcp_tool_use: ['input_json_delta'],
};

export function checkAnthropicMessages(events: readonly WireEvent[]): Checked {
  const problems: string[] = [];
  const answer = emptyAnswer();
  let open: { index: number; type: string; input: string } | undefined;
  let next = 0;
  let phase: 'before' | 'content' | 'ending' | 'over' | 'failed' = 'before';
  let usage: Record<string, Json> = {};
  const inputs: string[] = [];
  for (const event of events) {
    const body = parse(event.data);
    const type = text(body.type);
    if (event.event !== type) problems.push(`event line ${event.event} over type ${type}`);
    if (phase === 'over' || phase === 'failed') problems.push(`${type} after the end`);
    switch (type) {
      case 'message_start': {
        if (phase !== 'before') problems.push('second message_start');
        phase = 'content';
        const message = body.message;
        if (list(at(message, 'content')).length > 0) problems.push('message_start has content');
        if (at(message, 'role') !== 'assistant') problems.push('message_start has no role');
        for (const key of ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']) {
          if (typeof at(message, 'usage', key) !== 'number') problems.push(`message_start.usage lacks ${key}`);
        }
        usage = overlay(usage, at(message, 'usage'));
        break;
      }
      case 'ping':
        break;
      case 'content_block_start': {
        if (phase !== 'content') problems.push('content_block_start out of place');
        if (open !== undefined) problems.push(`block ${open.index} is still open`);
        if (body.index !== next) problems.push(`block index ${String(body.index)} instead of ${next}`);
        const block = body.content_block;
        open = { index: next, type: text(at(block, 'type')), input: '' };
        next += 1;
        if (open.type === 'tool_use') {
          if (text(at(block, 'id')) === '' || text(at(block, 'name')) === '')
            problems.push('tool_use without id or name');
          // Clients put the input together from the deltas; what is said here would be lost or told twice.
          if (JSON.stringify(at(block, 'input')) !== '{}') problems.push('tool_use begins with an input');
          answer.calls.push({ name: text(at(block, 'name')), input: '' });
        }
        break;
      }
      case 'content_block_delta': {
        if (open === undefined || body.index !== open.index) {
          problems.push('delta outside its block');
          break;
        }
        const kind = text(at(body, 'delta', 'type'));
        const allowed = deltaOfBlock[open.type];
        if (allowed !== undefined && !allowed.includes(kind)) problems.push(`${kind} in a ${open.type} block`);
        answer.text += text(at(body, 'delta', 'text'));
        answer.reasoning += text(at(body, 'delta', 'thinking'));
        const last = answer.calls.at(-1);
        open.input += text(at(body, 'delta', 'partial_json'));
        if (open.type === 'tool_use' && last !== undefined) last.input += text(at(body, 'delta', 'partial_json'));
        break;
      }
      case 'content_block_stop':
        if (open === undefined || body.index !== open.index) problems.push('stop of a block that is not open');
        // No delta at all is an empty input, as the vendor's own clients read it.
        else if (open.input !== '') inputs.push(open.input);
        open = undefined;
        break;
      case 'message_delta': {
        if (phase !== 'content') problems.push('message_delta out of place');
        phase = 'ending';
        if (open !== undefined) problems.push(`block ${open.index} is still open at message_delta`);
        answer.finish = text(at(body, 'delta', 'stop_reason'));
        if (answer.finish === '') problems.push('message_delta without stop_reason');
        // An answer that was cut for its length may break off within an input.
        if (answer.finish === 'tool_use' && !inputs.every(isObjectText)) problems.push('an input is no object');
        if (at(body, 'delta', 'stop_sequence') === undefined) problems.push('message_delta without stop_sequence');
        if (typeof at(body, 'usage', 'output_tokens') !== 'number') problems.push('message_delta without usage');
        usage = overlay(usage, body.usage);
        break;
      }
      case 'message_stop':
        if (phase !== 'ending') problems.push('message_stop out of place');
        phase = 'over';
        break;
      case 'error':
        phase = 'failed';
        if (text(at(body, 'error', 'type')) === '') problems.push('error without type');
        break;
      default:
        problems.push(`unknown event ${type}`);
    }
  }
  if (phase !== 'over' && phase !== 'failed') problems.push(`the stream ends while ${phase}`);
  answer.usage = readMessagesUsage(usage);
  return { problems, answer, isFailed: phase === 'failed' };
}

/** Whether clients can read it as the input of a tool. */
function isObjectText(input: string): boolean {
  try {
    return isObject(JSON.parse(input));
  } catch {
    return false;
  }
}

/** A later report over an earlier one: values of 0 and null do not overwrite, but beside a cache that held it all. */
function overlay(earlier: Record<string, Json>, later: Json | undefined): Record<string, Json> {
  const merged = { ...earlier };
  if (typeof later !== 'object' || later === null || Array.isArray(later)) return merged;
  for (const [key, value] of Object.entries(later)) if (value !== null && value !== 0) merged[key] = value;
  if (later.input_tokens === 0 && count(later.cache_read_input_tokens) > 0) merged.input_tokens = 0;
  return merged;
}

function readMessagesUsage(usage: Json | undefined): Answer['usage'] {
  const cached = count(at(usage, 'cache_read_input_tokens'));
  const prompt = count(at(usage, 'input_tokens')) + cached + count(at(usage, 'cache_creation_input_tokens'));
  const completion = count(at(usage, 'output_tokens'));
  return prompt + completion === 0 ? undefined : { prompt, cached, completion };
}

/** A whole message. */
export function readMessagesBody(body: Json): Answer {
  const answer = emptyAnswer();
  for (const block of list(at(body, 'content'))) {
    const type = at(block, 'type');
    if (type === 'text') answer.text += text(at(block, 'text'));
    if (type === 'thinking') answer.reasoning += text(at(block, 'thinking'));
    if (type === 'tool_use') {
      answer.calls.push({ name: text(at(block, 'name')), input: JSON.stringify(at(block, 'input') ?? {}) });
    }
  }
  answer.finish = text(at(body, 'stop_reason'));
  answer.usage = readMessagesUsage(at(body, 'usage'));
  return answer;
}
