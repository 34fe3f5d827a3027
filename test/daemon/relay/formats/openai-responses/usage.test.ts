import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countToolCalls, findResponsesUsage } from '../../../../../daemon/relay/formats/openai-responses/usage.ts';
import { readResponse, recordedCases } from '../../../../conformance/cases.ts';

const test = suite('Responses usage');

const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7, total_tokens: 17 };

test('is read from an answer and from the event that ends a stream', () => {
  for (const body of [{ usage }, { type: 'response.completed', response: { usage } }]) {
    const read = findResponsesUsage(body);
    assert.equal([read?.prompt, read?.cached, read?.completion], [10, 4, 7]);
  }
  assert.is(findResponsesUsage({ usage: null }), undefined);
  assert.is(findResponsesUsage({ type: 'response.created', response: { usage: null } }), undefined);
});

test('counts completed calls of charged tools, and containers once', () => {
  const output = [
    { type: 'web_search_call', status: 'completed' },
    { type: 'web_search_call', status: 'failed' },
    { type: 'file_search_call', status: 'completed' },
    { type: 'file_search_call', status: 'completed' },
    { type: 'code_interpreter_call', status: 'completed', container_id: 'c1' },
    { type: 'code_interpreter_call', status: 'completed', container_id: 'c1' },
    { type: 'image_generation_call', status: 'completed' },
    { type: 'image_generation_call', status: 'failed', result: 'aGk=' },
    { type: 'image_generation_call', status: 'generating', result: null },
    { type: 'function_call', status: 'completed' },
  ];
  assert.equal(countToolCalls({ output }), { web_search: 1, file_search: 2, code_interpreter: 1, image_generation: 1 });
  const tools = [{ type: 'web_search_preview_2025_03_11' }];
  assert.equal(countToolCalls({ output: output.slice(0, 1), tools }), { web_search_preview: 1 });
});

test('counts an image that is there, whatever a stream leaves as its status, and tells what it looks like', () => {
  const made = { type: 'image_generation_call', status: 'generating', result: 'aGk=', size: '1024x1024' };
  const tools = [{ type: 'image_generation', model: 'gpt-image-1.5' }];
  const images = [{ model: 'gpt-image-1.5', size: '1024x1024' }];
  assert.equal(countToolCalls({ output: [made], tools }), { image_generation: 1, images });
});

test('tells of a picture what is told of it, its quality alone too', () => {
  const made = { type: 'image_generation_call', status: 'completed', quality: 'low' };
  assert.equal(countToolCalls({ output: [made] }).images, [{ model: 'gpt-image-1', quality: 'low' }]);
  const plain = { type: 'image_generation_call', status: 'completed' };
  assert.equal(countToolCalls({ output: [plain] }), { image_generation: 1 });
});

test('counts different containers, and calls that name none', () => {
  const call = { type: 'code_interpreter_call', status: 'completed' };
  const output = [
    { ...call, id: 'a', container_id: 'c1' },
    { ...call, id: 'b', container_id: 'c1' },
    { ...call, id: 'c', container_id: 'c2' },
    { ...call, id: 'd' },
  ];
  assert.is(countToolCalls({ output }).code_interpreter, 3);
});

test('finds the tool calls of recorded answers', () => {
  const expected: Record<string, object> = {
    'azure/oa-responses--openai-file-search-tool-1': { file_search: 1 },
    'openai/oa-responses--agent-with-web-search-tool-spans-1': { web_search_preview: 1 },
    'openai/oa-responses--openai-image-generation-tool-1': {
      image_generation: 1,
      images: [{ model: 'gpt-image-1', size: '1024x1024', quality: 'low' }],
    },
    'openai/oa-responses--openai-responses-thinking-with-code-execution-tool': { code_interpreter: 1 },
  };
  for (const one of recordedCases()) {
    const wanted = expected[one.name];
    const body = readResponse(one);
    if (wanted === undefined || body === undefined) continue;
    assert.equal(findResponsesUsage(body)?.tools, wanted, one.name);
    delete expected[one.name];
  }
  assert.equal(expected, {});
});

test.run();
