/** Cohere's chat, second version: both manners of answer. Source: providers/cohere.md, read 2026-11. */
import type { UpstreamFormat } from '../../format.ts';
import { vendorChat } from '../vendor-chat.ts';
import { readAnswer } from './decode-answer.ts';
import { CohereReader } from './decode-stream.ts';
import { encode } from './encode-body.ts';

/** Fields of the chat wire that both of its versions have a word for. */
export const sharedFields: readonly string[] = [
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'seed',
];

export const cohereChat: UpstreamFormat = vendorChat({
  id: 'cohere-chat',
  takes: [
    ...sharedFields,
    'logprobs',
    'tools',
    'tool_choice',
    'response_format',
    'reasoning_effort',
    'thinking',
    'documents',
    'citation_options',
    'safety_mode',
    'priority',
  ],
  reads: { parts: ['image_url'], members: ['tool_calls', 'tool_call_id', 'reasoning_content'] },
  encode,
  answer: readAnswer,
  reader: () => new CohereReader(),
});
