/**
 * One probe per feature that an answer may have: how it is made, and how to see whether it is still there after a
 * conversion.
 */
import type { ChatResponse, ContentPart, FinishReason, OutputItem } from '../../daemon/relay/canonical/chat.ts';
import { emptyUsage } from '../../daemon/relay/canonical/usage.ts';
import { call, type Probe, png, second, textOf } from './conversion-samples.ts';

/** Answers whose every choice 0 is made of these items. */
function answer(items: readonly OutputItem[], reason: FinishReason = 'stop'): Partial<ChatResponse> {
  return { choices: [{ index: 0, items, finish: { reason } }] };
}

function said(response: ChatResponse): readonly OutputItem[] {
  return response.choices[0]?.items ?? [];
}

function spoken(response: ChatResponse): ContentPart[] {
  return said(response).flatMap((item) => (item.type === 'assistant' ? item.parts : []));
}

const text: OutputItem = { type: 'assistant', parts: [{ type: 'text', text: 'Hi' }] };

export const answerProbes: readonly Probe<ChatResponse>[] = [
  { name: 'text', make: () => answer([text]), see: (response) => textOf(spoken(response)) || undefined },
  {
    name: 'reasoning text',
    make: () => answer([{ type: 'reasoning', texts: ['thought'], form: 'full' }, text]),
    see: (response) => said(response).flatMap((item) => (item.type === 'reasoning' ? item.texts : []))[0],
  },
  {
    name: "the vendor's seal on its reasoning or call",
    make: (dialect) => {
      const seal = { origin: dialect, data: 'U0VBTA==' };
      if (dialect === 'gemini-generate') return answer([{ ...call, seal }], 'tool-calls');
      return answer([{ type: 'reasoning', texts: ['thought'], form: 'full', seal }, call], 'tool-calls');
    },
    see: (response) =>
      said(response).flatMap((item) => ('seal' in item && item.seal !== undefined ? [item.seal] : []))[0],
  },
  {
    name: 'several tool calls',
    make: () => answer([call, second], 'tool-calls'),
    see: (response) => said(response).flatMap((item) => (item.type === 'tool-call' ? [[item.name, item.input]] : [])),
  },
  {
    name: 'refusal',
    make: () => answer([{ type: 'assistant', parts: [{ type: 'refusal', text: 'No' }] }]),
    see: (response) => {
      const [part] = spoken(response);
      return part?.type === 'refusal'
        ? 'refusal'
        : part === undefined
          ? undefined
          : `text, ending with ${response.choices[0]?.finish.reason}`;
    },
  },
  {
    name: 'image',
    make: () =>
      answer([
        {
          type: 'assistant',
          parts: [{ type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: png } }],
        },
      ]),
    see: (response) => {
      const part = spoken(response).find((entry) => entry.type === 'image');
      if (part !== undefined) return 'image';
      return textOf(spoken(response)).includes(png) ? 'Markdown' : undefined;
    },
  },
  {
    name: 'audio',
    make: () =>
      answer([
        {
          type: 'assistant',
          parts: [
            {
              type: 'audio',
              source: { kind: 'inline', mediaType: 'audio/wav', data: 'UklGRiQAAABXQVZFZm10IA==' },
              transcript: 'Hi',
            },
          ],
        },
      ]),
    see: (response) => {
      const part = spoken(response).find((entry) => entry.type === 'audio');
      if (part !== undefined) return 'audio';
      return textOf(spoken(response)) === 'Hi' ? 'transcript' : undefined;
    },
  },
  {
    name: 'web citations',
    make: () =>
      answer([
        {
          type: 'assistant',
          parts: [{ type: 'text', text: 'Hi', annotations: [{ kind: 'url', url: 'https://example.com', title: 'E' }] }],
        },
      ]),
    see: (response) =>
      spoken(response)
        .flatMap((part) => (part.type === 'text' ? (part.annotations ?? []) : []))
        .flatMap((entry) => (entry.kind === 'url' ? [entry.url] : []))[0],
  },
  {
    name: 'log probabilities',
    make: () => ({
      choices: [
        { index: 0, items: [text], finish: { reason: 'stop' }, logprobs: [{ token: 'Hi', logprob: -0.5, top: [] }] },
      ],
    }),
    see: (response) => response.choices[0]?.logprobs?.[0]?.logprob,
  },
  {
    name: 'several answers',
    make: () => ({
      choices: [0, 1].map((index) => ({ index, items: [text], finish: { reason: 'stop' } as const })),
    }),
    see: (response) => (response.choices.length > 1 ? response.choices.length : undefined),
  },
  ...(['stop-sequence', 'length', 'context-window', 'content-filter', 'refusal', 'pause'] as const).map(
    (reason): Probe<ChatResponse> => ({
      name: `ending: ${reason}`,
      make: () => answer([text], reason),
      see: (response) => response.choices[0]?.finish.reason,
    }),
  ),
  {
    name: 'usage: cached',
    make: () => ({ ...answer([text]), usage: { ...emptyUsage(), prompt: 10, cached: 4, completion: 2 } }),
    see: ({ usage }) => usage && [usage.prompt, usage.cached, usage.completion],
  },
  {
    name: 'usage: written to a cache, by lifetime',
    make: () => ({
      ...answer([text]),
      usage: { ...emptyUsage(), prompt: 10, cacheCreation5m: 3, cacheCreation1h: 2, completion: 2 },
    }),
    see: ({ usage }) =>
      usage && usage.cacheCreation5m + usage.cacheCreation1h > 0
        ? [usage.cacheCreation5m, usage.cacheCreation1h]
        : undefined,
  },
  {
    name: 'usage: reasoning',
    make: () => ({ ...answer([text]), usage: { ...emptyUsage(), prompt: 10, completion: 5, reasoning: 3 } }),
    see: ({ usage }) => usage && [usage.completion, usage.reasoning],
  },
];
