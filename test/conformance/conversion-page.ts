/**
 * Writes docs/conversion.md from what the codecs do: `node --import tsx test/conformance/conversion-page.ts`.
 * The page is checked by `conversion-page.test.ts`, so that it never tells what is no longer so.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TollgateError } from '../../daemon/errors.ts';
import type { ChatRequest, ChatResponse, Dialect } from '../../daemon/relay/canonical/chat.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { answerProbes } from './answer-probes.ts';
import type { Probe } from './conversion-samples.ts';
import { requestProbes } from './request-probes.ts';
import { testScope } from './scope.ts';
import { anyRequest } from './translate.ts';

export const pagePath = fileURLToPath(new URL('../../docs/conversion.md', import.meta.url));

type Fate = 'carried' | 'changed' | 'lost' | 'unnoted' | 'refused' | 'unsayable';

const names: Readonly<Record<Dialect, string>> = {
  'openai-chat': 'OpenAI chat',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  'gemini-generate': 'Gemini',
};

/** A current model of each vendor: some features depend on it. */
const models: Readonly<Record<Dialect, string>> = {
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

function dialectOf(format: ChatFormat): Dialect {
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

/** What becomes of one feature of an answer. */
function followAnswer(probe: Probe<ChatResponse>, client: ChatFormat, upstream: ChatFormat): [Fate, string] {
  const wants: ChatRequest = { ...anyRequest, dialect: dialectOf(client), modalities: ['text', 'image', 'audio'] };
  const response: ChatResponse = { choices: [], ...probe.make(dialectOf(upstream)) };
  const sent = upstream.decodeResponse(upstream.encodeResponse(response, wants, testScope()), testScope());
  const before = probe.see(sent);
  if (before === undefined || JSON.stringify(before) !== JSON.stringify(probe.see(response))) return ['unsayable', ''];
  const shown = client.decodeResponse(client.encodeResponse(sent, wants, testScope()), testScope());
  const [fate, remark] = compare(before, probe.see(shown));
  return fate === 'lost' ? ['unnoted', remark] : [fate, remark];
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
    ['unnoted', 'not told'],
    ['refused', 'refused with 400'],
  ] as const) {
    const told = fates.get(fate);
    if (told !== undefined) lines.push(`- ${label}: ${told.join('; ')}`);
  }
  return lines;
}

/** Features of requests that a pair would lose without a word to anyone. */
export function silentLosses(): string[] {
  return chatFormats.flatMap((client) =>
    chatFormats.flatMap((upstream) =>
      requestProbes
        .filter((probe) => client !== upstream && followRequest(probe, client, upstream)[0] === 'unnoted')
        .map((probe) => `${client.id} to ${upstream.id}: ${probe.name}`),
    ),
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
    'Where client and upstream speak the same dialect, the native lane passes bytes and everything is carried.',
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
