/** How vendors of OpenAI's dialect differ from it, one by one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteVendorLosses } from '../../../../daemon/gateway/vendor-loss.ts';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { asObject } from '../../../../daemon/relay/formats/fields.ts';
import { chatFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { isObject, type Json, type JsonObject } from '../../../../daemon/relay/json.ts';
import type { UpstreamCall } from '../../../../daemon/relay/provider.ts';
import { testScope } from '../../../conformance/scope.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';

const test = suite('vendors of one dialect');

function amend(id: string, body: JsonObject, rest: Partial<UpstreamCall> = {}): Json | undefined {
  const adapter = adapterOf(id);
  return adapter.amendBody?.(body, callOf(adapter, { model: 'm', ...rest }));
}

test('a schema becomes an instruction where answers are JSON but keep to none', () => {
  const schema = { type: 'object' };
  const body = {
    messages: [{ role: 'user', content: 'u' }],
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  };
  const content = 'Answer with one JSON value that follows this JSON schema:\n{"type":"object"}';
  const asked = { messages: [{ role: 'system', content }, ...body.messages], response_format: { type: 'json_object' } };
  assert.equal(amend('deepseek', body, { model: 'deepseek-v4-pro' }), asked);
  assert.equal(amend('moonshot', body, { model: 'moonshot-v1-8k' }), asked);
  assert.equal(amend('moonshot', body, { model: 'kimi-k2.6' }), body);
});

test('the version of a channel decides where SparkDesk answers, as it decides what it is called there', () => {
  const xunfei = adapterOf('xunfei');
  const path = (other: string) => xunfei.path(callOf(xunfei, { model: 'SparkDesk', other }));
  assert.equal(amend('xunfei', {}, { model: 'SparkDesk', other: 'x1' }), { model: 'spark-x' });
  assert.equal([path('x1'), path('v4.0')], ['/v2/chat/completions', '/v1/chat/completions']);
});

test('a turn that called tools has thoughts for DeepSeek, empty ones where its client kept none', () => {
  const turn = { role: 'assistant', content: '', tool_calls: [{ id: 'c', type: 'function', function: {} }] };
  for (const kept of [{}, { reasoning_content: null }]) {
    const messages = [{ ...turn, ...kept }];
    assert.equal(amend('deepseek', { messages }), { messages: [{ ...turn, reasoning_content: '' }] });
  }
  const thoughtful = { messages: [{ ...turn, reasoning_content: 'because' }] };
  assert.equal(amend('deepseek', thoughtful), thoughtful);
});

test('Qwen gets no seed of more than 31 bits, which it refuses, by either interface', () => {
  const most = 2_147_483_647;
  assert.equal(amend('ali', { seed: most }), { seed: most });
  assert.equal(amend('ali', { seed: most + 1 }), {});
  assert.equal(amend('ali', { seed: -1 }), {});
  const parameters = { seed: most + 1 };
  assert.equal(amend('ali', { model: 'm', parameters }, { format: 'dashscope-chat' }), { model: 'm', parameters: {} });
});

test('Qwen is asked for no more than it takes, by either interface, and for more answers than it gives not at all', () => {
  const asked = { presence_penalty: -3, top_logprobs: 20 };
  const fitted = { presence_penalty: -2, top_logprobs: 5 };
  assert.equal(amend('ali', { ...asked }), fitted);
  const own = amend('ali', { model: 'm', parameters: asked }, { format: 'dashscope-chat' });
  assert.equal(own, { model: 'm', parameters: fitted });
  assert.equal(amend('ali', { presence_penalty: 1.5, top_logprobs: 0, n: 4 }), {
    presence_penalty: 1.5,
    top_logprobs: 0,
    n: 4,
  });
  assert.throws(() => amend('ali', { n: 5 }), /convert_request_failed/);
});

test('Kimi is told not to think where it can be', () => {
  const quiet = { reasoning_effort: 'none' };
  assert.equal(amend('moonshot', quiet, { model: 'kimi-k2.6' }), { thinking: { type: 'disabled' } });
  assert.equal(amend('moonshot', quiet, { model: 'kimi-k3' }), { reasoning_effort: 'low' });
  assert.equal(amend('moonshot', quiet, { model: 'moonshot-v1-8k' }), {});
});

test("a wish of Claude's clients to think or not is told in the vendor's words, or noted as lost", () => {
  const told = (id: string, model: string, thinking: JsonObject) => {
    const scope = testScope();
    const asked = { model, max_tokens: 9000, messages: [{ role: 'user', content: 'u' }], thinking };
    const request = chatFormatOf('anthropic-messages')?.decodeRequest(asked);
    const before = request && chatFormatOf('openai-chat')?.encodeRequest(request, scope);
    assert.ok(isObject(before));
    const after = amend(id, { ...before }, { model });
    assert.ok(isObject(after));
    noteVendorLosses('openai-chat', { before, after }, scope);
    const { reasoning_effort: effort = after.effort, thinking: type } = after;
    return { ...(effort === undefined ? {} : { effort }), ...asObject(type), lost: scope.lost };
  };
  const quiet = { type: 'disabled' };
  const loud = { type: 'enabled', budget_tokens: 2048 };
  const budget = ['reasoning.budget_tokens'];
  assert.equal(told('volcengine', 'doubao-seed-1-6-250615', quiet), { type: 'disabled', lost: [] });
  assert.equal(told('volcengine', 'doubao-seed-1-6-250615', loud), { effort: 'low', lost: budget });
  assert.equal(told('moonshot', 'kimi-k2.6', quiet), { type: 'disabled', lost: [] });
  assert.equal(told('moonshot', 'kimi-k2.6', loud), { type: 'enabled', lost: budget });
  assert.equal(told('moonshot', 'kimi-k3', loud), { effort: 'low', lost: budget });
  const kept = ['reasoning_effort'];
  assert.equal(told('moonshot', 'kimi-k3', quiet), { effort: 'low', lost: kept });
  assert.equal(told('moonshot', 'kimi-k2.7-code', quiet), { lost: kept });
  assert.equal(told('ali', 'deepseek-r1', quiet), { lost: kept });
  for (const model of ['qwen-plus-latest', 'qwen-flash']) assert.equal(told('ali', model, loud), { lost: budget });
  assert.equal(told('baidu-v2', 'ernie-4.5-turbo-vl', loud), { lost: budget });
  assert.equal(told('openai', 'gpt-6-astra', quiet), { lost: kept });
  assert.equal(told('xai', 'grok-4', quiet), { lost: kept });
  assert.equal(told('xai', 'grok-4.3', quiet), { effort: 'none', lost: [] });
  assert.equal(told('xai', 'grok-4-fast-non-reasoning', quiet), { lost: [] });
  assert.equal(told('minimax', 'MiniMax-M3', quiet), { type: 'disabled', lost: [] });
  assert.equal(told('minimax', 'MiniMax-M3', loud), { type: 'adaptive', lost: budget });
  assert.equal(told('minimax', 'MiniMax-M3.1-Flash-Preview', quiet), { effort: 'low', lost: kept });
  assert.equal(told('minimax', 'MiniMax-M2.7', quiet), { lost: kept });
});

test('open weights of Qwen that cannot think in a whole answer are told not to, and the wish is noted', () => {
  const lostOf = (before: JsonObject, stream: boolean) => {
    const scope = testScope();
    const after = amend('ali', { model: 'qwen3-32b', ...before }, { model: 'qwen3-32b', stream });
    assert.ok(isObject(after));
    noteVendorLosses('openai-chat', { before: { model: 'qwen3-32b', ...before }, after }, scope);
    return [after.enable_thinking, after.thinking_budget, ...scope.lost];
  };
  assert.equal(lostOf({ reasoning_effort: 'low' }, false), [false, undefined, 'reasoning_effort']);
  assert.equal(lostOf({ enable_thinking: true, thinking_budget: 9 }, false), [
    false,
    undefined,
    'enable_thinking',
    'thinking_budget',
  ]);
  assert.equal(lostOf({ reasoning_effort: 'low' }, true), [true, 2048]);
  assert.equal(lostOf({ reasoning_effort: 'none' }, false), [false, undefined]);
});

test('GLM honours one stop word, and the others are noted', () => {
  const scope = testScope();
  const before = { model: 'glm-5.3', stop: ['a', 'b', 'c'] };
  const after = amend('zhipu-v4', { ...before }, { model: 'glm-5.3' });
  assert.ok(isObject(after));
  assert.equal(after.stop, ['a']);
  noteVendorLosses('openai-chat', { before, after }, scope);
  assert.equal(scope.lost, ['stop[1..]']);
});

test('what Ollama’s compatible interface does not read is left out, and noted', () => {
  const scope = { ...testScope(), lost: [] as string[] };
  const before = {
    model: 'qwen3',
    top_k: 5,
    top_p: 0.5,
    logit_bias: { 1: 2 },
    verbosity: 'low',
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    tools: [{ type: 'function', function: { name: 'look' } }],
    tool_choice: 'required',
  };
  const after = amend('ollama', { ...before });
  assert.ok(isObject(after));
  assert.equal(Object.keys(after), ['model', 'top_p', 'tools']);
  noteVendorLosses('openai-chat', { before, after }, { ...scope, lose: (field) => void scope.lost.push(field) });
  assert.equal(scope.lost, ['top_k', 'logit_bias', 'verbosity', 'metadata', 'parallel_tool_calls', 'tool_choice']);
});

test('Kimi is told by the system what a developer says', () => {
  const saying = (role: string) => ({ messages: [{ role, content: 'be brief' }] });
  assert.equal(amend('moonshot', saying('developer'), { model: 'kimi-k2.6' }), saying('system'));
});

test('Kimi chooses its tools by itself while it thinks', () => {
  const named = { tool_choice: { type: 'function', function: { name: 'look' } } };
  for (const model of ['kimi-k2.6', 'kimi-k3']) {
    assert.equal(amend('moonshot', named, { model }), { tool_choice: 'auto' });
  }
  const quiet = { ...named, thinking: { type: 'disabled' } };
  assert.equal(amend('moonshot', quiet, { model: 'kimi-k2.6' }), quiet);
  assert.equal(amend('moonshot', named, { model: 'moonshot-v1-8k' }), named);
});

test("Kimi's Messages stand beside the version in an address that names it", () => {
  const moonshot = adapterOf('moonshot');
  const path = (baseUrl: string) => moonshot.path(callOf(moonshot, { baseUrl, format: 'anthropic-messages' }));
  assert.is(path('https://api.moonshot.cn'), '/anthropic/v1/messages');
  assert.is(path('https://api.moonshot.cn/v1'), 'https://api.moonshot.cn/anthropic/v1/messages');
  // The subscription for coding agents has them at its root.
  assert.is(path('https://api.kimi.com/coding'), '/v1/messages');
  assert.is(path('https://api.kimi.com/coding/v1'), '/messages');
});

test('MiniMax is asked beside the version of its address in Claude’s words, and at its newer host', () => {
  const minimax = adapterOf('minimax');
  const path = (baseUrl: string, format: FormatId = 'anthropic-messages') =>
    minimax.path(callOf(minimax, { baseUrl, format }));
  assert.is(path('https://api.minimax.io'), '/anthropic/v1/messages');
  assert.is(path('https://api.minimax.io/v1'), 'https://api.minimax.io/anthropic/v1/messages');
  assert.is(path('https://api.minimax.io/v1', 'openai-chat'), '/chat/completions');
  assert.is(path('https://api.minimax.chat/v1'), 'https://api.minimaxi.com/anthropic/v1/messages');
  const old = { baseUrl: 'https://api.minimax.chat', other: '', setting: {}, settings: {} };
  assert.is(minimax.listModels?.(old)?.path, 'https://api.minimaxi.com/v1/models');
});

test('MiniMax makes nine images at once, and is asked again for more', () => {
  const { atOnce } = adapterOf('minimax');
  const most = (capability: 'images' | 'image-edits' | 'embeddings') =>
    atOnce?.({ capability, format: 'minimax-images', model: 'image-01' });
  assert.equal([most('images'), most('image-edits'), most('embeddings')], [9, 9, undefined]);
});

test('MiniMax’s models without eyes are shown nothing', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://h.example/a.png' } };
  const body = { messages: [{ role: 'user', content: [picture] }] };
  for (const model of ['MiniMax-M2.5', 'MiniMax-Text-01', 'abab6.5s-chat']) {
    assert.throws(() => amend('minimax', body, { model }), /convert_request_failed/, model);
  }
  for (const model of ['MiniMax-M3', 'MiniMax-VL-01', 'some-alias']) {
    assert.equal(asObject(amend('minimax', body, { model }))?.messages, body.messages);
  }
});

test('penalties that some models at Cerebras refuse are left out, and noted where they ask for anything', () => {
  const lost = (before: JsonObject) => {
    const scope = testScope();
    const after = amend('cerebras', { ...before });
    assert.equal(after, {});
    noteVendorLosses('openai-chat', { before, after: {} }, scope);
    return scope.lost;
  };
  assert.equal(lost({ presence_penalty: 0, frequency_penalty: 0 }), []);
  assert.equal(lost({ presence_penalty: 0.5, frequency_penalty: 0 }), ['presence_penalty']);
});

test('Xinference ranks texts and nothing else', () => {
  const documents = ['a', { text: 'b' }, { title: 'c', year: 7 }];
  const asked = amend('xinference', { query: 'q', documents }, { capability: 'rerank', format: 'rerank' });
  assert.equal(asked, { query: 'q', documents: ['a', 'b', 'title: c\nyear: 7'] });
});

test('Mistral gets no share of the odds where nothing is left to chance', () => {
  assert.equal(amend('mistral', { temperature: 0, top_p: 0.5 }), { temperature: 0 });
  assert.equal(amend('mistral', { temperature: 0, top_p: 1 }), { temperature: 0, top_p: 1 });
  assert.equal(amend('mistral', { temperature: 0.2, top_p: 0.5 }), { temperature: 0.2, top_p: 0.5 });
});

test('a Coze bot talks to whom the client names, else the key or the channel, else to the account', () => {
  const account = { user_id: 'tollgate-7' };
  assert.equal(amend('coze', account), account);
  assert.equal(amend('coze', account, { other: 'visitor' }), { user_id: 'visitor' });
  assert.equal(amend('coze', account, { other: 'visitor', settings: { user: 'ann' } }), { user_id: 'ann' });
  assert.equal(amend('coze', { user_id: 'bob' }, { other: 'visitor' }), { user_id: 'bob' });
});

test('Mistral is told of files by their id, or by their bytes and name', () => {
  const asked = (file: JsonObject) =>
    amend('mistral', { messages: [{ role: 'user', content: [{ type: 'file', file }] }] });
  const given = (part: JsonObject) => ({ messages: [{ role: 'user', content: [part] }] });
  assert.equal(asked({ file_id: 'f-1' }), given({ type: 'file', file_id: 'f-1' }));
  const file_data = 'data:application/pdf;base64,JVBERi0=';
  assert.equal(asked({ file_data }), given({ type: 'document_url', document_url: file_data }));
  const named = { type: 'document_url', document_url: file_data, document_name: 'a.pdf' };
  assert.equal(asked({ file_data, filename: 'a.pdf' }), given(named));
});

test('Grok of several agents is asked in Responses, whatever the client speaks', () => {
  const formats = (model: string) => adapterOf('xai').formatsFor?.({}, model, {});
  assert.equal(formats('grok-4.20-multi-agent-0309'), ['openai-responses']);
  assert.ok(formats('grok-4.20-0309-reasoning')?.includes('openai-chat'));
});

test('ERNIE 5.5 keeps its own temperature', () => {
  const warm = (model: string) => amend('baidu-v2', { model, temperature: 0.2 });
  assert.equal(warm('ernie-5.5-flash-preview'), { model: 'ernie-5.5-flash-preview' });
  assert.equal(warm('ernie-5.1'), { model: 'ernie-5.1', temperature: 0.2 });
});

test('efforts that a vendor does not know become the nearest that it does', () => {
  const effort = (id: string, reasoning_effort: string) => amend(id, { reasoning_effort });
  for (const word of ['xhigh', 'max']) {
    for (const id of ['volcengine', 'cerebras', 'fireworks']) {
      assert.equal(effort(id, word), { reasoning_effort: 'high' });
    }
  }
  assert.equal(effort('volcengine', 'minimal'), { reasoning_effort: 'minimal' });
  assert.equal(effort('fireworks', 'minimal'), { reasoning_effort: 'low' });
  const agent = (wish: string) => amend('perplexity', { reasoning: { effort: wish } }, { format: 'openai-responses' });
  assert.equal(agent('max'), { reasoning: { effort: 'xhigh' } });
  assert.equal([agent('minimal'), agent('none')], [{ reasoning: { effort: 'minimal' } }, {}]);
  assert.equal(effort('cerebras', 'minimal'), { reasoning_effort: 'low' });
  assert.equal(effort('cerebras', 'none'), { reasoning_effort: 'none' });
  const quiet = { reasoning_effort: 'none' };
  assert.equal(amend('cerebras', quiet, { model: 'gpt-oss-120b' }), { reasoning_effort: 'low' }, 'always thinks');
  const deep = { reasoning_effort: 'max' };
  assert.equal(amend('fireworks', deep, { model: 'accounts/fireworks/models/glm-5p2' }), deep);
});

test('Grok is told the nearest effort that its model knows', () => {
  const told = (model: string, wish: string) => {
    const body = amend('xai', { reasoning_effort: wish }, { model });
    return isObject(body) ? body.reasoning_effort : undefined;
  };
  assert.is(told('grok-4.6', 'xhigh'), 'high');
  assert.is(told('grok-4.6', 'none'), 'low');
  assert.is(told('grok-4.3', 'none'), 'none');
  assert.is(told('grok-4.3', 'minimal'), 'low');
  assert.is(told('grok-3-mini', 'medium'), 'high');
  assert.is(told('grok-build-0.1', 'high'), undefined);
});

test('Grok is told no effort that it refuses in Responses either, and all else that is asked of its thoughts', () => {
  const told = (model: string, reasoning: JsonObject) =>
    amend('xai', { input: 'u', reasoning }, { model, format: 'openai-responses' });
  const shown = { summary: 'auto' };
  assert.equal(told('grok-build-0.1', { effort: 'high', ...shown }), { input: 'u', reasoning: shown });
  assert.equal(told('grok-4.20-0309-reasoning', { effort: 'high' }), { input: 'u' });
  assert.equal(told('grok-4.6', { effort: 'xhigh', ...shown }), {
    input: 'u',
    reasoning: { ...shown, effort: 'high' },
  });
  const agents = { effort: 'xhigh' };
  assert.equal(told('grok-4.20-multi-agent-0309', agents), { input: 'u', reasoning: agents });
  assert.equal(told('grok-4.20-0309-reasoning', shown), { input: 'u', reasoning: shown });
});

test('chance is asked for within what a vendor takes', () => {
  assert.equal(amend('mistral', { temperature: 2, top_p: 0 }), { temperature: 1.5, top_p: 0.001 });
  assert.equal(amend('mistral', { temperature: 0, top_p: 0 }), { temperature: 0 });
  assert.equal(amend('cerebras', { temperature: 2, top_p: 0 }), { temperature: 1.5, top_p: 0 });
});

test("SiliconFlow's voices carry the name of their model", () => {
  const call = { capability: 'speech', format: 'openai-speech', model: 'FunAudioLLM/CosyVoice2-0.5B' } as const;
  const spoken = (voice: string) => amend('siliconflow', { voice }, call);
  assert.equal(spoken('bella'), { voice: 'FunAudioLLM/CosyVoice2-0.5B:bella' });
  assert.equal(spoken('alloy'), { voice: 'FunAudioLLM/CosyVoice2-0.5B:alex' });
  assert.equal(spoken('speech:mine:x'), { voice: 'speech:mine:x' });
  const voice = 'speech:mine:x';
  assert.equal(amend('siliconflow', { voice, response_format: 'aac' }, call), { voice }, 'it has no AAC');
  const opus = { voice, response_format: 'opus' };
  assert.equal(amend('siliconflow', opus, call), opus);
});

test('GLM speaks in its own voices, in the two forms that it has and as fast as it can', () => {
  const call = { capability: 'speech', format: 'openai-speech', model: 'glm-tts' } as const;
  const asked = { model: 'glm-tts', input: 'u', voice: 'alloy', speed: 4, instructions: 'be merry' };
  const file = { model: 'glm-tts', input: 'u', voice: 'tongtong', speed: 2, response_format: 'wav' };
  assert.equal(amend('zhipu-v4', asked, call), file);
  assert.equal(amend('zhipu-v4', { ...asked, response_format: 'mp3' }, call), file);
  const own = { model: 'glm-tts', input: 'u', voice: 'jam', response_format: 'pcm', volume: 2 };
  assert.equal(amend('zhipu-v4', own, call), own);
});

test('vendors that fetch nothing say so of the dialects that they share with their clients', () => {
  const kinds = (id: string, rest: Partial<UpstreamCall> = {}) => adapterOf(id).inlines?.(callOf(adapterOf(id), rest));
  assert.equal(kinds('ollama'), ['image']);
  assert.equal(kinds('moonshot'), ['image', 'video']);
  assert.equal(kinds('cloudflare'), ['image']);
  const claude = { format: 'anthropic-messages' } as const;
  assert.equal(kinds('bedrock', claude), ['image', 'document']);
  assert.equal(kinds('bedrock', { ...claude, baseUrl: 'https://bedrock-mantle.us-east-1.api.aws' }), []);
  assert.equal(kinds('vertex', claude), ['image', 'document']);
  assert.equal(kinds('vertex', { format: 'gemini-generate' }), []);
});

test('results go to Vertex in the order of the calls that they name, since their ids are left out', () => {
  const asked = (id: string, city: string) => ({ functionCall: { id, name: 'weather', args: { city } } });
  const found = (id: string, sky: string) => ({ functionResponse: { id, name: 'weather', response: { sky } } });
  const [calls, words] = [[asked('a', 'Rome'), asked('b', 'Oslo')], { text: 'and tomorrow?' }];
  const sent = (results: JsonObject[]) => {
    const contents = [{ parts: [{ text: 'Weather?' }] }, { role: 'model', parts: calls }, { parts: results }];
    const told = amend('vertex', { contents }, { format: 'gemini-generate' });
    assert.ok(isObject(told) && Array.isArray(told.contents));
    assert.not.match(JSON.stringify(told), '"id"');
    return asObject(told.contents[2])?.parts;
  };
  const result = (sky: string) => ({ functionResponse: { name: 'weather', response: { sky } } });
  assert.equal(sent([found('b', 'snow'), words, found('a', 'sun')]), [result('sun'), words, result('snow')]);
  // Who names other calls than these is taken at the order that he chose.
  assert.equal(sent([found('x', 'snow'), found('a', 'sun')]), [result('snow'), result('sun')]);
});

test('Fireworks hears on hosts of its own, and another that imitates it on its own address', () => {
  const fireworks = adapterOf('fireworks');
  const path = (model: string, baseUrl = fireworks.baseUrl) =>
    fireworks.path(callOf(fireworks, { capability: 'transcription', format: 'openai-transcription', model, baseUrl }));
  assert.is(path('whisper-v3'), 'https://audio-prod.api.fireworks.ai/v1/audio/transcriptions');
  assert.is(path('whisper-v3-turbo'), 'https://audio-turbo.api.fireworks.ai/v1/audio/transcriptions');
  assert.is(path('whisper-v3', 'https://h.example'), '/v1/audio/transcriptions');
});

test.run();
