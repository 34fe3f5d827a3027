/**
 * The three vendors' own packages, unmodified, before upstreams of every dialect: pictures, reasoning, a loop of tools
 * by the stream helpers, an abort, and the class of each error. Chat, plain streams and lists have suites of their own
 * (`relay/*-sdk`, `claude-code`, `google`), and so has the AI SDK.
 * Runs once: what a client sends and reads is the same on every database.
 */
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, type Content, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ClientWorld,
  everyModel,
  models,
  openAiOf,
  startClientWorld,
  stopClientWorld,
} from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, firstHalf, saying } from '../support/speaking-upstream.ts';
import { resolvesWithin } from '../support/until.ts';

const sdks = suite<ClientWorld>('the vendors’ own packages');

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const signature = Buffer.from('signed').toString('base64');

/** One package in one dialect, reduced to what is asked of each. */
interface Package {
  /** What the model says about a picture. */
  see(model: string): Promise<string>;
  /** The thought and the answer, from the stream helper; no thought where the package has no place for one. */
  think(model: string): Promise<readonly (string | undefined)[]>;
  /** Asks, calls the tool that is wanted, tells its result; the last text. */
  loop(model: string): Promise<string>;
  /** Begins a stream and leaves it. */
  leave(model: string): Promise<void>;
  ask(model: string): Promise<unknown>;
}

const clients = (world: ClientWorld) => ({
  openai: openAiOf(world),
  anthropic: new Anthropic({ baseURL: world.daemon.url, apiKey: world.key, maxRetries: 0 }),
  google: new GoogleGenAI({ apiKey: world.key, httpOptions: { baseUrl: world.daemon.url } }),
});

function openaiChat({ openai }: ReturnType<typeof clients>): Package {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'weather?' }];
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: schema } }];
  return {
    async see(model) {
      const image_url = { url: `data:image/png;base64,${pixel}` };
      const content = [
        { type: 'text' as const, text: 'what is this' },
        { type: 'image_url' as const, image_url },
      ];
      const answer = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] });
      return answer.choices[0]?.message.content ?? '';
    },
    async think(model) {
      const { choices } = await openai.chat.completions.stream({ model, messages }).finalChatCompletion();
      return [undefined, choices[0]?.message.content ?? ''];
    },
    async loop(model) {
      const first = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
      const said = first.choices[0]?.message;
      const call = said?.tool_calls?.[0];
      if (said === undefined || call === undefined || call.type !== 'function') return 'no call';
      const { city } = JSON.parse(call.function.arguments);
      const result = { role: 'tool' as const, tool_call_id: call.id, content: `sunny in ${city}` };
      const next = await openai.chat.completions.create({ model, messages: [...messages, said, result], tools });
      return next.choices[0]?.message.content ?? '';
    },
    async leave(model) {
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      for await (const _ of stream) break;
      stream.controller.abort();
    },
    ask: (model) => openai.chat.completions.create({ model, messages }),
  };
}

function openaiResponses({ openai }: ReturnType<typeof clients>): Package {
  const tools = [{ type: 'function' as const, name: 'weather', parameters: schema, strict: false }];
  return {
    async see(model) {
      const image = {
        type: 'input_image' as const,
        image_url: `data:image/png;base64,${pixel}`,
        detail: 'auto' as const,
      };
      const content = [{ type: 'input_text' as const, text: 'what is this' }, image];
      return (await openai.responses.create({ model, input: [{ role: 'user', content }] })).output_text;
    },
    async think(model) {
      const { output, output_text: text } = await openai.responses.stream({ model, input: 'hi' }).finalResponse();
      const thought = output.find((item) => item.type === 'reasoning');
      return [thought?.summary[0]?.text, text];
    },
    async loop(model) {
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'weather?' }];
      const first = await openai.responses.stream({ model, input, tools }).finalResponse();
      const call = first.output.find((item) => item.type === 'function_call');
      if (call === undefined) return 'no call';
      const { city } = JSON.parse(call.arguments);
      const result = { type: 'function_call_output' as const, call_id: call.call_id, output: `sunny in ${city}` };
      return (await openai.responses.create({ model, input: [...input, call, result], tools })).output_text;
    },
    async leave(model) {
      const stream = await openai.responses.create({ model, input: 'hi', stream: true });
      for await (const _ of stream) break;
      stream.controller.abort();
    },
    ask: (model) => openai.responses.create({ model, input: 'hi' }),
  };
}

