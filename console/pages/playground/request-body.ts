/** The body of a call: parameters and the turns of a conversation in the words of the wire. Pure. */
import { type CallParameters, toolsOf } from './call-parameters.ts';
import { type Attachment, shownTry, type Turns } from './conversation.ts';

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly ContentPart[];
}

export interface RequestBody {
  readonly messages: readonly WireMessage[];
  readonly model: string;
  readonly stream: true;
  readonly [name: string]: unknown;
}

/** The system prompt first, then what was said; tries that brought no text are left out. */
export function messagesOf(system: string, turns: Turns): WireMessage[] {
  const said = turns.flatMap((turn): WireMessage[] => {
    if (turn.kind === 'cut') return [];
    if (turn.kind === 'user') return [{ role: 'user', content: contentOf(turn.text, turn.attachments) }];
    const { text } = shownTry(turn);
    return text === '' ? [] : [{ role: 'assistant', content: text }];
  });
  return system.trim() === '' ? said : [{ role: 'system', content: system }, ...said];
}

function contentOf(text: string, attachments: readonly Attachment[]): WireMessage['content'] {
  const files = attachments.filter(({ kind }) => kind === 'text').map(({ name, content }) => inlined(name, content));
  const words = [text, ...files].filter(Boolean).join('\n\n');
  const images = attachments.filter(({ kind }) => kind === 'image');
  if (images.length === 0) return words;
  return [
    ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
    ...images.map(({ content }) => ({ type: 'image_url' as const, image_url: { url: content } })),
  ];
}

/** A text file as a block of code, fenced by more marks than it has in a row itself. */
function inlined(name: string, content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${name}\n${fence}\n${content}\n${fence}`;
}

export function requestBody(parameters: CallParameters, turns: Turns): RequestBody {
  const { topP, presencePenalty, frequencyPenalty, seed, reasoningEffort, isJson, maxTokens } = parameters;
  const stop = parameters.stop.split('\n').filter((line) => line !== '');
  const tools = toolsOf(parameters.tools) ?? [];
  return {
    messages: messagesOf(parameters.system, turns),
    stream: true,
    stream_options: { include_usage: true },
    model: parameters.model,
    group: parameters.group,
    temperature: parameters.temperature,
    ...(maxTokens > 0 && { max_tokens: maxTokens }),
    ...(topP !== undefined && { top_p: topP }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop }),
    ...(reasoningEffort !== '' && { reasoning_effort: reasoningEffort }),
    ...(isJson && { response_format: { type: 'json_object' } }),
    ...(tools.length > 0 && { tools }),
  };
}
