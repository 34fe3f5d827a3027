/**
 * The AI SDK with its three providers, unmodified, as a client of a whole daemon: tools loop, reasoning, vision,
 * abort, errors.
 * Runs once: what a client sends and reads is the same on every database.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../daemon/relay/json.ts';
import { type ClientWorld, everyModel, models, startClientWorld, stopClientWorld } from '../support/client-world.ts';
import { jsonAnswer } from '../support/fake-upstream.ts';
import { bodyOf, firstHalf, saying } from '../support/speaking-upstream.ts';
import { resolvesWithin } from '../support/until.ts';

const sdk = suite<ClientWorld>('AI SDK');

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The same model through each dialect that the package speaks. */
function dialects({ daemon, key }: ClientWorld, model: string): [string, LanguageModel][] {
  const openai = createOpenAI({ baseURL: `${daemon.url}/v1`, apiKey: key });
  const anthropic = createAnthropic({ baseURL: `${daemon.url}/v1`, apiKey: key });
  const google = createGoogleGenerativeAI({ baseURL: `${daemon.url}/v1beta`, apiKey: key });
  return [
    ['chat', openai.chat(model)],
    ['responses', openai.responses(model)],
    ['messages', anthropic(model)],
    ['gemini', google(model)],
  ];
}

/** Nothing is stored for a converted answer, so the package must send the items themselves and no references to them. */
const providerOptions = { openai: { store: false } };

const weather = tool({
  description: 'Tells the weather',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: async ({ city }) => `sunny in ${city}`,
});

sdk.before(async (world) => {
  Object.assign(world, await startClientWorld());
});
sdk.after(stopClientWorld);

for (const upstream of everyModel) {
  sdk(`C39: streams a tools loop from ${upstream} in each dialect, and replays what it signed`, async (world) => {
    for (const [dialect, model] of dialects(world, upstream)) {
      let asked = 0;
      const signature = Buffer.from('signed').toString('base64');
      world.upstream.script((request, index) => {
        asked += 1;
        const said =
          asked === 1
            ? {
                reasoning: { text: 'where is it', signature },
                calls: [
                  { id: 'call_a', name: 'weather', args: { city: 'Oslo' } },
                  { id: 'call_b', name: 'weather', args: { city: 'Bergen' } },
                ],
              }
            : { text: 'sunny in both' };
        return saying(said)(request, index);
      });
      const result = streamText({
        model,
        prompt: 'weather?',
        tools: { weather },
        providerOptions,
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      });
      assert.is(await result.text, 'sunny in both', `${dialect} to ${upstream}`);
      const steps = await result.steps;
      assert.equal(
        steps[0]?.toolResults.map(({ output }) => output),
        ['sunny in Oslo', 'sunny in Bergen'],
      );
      const usage = await result.totalUsage;
      assert.equal([usage.inputTokens, usage.outputTokens], [24, 10], `${dialect} to ${upstream}`);
      const sent = JSON.stringify(bodyOf(world.upstream.requests.at(-1)));
      assert.ok(sent.includes('sunny in Oslo') && sent.includes('sunny in Bergen'));
      // The package's chat model has no place for signatures.
      if (dialect !== 'chat' && (upstream === models.messages || upstream === models.gemini)) {
        assert.ok(sent.includes(`"${signature}"`), `${dialect} to ${upstream}`);
      }
    }
  });

  sdk(`shows a picture to ${upstream} in each dialect`, async (world) => {
    world.upstream.script(saying({ text: 'a pixel' }));
    for (const [dialect, model] of dialects(world, upstream)) {
      const { text, usage } = await generateText({
        model,
        maxRetries: 0,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'what is this' },
              { type: 'image', image: onePixel, mediaType: 'image/png' },
            ],
          },
        ],
      });
      assert.equal([text, usage.outputTokens], ['a pixel', 5], `${dialect} to ${upstream}`);
      assert.ok(world.upstream.requests.at(-1)?.body.includes(onePixel), `${dialect} to ${upstream}`);
    }
  });

  sdk(`raises the status of a refusal by ${upstream} in each dialect, and stops when told to`, async (world) => {
    for (const [dialect, model] of dialects(world, upstream)) {
      const refusal = {
        message: 'the picture is too large',
        type: 'invalid_request_error',
        code: 400,
        status: 'INVALID_ARGUMENT',
      };
      world.upstream.script(jsonAnswer({ type: 'error', error: refusal }, 400));
      const error = await generateText({ model, prompt: 'hi', maxRetries: 0 }).catch((cause: unknown) => cause);
      assert.ok(APICallError.isInstance(error), `${dialect} to ${upstream}: ${String(error)}`);
      assert.is(error.statusCode, 400);
      assert.match(error.message, 'the picture is too large');

      world.upstream.script((request, index) => {
        const answer = saying({ text: 'a long answer' })(request, index);
        return { ...answer, chunks: firstHalf(answer), end: 'hang' as const };
      });
      const stop = new AbortController();
      const stream = streamText({ model, prompt: 'hi', abortSignal: stop.signal, maxRetries: 0, onError() {} });
      for await (const part of stream.fullStream)
        if (part.type === 'text-delta' || part.type === 'start-step') stop.abort();
      await resolvesWithin(1000, world.upstream.requests.at(-1)?.aborted);
    }
  });
}

sdk('reads reasoning in each dialect', async (world) => {
  const signature = Buffer.from('signed').toString('base64');
  world.upstream.script(saying({ reasoning: { text: 'let me think', signature }, text: 'pong' }));
  for (const upstream of [models.messages, models.gemini]) {
    for (const [dialect, model] of dialects(world, upstream)) {
      // The package's chat model does not read reasoning at all.
      if (dialect === 'chat') continue;
      const { reasoningText, text } = await generateText({ model, prompt: 'hi', maxRetries: 0 });
      assert.equal([reasoningText, text], ['let me think', 'pong'], `${dialect} to ${upstream}`);
    }
  }
  assert.ok(world.upstream.requests.every((request) => isObject(bodyOf(request))));
});

sdk.run();
