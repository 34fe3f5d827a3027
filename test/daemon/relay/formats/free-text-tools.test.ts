/** Tools of free text that a chat client offers, at vendors whose own formats know functions alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('tools of free text');

const withFunctions: readonly FormatId[] = [
  'baidu-wenxin',
  'bedrock-converse',
  'cohere-chat',
  'dashscope-chat',
  'ollama-chat',
  'tencent-hunyuan',
  'xunfei-socket',
  'xunfei-spark',
];
const withoutTools: readonly FormatId[] = [
  'aiproxy-library',
  'cohere-v1-chat',
  'coze-chat',
  'dify-chat',
  'replicate-predictions',
  'zhipu-v3',
];

const tools = [{ type: 'custom', custom: { name: 'patch', description: 'Edits files' } }];
const call = { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'line "one"' } };
const messages = [
  { role: 'user', content: 'Mend it.' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'done' },
];

/** What a vendor is told of the conversation, and whether its tools are said to be lost. */
function told(id: FormatId): { text: string; isLost: boolean } {
  const scope = testScope();
  const request = openaiChat.decodeRequest({ model: 'm', messages, tools });
  const text = JSON.stringify(upstreamFormatOf(id)?.encodeRequest(request, scope));
  assert.not.match(text, /custom/);
  return { text, isLost: scope.lost.includes('tools') };
}

for (const id of withFunctions) {
  test(`reach ${id} as functions`, () => {
    const { text, isLost } = told(id);
    assert.not(isLost);
    for (const part of ['patch', 'Edits files', 'line']) assert.ok(text.includes(part), `${part} in ${text}`);
  });
}

for (const id of withoutTools) {
  test(`are said to be lost on ${id}, which has no tools`, () => assert.ok(told(id).isLost));
}

test.run();
