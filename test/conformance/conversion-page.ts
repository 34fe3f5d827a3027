/**
 * Writes docs/conversion.md from what the codecs do: `node --import tsx test/conformance/conversion-page.ts`.
 * The page is checked by `conversion-page.test.ts`, so that it never tells what is no longer so.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TollgateError } from '../../daemon/errors.ts';
import type { ChatRequest, ChatResponse, Dialect } from '../../daemon/relay/canonical/chat.ts';
import { AnswerCollector } from '../../daemon/relay/canonical/collect.ts';
import { replayAnswer } from '../../daemon/relay/canonical/replay.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { AnswerLosses } from '../../daemon/relay/formats/answer-loss.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { answerProbes } from './answer-probes.ts';
import type { Probe } from './conversion-samples.ts';
import { requestProbes } from './request-probes.ts';
import { testScope } from './scope.ts';
import { anyRequest, decodeAll, encodeAll } from './translate.ts';

export const pagePath = fileURLToPath(new URL('../../docs/conversion.md', import.meta.url));

export type Fate = 'carried' | 'changed' | 'lost' | 'unnoted' | 'refused' | 'unsayable';

const names: Readonly<Record<Dialect, string>> = {
  'openai-chat': 'OpenAI chat',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  'gemini-generate': 'Gemini',
};

/** A current model of each vendor: some features depend on it. */
export const models: Readonly<Record<Dialect, string>> = {
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-4.1',
  'anthropic-messages': 'claude-sonnet-4-5',
  'gemini-generate': 'gemini-2.5-flash',
};

/** Features of reasoning are asked of a model that reasons. */
const reasoners: Readonly<Record<Dialect, string>> = {
  ...models,
  'openai-chat': 'gpt-5.1',
  'openai-responses': 'gpt-5.1',
};

export function dialectOf(format: ChatFormat): Dialect {
  const id = Object.keys(names).find((name): name is Dialect => name === format.id);
  if (id === undefined) throw new Error(`${format.id} is no client's dialect`);
  return id;
}

/** What becomes of one feature of a request. */
function followRequest(probe: Probe<ChatRequest>, client: ChatFormat, upstream: ChatFormat): [Fate, string] {
  const dialect = dialectOf(client);
  const asked: ChatRequest = {
    ...anyRequest,
    items: [{ type: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    stream: false,
    model: 'asked-model',
    ...probe.make(dialect),
    dialect,
  };
  const model = /reasoning|thinking/.test(probe.name) ? reasoners[dialectOf(upstream)] : models[dialectOf(upstream)];
  const own = attempt(() =>
    client.decodeRequest(client.encodeRequest(asked, testScope({ identity: true, webSearch: true }))),
  );
  const before = own.value && probe.see(own.value);
  // A dialect that says it in another way has no word for it.
  const isSayable = before !== undefined && JSON.stringify(before) === JSON.stringify(probe.see(asked));
  if (own.value === undefined || !isSayable) return ['unsayable', ''];
  const request = own.value;
  const scope = testScope();
  const written = attempt(() => upstream.encodeRequest({ ...request, model }, scope));
  if (written.value === undefined) return ['refused', ''];
  const read = upstream.decodeRequest(typeof written.value === 'object' ? written.value : null);
  const [fate, remark] = compare(before, probe.see(read));
  return fate === 'lost' && scope.lost.length === 0 ? ['unnoted', remark] : [fate, remark];
}

/** What becomes of one feature of an answer, whole and streamed. */
function followAnswer(probe: Probe<ChatResponse>, client: ChatFormat, upstream: ChatFormat): [Fate, string] {
  const whole = followOne(probe, wholeWay(client, upstream), upstream);
  const streamed = followOne(probe, streamedWay(client, upstream), upstream);
  if (whole[0] === 'unsayable') return streamed;
  if (streamed[0] === 'unsayable' || JSON.stringify(whole) === JSON.stringify(streamed)) return whole;
  return [whole[0], `${whole[1]} (streamed: ${streamed[0]}${streamed[1]})`];
}

/** Brings an answer to the upstream's wire and back, and from there to the client's wire and back. */
interface Way {
  readonly wants: ChatRequest;
  sent(response: ChatResponse): ChatResponse;
  shown(sent: ChatResponse): ChatResponse;
}

function wantsOf(client: ChatFormat): ChatRequest {
  return { ...anyRequest, dialect: dialectOf(client), modalities: ['text', 'image', 'audio'] };
}

function wholeWay(client: ChatFormat, upstream: ChatFormat): Way {
  const wants = wantsOf(client);
  const through = (format: ChatFormat) => (response: ChatResponse) =>
    format.decodeResponse(format.encodeResponse(response, wants, testScope()), testScope());
  return { wants, sent: through(upstream), shown: through(client) };
}

function streamedWay(client: ChatFormat, upstream: ChatFormat): Way {
  const wants = wantsOf(client);
  const through = (format: ChatFormat) => (response: ChatResponse) => {
    const collector = new AnswerCollector();
    const wire = encodeAll(format, wants, replayAnswer(response));
    for (const event of decodeAll(format, wire)) collector.push(event);
    return collector.result();
  };
  return { wants, sent: through(upstream), shown: through(client) };
}

function followOne(probe: Probe<ChatResponse>, way: Way, upstream: ChatFormat): [Fate, string] {
  const response: ChatResponse = { choices: [], ...probe.make(dialectOf(upstream)) };
  const sent = way.sent(response);
  const before = probe.see(sent);
  if (before === undefined || JSON.stringify(before) !== JSON.stringify(probe.see(response))) return ['unsayable', ''];
  const [fate, remark] = compare(before, probe.see(way.shown(sent)));
  if (fate !== 'lost') return [fate, remark];
  const noted: string[] = [];
  const losses = new AnswerLosses(way.wants.dialect, { lose: (field) => noted.push(field) });
  for (const event of replayAnswer(sent)) losses.see(event);
  return [noted.length === 0 ? 'unnoted' : 'lost', remark];
}

function compare(before: unknown, after: unknown): [Fate, string] {
  if (after === undefined) return ['lost', ''];
  if (JSON.stringify(before) === JSON.stringify(after)) return ['carried', ''];
  const isWord = typeof after === 'string' || typeof after === 'number';
  return ['changed', isWord && String(after).length < 60 ? ` (${String(after)})` : ''];
}

function attempt<T>(work: () => T): { value?: T } {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof TollgateError) return {};
    throw error;
  }
}

