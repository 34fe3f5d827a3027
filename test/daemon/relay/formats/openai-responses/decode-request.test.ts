import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../../daemon/errors.ts';
import { chatFormats } from '../../../../../daemon/relay/formats/index.ts';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('Responses request decoder');

function decode(body: JsonObject) {
  return openaiResponses.decodeRequest({ model: 'm', input: 'Hello', ...body });
}

/** The reasons for which every other format refuses a request. */
function refusals(body: JsonObject): (string | undefined)[] {
  return chatFormats
    .filter((format) => format !== openaiResponses)
    .map((format) => {
      try {
        format.encodeRequest(decode(body), testScope());
        return undefined;
      } catch (error) {
        assert.ok(error instanceof TollgateError);
        return String(error.params.reason);
      }
    });
}

test('refuses content that is neither text nor a list, which would be missing', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const fieldOf = (item: JsonObject) => {
    try {
      decode({ input: [call, item] });
    } catch (error) {
      return error instanceof TollgateError ? error.field : undefined;
    }
    return undefined;
  };
  assert.is(fieldOf({ type: 'function_call_output', call_id: 'c', output: { a: 1 } }), 'input[1].output');
  assert.is(fieldOf({ role: 'user', content: 5 }), 'input[1].content');
  assert.is(fieldOf({ role: 'user', content: null }), undefined);
});

test('reads a string and a list of items', () => {
  assert.equal(decode({}).items, [{ type: 'user', parts: [{ type: 'text', text: 'Hello' }] }]);
  const { items } = decode({
    instructions: 'Be kind',
    input: [
      { role: 'developer', content: 'Be brief' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Ho', annotations: [] }],
        phase: 'final_answer',
      },
    ],
  });
  assert.equal(
    items.map((item) => item.type),
    ['system', 'system', 'user', 'assistant'],
  );
});

test('asks for the odds of tokens where it asks for alternatives', () => {
  assert.equal(decode({ top_logprobs: 3 }).sampling, { logprobs: true, topLogprobs: 3 });
  assert.equal(decode({ top_logprobs: 0 }).sampling, {});
});

test('needs input unless an upstream keeps it', () => {
  assert.throws(() => openaiResponses.decodeRequest({ model: 'm' }), isRefusal('invalid_request', 'input'));
  assert.equal(openaiResponses.decodeRequest({ model: 'm', previous_response_id: 'r' }).stored, {
    previous_response_id: 'r',
  });
});

test('takes a result whose call is not there for words of the user', () => {
  const { items } = decode({ input: [{ type: 'function_call_output', call_id: 'x', output: 'seen' }] });
  assert.equal(items, [{ type: 'user', parts: [{ type: 'text', text: 'seen' }] }]);
});

test('reads custom, shell and namespaced tools and what the client did with them', () => {
  const request = decode({
    tools: [
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: x' } },
      { type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'read' }] },
      { type: 'local_shell' },
    ],
    input: [
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      { type: 'local_shell_call', call_id: 'b', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', call_id: 'b', output: 'x' },
    ],
  });
  assert.equal(
    request.tools.map((tool) => tool.kind),
    ['custom', 'function', 'local-shell'],
  );
  const calls = request.items.flatMap((item) => (item.type === 'tool-call' ? [[item.kind, item.input]] : []));
  assert.equal(calls, [
    ['custom', '*** Begin'],
    ['local-shell', '{"type":"exec","command":["ls"]}'],
  ]);
});

test('offers custom tools to every other format as functions of one text', () => {
  const request = decode({
    tools: [{ type: 'custom', name: 'patch', format: { type: 'grammar', definition: 'start: x' } }],
    input: [
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
    ],
  });
  for (const format of chatFormats) {
    if (format === openaiResponses) continue;
    const written = JSON.stringify(format.encodeRequest(request, testScope()));
    assert.match(written, /start: x/);
    assert.match(written, /"?input\\?":\\?"?\*\*\* Begin|\{\\"input\\":\\"\*\*\* Begin\\"\}/);
  }
});

test('state that an upstream keeps is refused by every other format, by name', () => {
  for (const field of ['previous_response_id', 'conversation', 'prompt']) {
    for (const reason of refusals({ [field]: 'x' })) assert.match(String(reason), new RegExp(field));
  }
  for (const reason of refusals({ background: true })) assert.match(String(reason), /background/);
});

test('hosted tools and their items are refused by every other format, by name', () => {
  for (const reason of refusals({ tools: [{ type: 'file_search', vector_store_ids: [] }] })) {
    assert.match(String(reason), /file_search/);
  }
  for (const item of [{ type: 'item_reference', id: 'x' }, { id: 'x' }, { type: null, id: 'x' }]) {
    for (const reason of refusals({ input: [item] })) assert.match(String(reason), /item_reference/);
  }
});

test('the call of a web search may be left out', () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'web_search_call', id: 'ws', status: 'completed' },
  ];
  assert.equal(refusals({ input }), [undefined, undefined, undefined]);
});

test('encrypted reasoning keeps its origin', () => {
  const { items } = decode({ input: [{ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'E' }] });
  assert.equal(items, [
    { type: 'reasoning', texts: [], form: 'summary', seal: { origin: 'openai-responses', data: 'E' }, id: 'rs' },
  ]);
});

test('refuses an entry of the tools that is none, in every dialect, rather than leave it out', () => {
  const bodies: Readonly<Record<string, JsonObject>> = {
    'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello' }] },
    'openai-responses': { model: 'm', input: 'Hello' },
    'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
    'gemini-generate': { model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  };
  for (const [dialect, body] of Object.entries(bodies)) {
    const format = chatFormats.find(({ id }) => id === dialect);
    for (const odd of ['web_search', null, [], 1]) {
      assert.throws(
        () => format?.decodeRequest({ ...body, tools: [odd] }),
        (error: unknown) => error instanceof TollgateError && error.params.reason === 'tools[0]: must be an object',
        `${dialect}: ${JSON.stringify(odd)}`,
      );
    }
  }
});

test.run();