function anthropicMessages({ anthropic }: ReturnType<typeof clients>): Package {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'weather?' }];
  const tools = [{ name: 'weather', input_schema: schema }];
  const textOf = ({ content }: Anthropic.Message) =>
    content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return {
    async see(model) {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: pixel };
      const content = [
        { type: 'image' as const, source },
        { type: 'text' as const, text: 'what is this' },
      ];
      return textOf(await anthropic.messages.create({ model, max_tokens: 50, messages: [{ role: 'user', content }] }));
    },
    async think(model) {
      const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
      const stream = anthropic.messages.stream({ model, max_tokens: 2000, messages, thinking });
      const message = await stream.finalMessage();
      const thought = message.content.find((block) => block.type === 'thinking');
      return [thought?.thinking, textOf(message)];
    },
    async loop(model) {
      const first = await anthropic.messages.stream({ model, max_tokens: 50, messages, tools }).finalMessage();
      const call = first.content.find((block) => block.type === 'tool_use');
      if (call === undefined) return 'no call';
      const text = `sunny in ${Object(call.input).city}`;
      const content = [{ type: 'tool_result' as const, tool_use_id: call.id, content: text }];
      const turns = [
        ...messages,
        { role: 'assistant' as const, content: first.content },
        { role: 'user' as const, content },
      ];
      return textOf(await anthropic.messages.create({ model, max_tokens: 50, messages: turns, tools }));
    },
    async leave(model) {
      const stream = anthropic.messages.stream({ model, max_tokens: 50, messages });
      stream.on('streamEvent', () => stream.abort());
      await stream.finalMessage().catch(() => undefined);
    },
    ask: (model) => anthropic.messages.create({ model, max_tokens: 50, messages }),
  };
}

function googleGenerate({ google }: ReturnType<typeof clients>): Package {
  const tools = [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }];
  const ask = (text: string): Content[] => [{ role: 'user', parts: [{ text }] }];
  return {
    async see(model) {
      const parts = [{ inlineData: { mimeType: 'image/png', data: pixel } }, { text: 'what is this' }];
      return (await google.models.generateContent({ model, contents: [{ role: 'user', parts }] })).text ?? '';
    },
    async think(model) {
      const config = { thinkingConfig: { includeThoughts: true } };
      let [thought, text] = ['', ''];
      for await (const piece of await google.models.generateContentStream({ model, contents: ask('hi'), config })) {
        for (const part of piece.candidates?.[0]?.content?.parts ?? []) {
          if (part.thought === true) thought += part.text ?? '';
          else text += part.text ?? '';
        }
      }
      return [thought, text];
    },
    async loop(model) {
      const contents = ask('weather?');
      const first = await google.models.generateContent({ model, contents, config: { tools } });
      const [call] = first.functionCalls ?? [];
      const said = first.candidates?.[0]?.content;
      if (call === undefined || said === undefined) return 'no call';
      const response = { output: `sunny in ${call.args?.city}` };
      const { id, name = '' } = call;
      const result = { functionResponse: { ...(id === undefined ? {} : { id }), name, response } };
      const turns = [...contents, said, { role: 'user', parts: [result] }];
      return (await google.models.generateContent({ model, contents: turns, config: { tools } })).text ?? '';
    },
    async leave(model) {
      const stop = new AbortController();
      const config = { abortSignal: stop.signal };
      const stream = await google.models.generateContentStream({ model, contents: ask('hi'), config });
      setTimeout(() => stop.abort(), 50);
      try {
        for await (const _ of stream) stop.abort();
      } catch {
        // An abort is raised by the package.
      }
    },
    ask: (model) => google.models.generateContent({ model, contents: ask('hi') }),
  };
}