function tell<Subject>(probes: readonly Probe<Subject>[], follow: (probe: Probe<Subject>) => [Fate, string]): string[] {
  const fates = new Map<Fate, string[]>();
  for (const probe of probes) {
    const [fate, remark] = follow(probe);
    fates.set(fate, [...(fates.get(fate) ?? []), `${probe.name}${remark}`]);
  }
  const lines: string[] = [];
  for (const [fate, label] of [
    ['carried', 'carried'],
    ['changed', 'changed'],
    ['lost', 'lost, and noted in the log row'],
    ['unnoted', 'lost without a note'],
    ['refused', 'refused with 400'],
  ] as const) {
    const told = fates.get(fate);
    if (told !== undefined) lines.push(`- ${label}: ${told.join('; ')}`);
  }
  return lines;
}

/** What the page says of each feature of a request. */
export function requestFates(client: ChatFormat, upstream: ChatFormat): ReadonlyMap<string, Fate> {
  return new Map(requestProbes.map((probe) => [probe.name, followRequest(probe, client, upstream)[0]]));
}

/** Features that a pair would lose without a word to anyone, of requests and of answers. */
export function silentLosses(): string[] {
  return chatFormats.flatMap((client) =>
    chatFormats.flatMap((upstream) => {
      if (client === upstream) return [];
      const told = [
        ...requestProbes.map((probe) => [probe.name, ...followRequest(probe, client, upstream)] as const),
        ...answerProbes.map((probe) => [`answer, ${probe.name}`, ...followAnswer(probe, client, upstream)] as const),
      ];
      return told
        .filter(([, fate, remark]) => fate === 'unnoted' || remark.includes('unnoted'))
        .map(([name]) => `${client.id} to ${upstream.id}: ${name}`);
    }),
  );
}

/** The page as it has to be today. */
export function renderConversionPage(): string {
  const lines = [
    '# Conversion between protocols',
    '',
    '<!-- Written by test/conformance/conversion-page.ts from what the codecs do. Do not edit. -->',
    '',
    'A client of any of four dialects can use a channel of any chat format. For each pair: what of a request reaches the',
    'upstream, and what of an answer reaches the client. A feature that the client’s own dialect has no word for is not',
    `listed. Requests were tried with ${Object.values(models)
      .filter((model, at, all) => all.indexOf(model) === at)
      .join(', ')}, reasoning features of OpenAI with ${reasoners['openai-chat']}.`,
    '',
    'Where client and upstream speak the same dialect, the native lane passes bytes and everything is carried. What is',
    'lost stands in the log row of the call; by the setting `conversion` of its key it is named in the header',
    '`Tollgate-Dropped-Fields` too (`warn`), or refused with 400 (`strict`) where the request would lose it. The name of a',
    'file alone refuses nothing. Tools of a Responses client that only their own vendor runs are refused, unless the key',
    'warns and no channel of the model runs them: then they are left out.',
  ];
  for (const client of chatFormats) {
    for (const upstream of chatFormats) {
      if (client === upstream) continue;
      lines.push(
        '',
        `## ${names[dialectOf(client)]} client, ${names[dialectOf(upstream)]} upstream`,
        '',
        'Request',
        '',
      );
      lines.push(...tell(requestProbes, (probe) => followRequest(probe, client, upstream)));
      lines.push('', 'Answer', '');
      lines.push(...tell(answerProbes, (probe) => followAnswer(probe, client, upstream)));
    }
  }
  return `${lines.join('\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pagePath, renderConversionPage());
