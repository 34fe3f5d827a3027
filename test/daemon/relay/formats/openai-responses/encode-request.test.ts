import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at, list } from '../../../../support/checkers/answer.ts';
import { isRefusal } from '../../../../support/refusal-code.ts';

const test = suite('Responses request encoder');

test('asks for the odds of tokens where the model tells them, and says where it does not', () => {
  const ask = (model: string) => {
    const scope = testScope();
    const sampling = { logprobs: true, topLogprobs: 2 };
    const body = openaiResponses.encodeRequest({ ...anyRequest, model, sampling }, scope);
    return { include: at(body, 'include'), top: at(body, 'top_logprobs'), lost: scope.lost };
  };
  assert.equal(ask('gpt-4.1'), { include: ['message.output_text.logprobs'], top: 2, lost: [] });
  const { include, top, lost } = ask('o3-pro');
  assert.equal([include, top], [['reasoning.encrypted_content'], undefined]);
  assert.equal(lost.sort(), ['logprobs', 'top_logprobs']);
});

test('refuses what the model said in a form that has no word here, and keeps what is of its own dialect', () => {
  const says = (part: JsonObject) => ({
    model: 'gpt-5',
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'see' }, part] }],
  });
  const video = { type: 'video_url', video_url: { url: 'https://x.test/v.mp4' } };
  const file = { type: 'file', file: { file_id: 'file-1' } };
  for (const part of [video, file, { type: 'novel', novel: 1 }]) {
    const request = openaiChat.decodeRequest(says(part));
    assert.throws(() => openaiResponses.encodeRequest(request, testScope()), isRefusal('convert_request_failed'));
  }
  const own = { type: 'novel', novel: 1 };
  const input = [{ role: 'assistant', content: [own, { type: 'output_text', text: 'see' }] }];
  const again = openaiResponses.encodeRequest(openaiResponses.decodeRequest({ model: 'gpt-5', input }), testScope());
  assert.equal(at(again, 'input', 0, 'content', 0), own);
});

test('answers calls of free text in their own kind, as chat clients write both', () => {
  const custom = { id: 'c', type: 'custom', custom: { name: 'patch', input: '***' } };
  const plain = { id: 'f', type: 'function', function: { name: 'look', arguments: '{}' } };
  const request = openaiChat.decodeRequest({
    model: 'gpt-5',
    tools: [{ type: 'custom', custom: { name: 'patch' } }],
    messages: [
      { role: 'assistant', content: null, tool_calls: [custom, plain] },
      { role: 'tool', tool_call_id: 'f', content: 'seen' },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ],
  });
  const input = list(at(openaiResponses.encodeRequest(request, testScope()), 'input'));
  assert.equal(
    input.map((item) => [at(item, 'type'), at(item, 'call_id')]),
    [
      ['custom_tool_call', 'c'],
      ['function_call', 'f'],
      ['function_call_output', 'f'],
      ['custom_tool_call_output', 'c'],
    ],
  );
});

test('writes the tools that a choice allows anew, the vendor’s own among them', () => {
  const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }, { type: 'mcp', server_label: 'docs' }];
  const again = (choice: JsonObject) => {
    const request = openaiResponses.decodeRequest({ model: 'gpt-5', input: 'hi', tools, tool_choice: choice });
    return at(openaiResponses.encodeRequest(request, testScope()), 'tool_choice');
  };
  const f = { type: 'function', name: 'f' };
  const mcp = { type: 'mcp', server_label: 'docs', name: 'find' };
  for (const allowed of [[f, { type: 'web_search' }, mcp], [{ type: 'web_search' }], [mcp]]) {
    for (const mode of ['auto', 'required']) {
      const choice = { type: 'allowed_tools', mode, tools: allowed };
      assert.equal(again(choice), choice);
    }
  }
});

test('shows pictures that another vendor’s model made as pictures, not as a text of their bytes', () => {
  const request = geminiGenerate.decodeRequest({
    model: 'gpt-5',
    contents: [
      { role: 'user', parts: [{ text: 'draw' }] },
      { role: 'model', parts: [{ text: 'here' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] },
      { role: 'user', parts: [{ text: 'bluer' }] },
    ],
  });
  const input = list(at(openaiResponses.encodeRequest(request, testScope()), 'input'));
  assert.equal(
    input.map((item) => list(at(item, 'content')).map((part) => at(part, 'type'))),
    [['input_text'], ['output_text'], ['input_image', 'input_text']],
  );
});

test.run();
