/**
 * Tools and calls of Claude's and Gemini's packages before OpenAI's two wires, whose rules for names, ids of calls and
 * schemas are narrower: what a vendor would refuse is fitted, and the client knows its tools again.
 * Runs once: what a client sends and reads is the same on every database.
 */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../daemon/relay/json.ts';
import { at, list, text } from '../support/checkers/answer.ts';
import type { ClientWorld } from '../support/client-world.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { bodyOf, dialectOf, saying } from '../support/speaking-upstream.ts';

const rules = suite<ClientWorld>('OpenAI’s rules for tools of other dialects');

const wires = { chat: { model: 'on-chat', type: 31 }, responses: { model: 'gpt-5.5-pro', type: 1 } } as const;

rules.before(async (world) => {
  const upstream = await startFakeUpstream();
  const daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  for (const { model, type } of Object.values(wires))
    await daemon.addChannel({ base_url: upstream.url, type, models: model, name: model });
  Object.assign(world, { daemon, upstream, key: await daemon.addKey() });
});
rules.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

interface Told {
  readonly tools: readonly Json[];
  readonly calls: readonly (readonly [id: string, name: string])[];
  readonly results: readonly string[];
  readonly forced: Json | undefined;
}

/** Tools, calls and ids of results, wherever the wire has them. */
function told(body: JsonObject): Told {
  const messages = list(body.messages);
  if (messages.length > 0) {
    return {
      tools: list(body.tools).flatMap((tool) => at(tool, 'function') ?? []),
      calls: messages
        .flatMap((message) => list(at(message, 'tool_calls')))
        .map((call) => [text(at(call, 'id')), text(at(call, 'function', 'name'))]),
      results: messages.flatMap((message) => at(message, 'tool_call_id') ?? []).map(text),
      forced: at(body, 'tool_choice', 'function', 'name'),
    };
  }
  const items = list(body.input);
  return {
    tools: list(body.tools),
    calls: items
      .filter((item) => at(item, 'type') === 'function_call')
      .map((call) => [text(at(call, 'call_id')), text(at(call, 'name'))]),
    results: items
      .filter((item) => at(item, 'type') === 'function_call_output')
      .map((result) => text(at(result, 'call_id'))),
    forced: at(body, 'tool_choice', 'name'),
  };
}

/** A vendor that refuses as OpenAI does, and calls the first tool by the name it was offered under. */
function strictVendor({ upstream }: ClientWorld): () => Told {
  let last: Told | undefined;
  upstream.script((request, index) => {
    const body = bodyOf(request);
    const asked = told(body);
    last = asked;
    const longest = dialectOf(request) === 'chat' ? 40 : 64;
    const names = [...asked.tools.map((tool) => text(at(tool, 'name'))), ...asked.calls.map(([, name]) => name)];
    const problems = [
      ...names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name)).map((name) => `name ${name}`),
      ...asked.calls.filter(([id]) => id.length > longest).map(([id]) => `string too long: ${id}`),
      ...asked.tools.filter((tool) => at(tool, 'parameters', 'properties') === undefined).map(() => 'no properties'),
    ];
    if (problems.length > 0) return jsonAnswer({ error: { message: problems.join('; ') } }, 400);
    return saying({ calls: [{ id: 'call_new', name: names[0] ?? '', args: {} }] })(request, index);
  });
  return () => last ?? { tools: [], calls: [], results: [], forced: undefined };
}

const longName = `mcp__${'search_of_the_library_'.repeat(4)}by_author`;
const longId = `toolu_${'0123456789'.repeat(8)}`;

for (const [wire, { model }] of Object.entries(wires)) {
  for (const streams of [false, true]) {
    const how = `${wire}, ${streams ? 'by its stream helper' : 'whole'}`;

    rules(`${how}: Claude’s long names and ids are cut, and the call comes back by its own name`, async (world) => {
      const last = strictVendor(world);
      const anthropic = new Anthropic({ baseURL: world.daemon.url, apiKey: world.key, maxRetries: 0 });
      const ids = [longId, `${longId}1`];
      const body = {
        model,
        max_tokens: 100,
        tools: [{ name: longName, input_schema: { type: 'object' as const } }],
        tool_choice: { type: 'tool' as const, name: longName },
        messages: [
          { role: 'user' as const, content: 'look' },
          {
            role: 'assistant' as const,
            content: ids.map((id) => ({ type: 'tool_use' as const, id, name: longName, input: {} })),
          },
          {
            role: 'user' as const,
            content: ids.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'found' })),
          },
        ],
      };
      const said = streams
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body);
      assert.equal(
        said.content.flatMap((block) => (block.type === 'tool_use' ? block.name : [])),
        [longName],
      );
      const { tools, calls, results, forced } = last();
      const offered = text(at(tools[0] ?? null, 'name'));
      assert.is(forced, offered);
      assert.equal(
        calls.map(([, name]) => name),
        [offered, offered],
      );
      assert.equal(
        calls.map(([id]) => id),
        results,
      );
      assert.is(new Set(results).size, 2);
    });

    rules(`${how}: Gemini’s dotted names and calls without ids are taken, and known again`, async (world) => {
      const last = strictVendor(world);
      const google = new GoogleGenAI({ apiKey: world.key, httpOptions: { baseUrl: world.daemon.url } });
      const name = `files.read:${'lines_of_a_page_'.repeat(3)}2`;
      const functionCall = { name, args: {} };
      const functionResponse = { name, response: { output: 'read' } };
      const body = {
        model,
        contents: [
          { role: 'user', parts: [{ text: 'look' }] },
          { role: 'model', parts: [{ functionCall }, { functionCall }] },
          { role: 'user', parts: [{ functionResponse }, { functionResponse }] },
        ],
        config: { tools: [{ functionDeclarations: [{ name, parametersJsonSchema: { type: 'object' } }] }] },
      };
      const names: (string | undefined)[] = [];
      if (streams) {
        for await (const piece of await google.models.generateContentStream(body))
          names.push(...(piece.functionCalls ?? []).map((call) => call.name));
      } else names.push(...((await google.models.generateContent(body)).functionCalls ?? []).map((call) => call.name));
      assert.equal(names, [name]);
      const { calls, results } = last();
      assert.equal(
        calls.map(([id]) => id),
        results,
      );
      assert.is(new Set(results).size, 2);
    });
  }
}

rules.run();
