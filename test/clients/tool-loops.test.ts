/**
 * Loops of tools over three turns by the vendors' own packages, whole and by their stream helpers, before vendors that
 * refuse what real ones refuse: a signature under another text, a call without its proof, a thought of another vendor
 * (REQ-14). Every package before every dialect, and with a change of vendors within the loop.
 * Runs once: what a client sends and reads is the same on every database.
 */
import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI, type Part } from '@google/genai';
import type OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../daemon/relay/format.ts';
import type { Json } from '../../daemon/relay/json.ts';
import { at, list, text } from '../support/checkers/answer.ts';
import { requestReaders } from '../support/checkers/requests.ts';
import { type ClientWorld, openAiOf } from '../support/client-world.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { bodyOf, type Dialect, dialectOf, type Said, saying } from '../support/speaking-upstream.ts';

const loops = suite<ClientWorld>('loops of tools');

const vendors: Readonly<Record<Dialect, { model: string; type: number; format: FormatId }>> = {
  chat: { model: 'deepseek-reasoner', type: 43, format: 'openai-chat' },
  responses: { model: 'gpt-5.5-pro', type: 1, format: 'openai-responses' },
  messages: { model: 'claude-sonnet-4-5', type: 14, format: 'anthropic-messages' },
  gemini: { model: 'gemini-3.1-pro-preview', type: 24, format: 'gemini-generate' },
};
const dialects: readonly Dialect[] = ['chat', 'responses', 'messages', 'gemini'];

loops.before(async (world) => {
  const upstream = await startFakeUpstream();
  const daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  for (const { model, type } of Object.values(vendors))
    await daemon.addChannel({ base_url: upstream.url, type, models: model, name: model });
  Object.assign(world, { daemon, upstream, key: await daemon.addKey() });
});
loops.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

/** Thoughts by the signatures that were given out with them. */
type Issued = ReadonlyMap<string, string>;

/** What the vendor of a dialect says of proofs in a request that it refuses. */
const refusals: Readonly<Record<Dialect, (body: Json, issued: Issued) => string[]>> = {
  messages(body, issued) {
    const turns = list(at(body, 'messages'));
    const blocks = turns.flatMap((turn) => list(at(turn, 'content')));
    const wrong = blocks.filter(
      (block) => at(block, 'type') === 'thinking' && issued.get(text(at(block, 'signature'))) !== at(block, 'thinking'),
    );
    const begins = turns.find((turn) => at(turn, 'role') === 'assistant');
    const thinks = at(body, 'thinking', 'type') === 'enabled';
    const isBare = begins !== undefined && thinks && at(begins, 'content', 0, 'type') !== 'thinking';
    return [
      ...wrong.map((block) => `invalid signature of ${JSON.stringify(block)}`),
      ...(isBare ? ['no thought'] : []),
    ];
  },
  gemini(body, issued) {
    const known = (signature: string) => issued.has(signature) || signature === 'skip_thought_signature_validator';
    return list(at(body, 'contents')).flatMap((content) => {
      const parts = list(at(content, 'parts'));
      const first = parts.find((part) => at(part, 'functionCall') !== undefined);
      const signatures = parts.flatMap((part) => at(part, 'thoughtSignature') ?? []);
      return [
        ...(first !== undefined && at(first, 'thoughtSignature') === undefined ? ['a call lacks its signature'] : []),
        ...signatures.filter((signature) => !known(text(signature))).map((signature) => `corrupted: ${signature}`),
      ];
    });
  },
  responses(body, issued) {
    const input = list(at(body, 'input'));
    return input.flatMap((item, index) => {
      const next = at(input[index + 1], 'type');
      if (at(item, 'type') === 'function_call' && at(item, 'id') !== undefined)
        return input.slice(0, index).some((one) => at(one, 'type') === 'reasoning')
          ? []
          : ['a call without its reason'];
      if (at(item, 'type') !== 'reasoning') return [];
      return [
        ...(issued.has(text(at(item, 'encrypted_content'))) ? [] : ['a thought that cannot be opened']),
        ...(next === 'function_call' || next === 'message' ? [] : ['a thought without what follows it']),
      ];
    });
  },
  chat(body) {
    const calling = list(at(body, 'messages')).filter((message) => list(at(message, 'tool_calls')).length > 0);
    return calling.flatMap((message) =>
      typeof at(message, 'reasoning_content') === 'string' ? [] : ['missing reasoning_content'],
    );
  },
};