const packages = {
  'openai, chat': openaiChat,
  'openai, responses': openaiResponses,
  '@anthropic-ai/sdk': anthropicMessages,
  '@google/genai': googleGenerate,
} as const;

/** The class of an error that a package raises for a status. */
const classes: Readonly<Record<number, readonly [openai: unknown, anthropic: unknown]>> = {
  400: [OpenAI.BadRequestError, Anthropic.BadRequestError],
  404: [OpenAI.NotFoundError, Anthropic.NotFoundError],
  422: [OpenAI.UnprocessableEntityError, Anthropic.UnprocessableEntityError],
  429: [OpenAI.RateLimitError, Anthropic.RateLimitError],
  500: [OpenAI.InternalServerError, Anthropic.InternalServerError],
};

sdks.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
sdks.after(stopClientWorld);

for (const [name, packaged] of Object.entries(packages)) {
  for (const model of everyModel) {
    sdks(`${name}: pictures, reasoning, a loop of tools and an abort before ${model}`, async (world) => {
      const { upstream } = world;
      const client = packaged(clients(world));
      upstream.script(saying({ text: 'a pixel' }));
      assert.is(await client.see(model), 'a pixel');
      assert.ok(upstream.requests.at(-1)?.body.includes(pixel));

      upstream.script(saying({ reasoning: { text: 'let me think', signature }, text: 'pong' }));
      const [thought, text] = await client.think(model);
      assert.is(text, 'pong');
      if (packaged !== openaiChat) assert.is(thought, 'let me think');

      let asked = 0;
      upstream.script((request, index) => {
        asked += 1;
        const call = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };
        return saying(asked === 1 ? { calls: [call] } : { text: 'sunny' })(request, index);
      });
      assert.is(await client.loop(model), 'sunny');
      assert.ok(JSON.stringify(bodyOf(upstream.requests.at(-1))).includes('sunny in Oslo'));

      upstream.script((request, index) => {
        const answer = saying({ text: 'a long answer' })(request, index);
        return { ...answer, chunks: firstHalf(answer), end: 'hang' as const };
      });
      await client.leave(model);
      await resolvesWithin(1000, upstream.requests.at(-1)?.aborted);
    });
  }

  sdks(`${name}: the class of each error, from every upstream`, async (world) => {
    const { daemon, upstream } = world;
    const client = packaged(clients(world));
    const classOf = (status: number) => {
      if (packaged === googleGenerate) return ApiError;
      return classes[status]?.[packaged === anthropicMessages ? 1 : 0];
    };
    const channels = (await daemon.root.channels.list({})).items;
    for (const model of everyModel) {
      for (const status of [400, 404, 422, 429, 500]) {
        const error = { message: 'no, thank you', type: 'x', code: status, status: 'X' };
        upstream.script(jsonAnswer({ type: 'error', error }, status));
        const raised: unknown = await client.ask(model).catch((cause: unknown) => cause);
        assert.is(Object(raised).status, status, `${model}: ${raised}`);
        assert.instance(raised, Object(classOf(status)));
        for (const { id } of channels) await daemon.root.channels.clearCooling({ id });
      }
    }
    const stranger = packaged(clients({ ...world, key: `sk-${'x'.repeat(48)}` }));
    assert.is(Object(await stranger.ask(models.openai).catch((cause: unknown) => cause)).status, 401);
    const limited = await daemon.addKey({ model_limits_enabled: true, model_limits: 'another' });
    const narrow = packaged(clients({ ...world, key: limited }));
    assert.is(Object(await narrow.ask(models.openai).catch((cause: unknown) => cause)).status, 403);
  });
}

sdks.run();
