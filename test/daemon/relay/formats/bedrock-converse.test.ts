/** What clients ask, in Bedrock's own form of chat. Its answers are tested by what was recorded. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { bedrockConverse } from '../../../../daemon/relay/formats/bedrock-converse/index.ts';
import { chatFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { Json, JsonObject } from '../../../../daemon/relay/json.ts';
import { type TestScope, testScope } from '../../../conformance/scope.ts';
import { isRefusal } from '../../../support/refusal-code.ts';

const test = suite('bedrock-converse');

function encoded(body: JsonObject, dialect: FormatId = 'openai-chat', scope: TestScope = testScope()): Json {
  const request = chatFormatOf(dialect)?.decodeRequest({ model: 'us.amazon.nova-pro-v1:0', messages: [], ...body });
  assert.ok(request);
  return bedrockConverse.encodeRequest(request, scope);
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"city":"Paris"}' } };
const offered = [{ type: 'function', function: { name: 'look', description: 'd', parameters: schema } }];
const user = { role: 'user', content: 'hi' };
const toolUse = { toolUse: { toolUseId: 'c1', name: 'look', input: { city: 'Paris' } } };
const toolSpec = { name: 'look', description: 'd', inputSchema: { json: schema } };

test('a tool loop with images, limits and a forced tool', () => {
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
  const body = encoded({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Where?' }, picture] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    tools: offered,
    tool_choice: { type: 'function', function: { name: 'look' } },
    max_tokens: 5,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 3,
    stop: ['x'],
  });
  assert.equal(body, {
    system: [{ text: 'Be brief.' }],
    messages: [
      { role: 'user', content: [{ text: 'Where?' }, { image: { format: 'png', source: { bytes: png } } }] },
      { role: 'assistant', content: [toolUse] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }] } }] },
    ],
    inferenceConfig: { maxTokens: 5, temperature: 0.5, topP: 0.9, stopSequences: ['x'] },
    toolConfig: { tools: [{ toolSpec }], toolChoice: { tool: { name: 'look' } } },
    additionalModelRequestFields: { inferenceConfig: { topK: 3 } },
  });
});

test('marks of tools to keep are written for Claude, and named where they are left out', () => {
  const marked = [{ ...offered[0], cache_control: { type: 'ephemeral' } }];
  const asked = (model: string) => {
    const scope = testScope();
    const body = encoded({ model, messages: [user], tools: marked }, 'openai-chat', scope) as JsonObject;
    return { tools: (body.toolConfig as JsonObject).tools, lost: scope.lost };
  };
  const point = { cachePoint: { type: 'default' } };
  assert.equal(asked('anthropic.claude-sonnet-4-5-20250929-v1:0'), { tools: [{ toolSpec }, point], lost: [] });
  for (const model of ['us.amazon.nova-pro-v1:0', 'meta.llama3-1-8b-instruct-v1:0']) {
    assert.equal(asked(model), { tools: [{ toolSpec }], lost: ['tools.cache_control'] });
  }
});

test('what a Messages client says of its request and of its tools, and this host has no word for, is noted', () => {
  const asked = (body: JsonObject, dialect: FormatId = 'anthropic-messages') => {
    const scope = { ...testScope(), traits: { identity: true } };
    const made = encoded({ messages: [user], max_tokens: 5, ...body }, dialect, scope);
    assert.not.match(JSON.stringify(made), /user-7|trace-9|2000/);
    return scope.lost;
  };
  assert.equal(asked({ metadata: { user_id: 'user-7' } }), ['user']);
  assert.equal(asked({ metadata: { user_id: 'user-7', trace: 'trace-9' } }), ['user', 'metadata.trace']);
  assert.equal(asked({ user: 'user-7' }, 'openai-chat'), ['user']);
  assert.equal(asked({ safety_identifier: 'user-7' }, 'openai-chat'), ['safety_identifier']);
  const tool = { name: 'look', input_schema: schema, input_examples: [{ city: 'Paris' }] };
  assert.equal(asked({ tools: [tool] }), ['tools.input_examples']);
  const thinks = { model: 'us.amazon.nova-2-lite-v1:0' };
  const thinking = { type: 'enabled', budget_tokens: 2000 };
  assert.equal(asked({ ...thinks, thinking }), ['reasoning.budget_tokens']);
  const output_config = { effort: 'low', task_budget: { type: 'tokens', total: 2000 } };
  assert.equal(asked({ ...thinks, output_config }), ['output_config.task_budget']);
  const summed = { ...thinks, input: 'hi', reasoning: { effort: 'low', summary: 'detailed' } };
  assert.ok(asked(summed, 'openai-responses').includes('reasoning.summary'));
});

test("Amazon's own models are given videos by their bytes, the others of none", () => {
  const video = (type: string) => ({ type: 'video_url', video_url: { url: `data:${type};base64,AAAA` } });
  const asked = (type: string, model = 'us.amazon.nova-lite-v1:0') =>
    encoded({ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, video(type)] }] });
  for (const [type, format] of [
    ['video/mp4', 'mp4'],
    ['video/quicktime', 'mov'],
    ['video/3gpp', 'three_gp'],
  ] as const) {
    const content = [{ text: 'What?' }, { video: { format, source: { bytes: 'AAAA' } } }];
    assert.equal(asked(type), { messages: [{ role: 'user', content }] });
  }
  const says = (words: RegExp) => (error: Error) =>
    error instanceof TollgateError && words.test(`${error.params.reason}`);
  assert.throws(() => asked('video/x-unheard'), says(/video\/x-unheard is no video/));
  assert.throws(() => asked('video/mp4', 'meta.llama3-1-8b-instruct-v1:0'), says(/text, images and documents/));
  const kept = [{ type: 'video_url', video_url: { url: 's3://bucket/a.mp4' } }];
  assert.throws(() => encoded({ messages: [{ role: 'user', content: kept }] }), says(/read by their own vendor/));
});

test('nothing is added that the client did not ask for', () => {
  assert.equal(encoded({ messages: [user] }), { messages: [{ role: 'user', content: [{ text: 'hi' }] }] });
});

test('tools that the client forbids are not offered, unless the conversation cannot do without', () => {
  const scope = testScope();
  assert.equal(encoded({ messages: [user], tools: offered, tool_choice: 'none' }, 'openai-chat', scope), {
    messages: [{ role: 'user', content: [{ text: 'hi' }] }],
  });
  assert.equal(scope.lost, []);
  const messages = [user, { role: 'assistant', content: null, tool_calls: [call] }];
  const without: Json = encoded({ messages: [...messages, { role: 'tool', tool_call_id: 'c1', content: '' }] });
  assert.equal(JSON.parse(JSON.stringify(without)).toolConfig, {
    tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object', properties: {} } } } }],
  });
});

test('each family is told to think in its own words, or not at all', () => {
  const asked = (model: string, scope = testScope()) =>
    JSON.parse(JSON.stringify(encoded({ model, messages: [user], reasoning_effort: 'high' }, 'openai-chat', scope)))
      .additionalModelRequestFields;
  assert.equal(asked('amazon.nova-2-lite-v1:0'), {
    reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
  });
  assert.equal(asked('openai.gpt-oss-20b-1:0'), { reasoning_effort: 'high' });
  const scope = testScope();
  assert.is(asked('us.meta.llama3-3-70b-instruct-v1:0', scope), undefined);
  assert.equal(scope.lost, ['reasoning_effort']);
  assert.equal(asked('arn:aws:bedrock:eu-west-1:1:application-inference-profile/anthropic.claude-sonnet-4-5'), {
    thinking: { type: 'enabled', budget_tokens: 4096 },
  });
});

test('a budget of thought comes to an effort where the family knows no budgets', () => {
  const efforts = [1024, 8000, 30_000].map((budget_tokens) => {
    const body = {
      model: 'openai.gpt-oss-20b-1:0',
      max_tokens: 60_000,
      messages: [user],
      thinking: { type: 'enabled', budget_tokens },
    };
    return JSON.parse(JSON.stringify(encoded(body, 'anthropic-messages'))).additionalModelRequestFields;
  });
  assert.equal(
    efforts,
    ['low', 'medium', 'high'].map((reasoning_effort) => ({ reasoning_effort })),
  );
});

test('only Nova’s second generation is told to think, and not its hardest where something bounds the answer', () => {
  const asked = (body: JsonObject, scope = testScope()) =>
    JSON.parse(JSON.stringify(encoded({ messages: [user], reasoning_effort: 'high', ...body }, 'openai-chat', scope)))
      .additionalModelRequestFields;
  for (const model of ['us.amazon.nova-pro-v1:0', 'nova-lite', 'amazon.nova-premier-v1:0']) {
    const scope = testScope();
    assert.is(asked({ model }, scope), undefined);
    assert.equal(scope.lost, ['reasoning_effort']);
  }
  const scope = testScope();
  const bounded = asked({ model: 'nova-2-lite', max_tokens: 9 }, scope);
  assert.equal(bounded, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } });
  assert.equal(scope.lost, ['reasoning_effort']);
  const low = asked({ model: 'nova-2-lite', max_tokens: 9, reasoning_effort: 'low' });
  assert.equal(low, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } });
});

test('no two documents have one name, and what is to be cached of a result is marked behind it', () => {
  const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  const document = { type: 'document', source };
  const cache_control = { type: 'ephemeral' };
  const result = { type: 'tool_result', tool_use_id: 'c1' };
  const content = [{ type: 'text', text: 'sunny', cache_control }, document];
  const body = {
    max_tokens: 9,
    messages: [
      { role: 'user', content: [document, { ...document, title: 'a.pdf' }, { ...document, title: 'A pdf' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { city: 'Paris' } }] },
      { role: 'user', content: [{ ...result, content }] },
    ],
  };
  const told = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'JVBERi0=' } } });
  const wire = JSON.parse(JSON.stringify(encoded(body, 'anthropic-messages')));
  assert.equal(wire.messages, [
    { role: 'user', content: [{ text: '...' }, told('Document'), told('a pdf'), told('A pdf 2')] },
    { role: 'assistant', content: [toolUse] },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }, told('Document 2')] } },
        { cachePoint: { type: 'default' } },
      ],
    },
  ]);
});

test('documents, cache marks and thoughts of Messages clients', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const source = { type: 'text', media_type: 'text/plain', data: 'facts' };
  const body = {
    model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    max_tokens: 9,
    system: [{ type: 'text', text: 's', cache_control }],
    messages: [
      { role: 'user', content: [{ type: 'document', title: 'My_facts!', source, citations: { enabled: true } }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't', signature: 'SIG' },
          { type: 'redacted_thinking', data: 'HID' },
          { type: 'tool_use', id: 'c1', name: 'look', input: { city: 'Paris' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'no', is_error: true }] },
    ],
    tools: [{ name: 'look', description: 'd', input_schema: schema }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
  };
  const scope = testScope();
  assert.equal(encoded(body, 'anthropic-messages', scope), {
    system: [{ text: 's' }, { cachePoint: { type: 'default', ttl: '1h' } }],
    messages: [
      {
        role: 'user',
        content: [
          { text: '...' },
          {
            document: {
              format: 'txt',
              name: 'My facts',
              source: { bytes: Buffer.from('facts').toString('base64') },
              citations: { enabled: true },
            },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 't', signature: 'SIG' } } },
          { reasoningContent: { redactedContent: 'HID' } },
          toolUse,
        ],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'no' }], status: 'error' } }] },
    ],
    inferenceConfig: { maxTokens: 9 },
    toolConfig: { tools: [{ toolSpec }], toolChoice: { any: {} } },
  });
  assert.equal(scope.lost, ['parallel_tool_calls']);
});

test('what is said in a block that this host does not know is refused, and what a vendor’s tool did is left out', () => {
  const found = { type: 'container_upload', file_id: 'file_1' };
  const result = { type: 'tool_result', tool_use_id: 'c1', content: [found] };
  const use = { type: 'tool_use', id: 'c1', name: 'look', input: {} };
  const refused = isRefusal('convert_request_failed');
  const asked = (...messages: JsonObject[]) => ({ max_tokens: 9, messages });
  const said = { role: 'user', content: [found] };
  const returned = [user, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }];
  assert.throws(() => encoded(asked(said), 'anthropic-messages'), refused);
  assert.throws(() => encoded(asked(...returned), 'anthropic-messages'), refused);
  const scope = testScope();
  const searched = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
  const turn = { role: 'assistant', content: [searched, { type: 'text', text: 'found' }] };
  encoded(asked(user, turn, user), 'anthropic-messages', scope);
  assert.equal(scope.lost, ['server_tool_use']);
});

test('an answer that breaks off says that it did not end, and one without figures says that it did', () => {
  const machine = bedrockConverse.decodeStream(testScope());
  const delta = { event: 'contentBlockDelta', data: '{"contentBlockIndex":0,"delta":{"text":"po"}}' };
  const said = machine.push(delta).map(({ type }) => type);
  assert.equal(said, ['message-start', 'text-start', 'text-delta']);
  assert.equal(machine.end(), []);
  const stopped = bedrockConverse.decodeStream(testScope());
  stopped.push(delta);
  stopped.push({ event: 'messageStop', data: '{"stopReason":"end_turn"}' });
  assert.equal(
    stopped.end().map(({ type }) => type),
    ['text-end', 'finish'],
  );
});

test.run();