const cities = [['Paris', 'Rome'], ['Oslo']];
const answer = 'All sunny.';

/** A vendor of every dialect who thinks before each answer, calls tools in two turns and answers in the third. */
function script({ upstream }: ClientWorld): { readonly issued: Map<string, string>; last(): string } {
  const issued = new Map<string, string>();
  let last = '';
  upstream.script((request, index) => {
    const body = bodyOf(request);
    const dialect = dialectOf(request);
    last = JSON.stringify(body);
    const read = requestReaders[vendors[dialect].format]?.(body);
    const problems = [...(read?.problems ?? []), ...refusals[dialect](body, issued)];
    if (problems.length > 0) return jsonAnswer({ error: { message: problems.join('; ') } }, 400);
    const turn = issued.size;
    const signature = Buffer.from(`signature ${turn}`).toString('base64');
    issued.set(signature, `I should "look" at № ${turn}.`);
    const calls = cities[turn]?.map((city) => ({ id: `call_${turn}${city}`, name: 'get_weather', args: { city } }));
    const reasoning = { text: issued.get(signature) ?? '', signature };
    const said: Said = calls === undefined ? { reasoning, text: answer } : { reasoning, calls };
    return saying(said)(request, index);
  });
  return { issued, last: () => last };
}

/** One package: asks until no tool is called any more, and gives the last words. */
type Loop = (world: ClientWorld, asked: { modelOf(turn: number): string; streams: boolean }) => Promise<string>;

const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const name = 'get_weather';
const question = 'How is the weather?';
const mostTurns = 4;
const sunny = (city: unknown) => `sunny in ${String(city)}`;

const chatLoop: Loop = async (world, { modelOf, streams }) => {
  const openai = openAiOf(world);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
  const tools = [{ type: 'function' as const, function: { name, parameters: schema } }];
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const body = { model: modelOf(turn), messages, tools, reasoning_effort: 'high' as const };
    const { choices } = streams
      ? await openai.chat.completions.stream(body).finalChatCompletion()
      : await openai.chat.completions.create(body);
    const said = choices[0]?.message;
    if (said?.tool_calls === undefined || said.tool_calls.length === 0) return said?.content ?? '';
    messages.push(said);
    for (const call of said.tool_calls) {
      const input = call.type === 'function' ? JSON.parse(call.function.arguments) : {};
      messages.push({ role: 'tool', tool_call_id: call.id, content: sunny(input.city) });
    }
  }
  return 'no end';
};

const responsesLoop: Loop = async (world, { modelOf, streams }) => {
  const openai = openAiOf(world);
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: question }];
  const tools = [{ type: 'function' as const, name, parameters: schema, strict: false }];
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content'];
    const body = { model: modelOf(turn), input, tools, store: false, include, reasoning: { effort: 'high' as const } };
    const said = streams
      ? await openai.responses.stream(body).finalResponse()
      : await openai.responses.create({ ...body, stream: false });
    let isOver = true;
    for (const item of said.output) {
      if (item.type === 'reasoning' || item.type === 'message') input.push(item);
      if (item.type !== 'function_call') continue;
      isOver = false;
      const { id, call_id, arguments: told } = item;
      input.push({
        type: 'function_call',
        ...(id === undefined ? {} : { id }),
        call_id,
        name: item.name,
        arguments: told,
      });
    }
    if (isOver) return said.output_text;
    for (const item of said.output)
      if (item.type === 'function_call') {
        const output = sunny(JSON.parse(item.arguments).city);
        input.push({ type: 'function_call_output', call_id: item.call_id, output });
      }
  }
  return 'no end';
};

