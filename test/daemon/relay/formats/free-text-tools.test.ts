/** Tools of free text that a chat client offers, at vendors whose own formats know functions alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('tools of free text');

const formats: readonly FormatId[] = [
  'aiproxy-library',
  'baidu-wenxin',
  'bedrock-converse',
  'cohere-chat',
  'cohere-v1-chat',
  'coze-chat',
  'dashscope-chat',
  'dify-chat',
  'ollama-chat',
  'replicate-predictions',
  'tencent-hunyuan',
  'xunfei-socket',
  'xunfei-spark',
  'zhipu-v3',
];

const tools = [{ type: 'custom', custom: { name: 'patch', description: 'Edits files' } }];
const call = { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'line "one"' } };
const messages = [
  { role: 'user', content: 'Mend it.' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'done' },
];

for (const id of formats) {
  test(`reach ${id} as functions, or are said to be lost`, () => {
    const scope = testScope();
    const request = openaiChat.decodeRequest({ model: 'm', messages, tools });
    const text = JSON.stringify(upstreamFormatOf(id)?.encodeRequest(request, scope));
    assert.not.match(text, /custom/);
    if (scope.lost.includes('tools')) return;
    for (const told of ['patch', 'Edits files', 'line']) assert.ok(text.includes(told), `${told} in ${text}`);
  });
}

test.run();