const messagesLoop: Loop = async ({ daemon, key }, { modelOf, streams }) => {
  const anthropic = new Anthropic({ baseURL: daemon.url, apiKey: key, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
  const thinking = { type: 'enabled' as const, budget_tokens: 2000 };
  const tools = [{ name, input_schema: schema }];
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const body = { model: modelOf(turn), messages, tools, thinking, max_tokens: 8000 };
    const said = streams ? await anthropic.messages.stream(body).finalMessage() : await anthropic.messages.create(body);
    messages.push({ role: 'assistant', content: said.content });
    const calls = said.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return said.content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
    const content = calls.map(({ id, input }) => {
      const city = Object(input).city;
      return { type: 'tool_result' as const, tool_use_id: id, content: sunny(city) };
    });
    messages.push({ role: 'user', content });
  }
  return 'no end';
};

/** @param keepsThoughts false as Gemini CLI goes on: it keeps what was said and called */
const geminiLoop =
  (keepsThoughts: boolean): Loop =>
  async ({ daemon, key }, { modelOf, streams }) => {
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: daemon.url } });
    const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }];
    const config = {
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 },
      maxOutputTokens: 8000,
      tools: [{ functionDeclarations: [{ name, parametersJsonSchema: schema }] }],
    };
    for (let turn = 0; turn < mostTurns; turn += 1) {
      const body = { model: modelOf(turn), contents, config };
      const parts: Part[] = [];
      const add = (said: { candidates?: { content?: Content }[] }) =>
        parts.push(...(said.candidates?.[0]?.content?.parts ?? []));
      if (streams) for await (const piece of await google.models.generateContentStream(body)) add(piece);
      else add(await google.models.generateContent(body));
      contents.push({ role: 'model', parts: parts.filter(({ thought }) => keepsThoughts || thought !== true) });
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
      if (calls.length === 0) return parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join('');
      const results = calls.map(({ id, name: called = '', args }) => {
        const response = { output: sunny(args?.city) };
        return { functionResponse: { ...(id === undefined ? {} : { id }), name: called, response } };
      });
      contents.push({ role: 'user', parts: results });
    }
    return 'no end';
  };

const packages: readonly (readonly [what: string, loop: Loop, dialect: Dialect | 'forgetful'])[] = [
  ['openai, chat', chatLoop, 'chat'],
  ['openai, responses', responsesLoop, 'responses'],
  ['anthropic', messagesLoop, 'messages'],
  ['google', geminiLoop(true), 'gemini'],
  ['google without its thoughts', geminiLoop(false), 'forgetful'],
];

/** Who is asked turn by turn where the vendor changes. */
const changes: readonly (readonly Dialect[])[] = [
  ['messages', 'gemini', 'responses'],
  ['gemini', 'responses', 'messages'],
  ['responses', 'messages', 'gemini'],
  ['chat', 'messages', 'chat'],
  ['messages', 'gemini', 'messages'],
];

for (const [what, loop, own] of packages) {
  for (const streams of [false, true]) {
    const how = streams ? 'by its stream helper' : 'whole';
    for (const vendor of dialects) {
      loops(`${what}, ${how}: a vendor of ${vendor} gets back what it thought`, async (world) => {
        const { issued, last } = script(world);
        assert.is(await loop(world, { modelOf: () => vendors[vendor].model, streams }), answer);
        // Libraries forget: that of chat joins no thoughts, and a client may leave them out.
        if (own === 'forgetful' || (own === 'chat' && vendor === 'chat' && streams)) return;
        for (const [signature, thought] of [...issued].slice(0, 2))
          assert.ok(last().includes(vendor === 'chat' ? JSON.stringify(thought).slice(1, -1) : signature), thought);
      });
    }
    for (const turns of changes) {
      loops(`${what}, ${how}: goes on from ${turns.join(' to ')}`, async (world) => {
        script(world);
        const modelOf = (turn: number) => vendors[turns[turn] ?? 'chat'].model;
        assert.is(await loop(world, { modelOf, streams }), answer);
      });
    }
  }
}

loops.run();
