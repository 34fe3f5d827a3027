/**
 * What turns and tools say beside their words and another dialect has no place for: carried as words where words do, else
 * named to whoever asked to be warned (relay.md 13.1). Runs once: it looks at what goes over the wire.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { type FakeUpstream, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { message } from './dialect-world.ts';
import { completion } from './wire.ts';

interface World {
  daemon: TestDaemon;
  upstream: FakeUpstream;
  keys: Record<'strict' | 'warn', string>;
}

const test = suite<World>('relay: noted losses');

const chat = 'gpt-4o';
const responses = 'gpt-5-pro';
const claude = 'claude-sonnet-4-5';
const gemini = 'gemini-2.5-flash';
const nova = 'nova-pro';
const kimi = 'kimi-k2.6';
const lent = 'claude-opus-4-6';
const command = 'command-a';

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const words = [{ text: 'ok' }];

function answers({ url }: RecordedRequest) {
  if (url.includes('/converse')) {
    const output = { message: { role: 'assistant', content: words } };
    return jsonAnswer({ output, stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } });
  }
  if (url.includes('enerateContent')) {
    return jsonAnswer({ candidates: [{ content: { role: 'model', parts: words }, finishReason: 'STOP' }] });
  }
  if (url.includes('/v2/chat')) {
    const said = { role: 'assistant', content: [{ type: 'text', text: 'ok' }] };
    return jsonAnswer({ id: 'c', message: said, finish_reason: 'COMPLETE', usage: { tokens: usage } });
  }
  if (/messages|invoke/.test(url)) return jsonAnswer({ ...message, content: [{ type: 'text', text: 'ok' }], usage });
  if (!url.includes('/responses')) return jsonAnswer(completion());
  const said = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
  return jsonAnswer({ id: 'resp_1', object: 'response', status: 'completed', output: [said], usage });
}

test.before(async (world) => {
  world.upstream = await startFakeUpstream(answers);
  world.daemon = await startTestDaemon({ options: { SelfUseModeEnabled: 'true' } });
  const base_url = world.upstream.url;
  const add = (type: number, models: string, rest: object = {}) =>
    world.daemon.addChannel({ type, base_url, models, key: 'sk-up', ...rest });
  await add(1, chat, { setting: '{"responses_native":false}' });
  await add(1, responses);
  await add(14, claude);
  await add(24, gemini);
  await add(25, kimi);
  await add(34, command);
  await add(33, `${nova},${lent}`, { key: 'AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1' });
  world.keys = {
    strict: await world.daemon.addKey({ conversion: 'strict' }),
    warn: await world.daemon.addKey({ conversion: 'warn' }),
  };
});
test.after(async ({ daemon, upstream }) => {
  await daemon.stop();
  await upstream.close();
});

async function ask({ daemon, keys, upstream }: World, path: string, body: object, key: 'strict' | 'warn' = 'warn') {
  upstream.requests.length = 0;
  const response = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[key]}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const sent = upstream.requests[0]?.body.toString() ?? '{}';
  const lost = response.headers.get('tollgate-dropped-fields') ?? '';
  return { status: response.status, text, sent: JSON.parse(sent), lost };
}

const block = (text: string) => ({ type: 'text', text });

/** A document in pieces and what a search of the client's has found, in a message and as the result of a call. */
function researched(model: string, citations: object = {}) {
  const chapters = { type: 'content', content: [block('Chapter one.'), block('Chapter two.')] };
  const found = {
    type: 'search_result',
    source: 'https://a.example/x',
    title: 'A page',
    content: [block('It rains.')],
  };
  return {
    model,
    max_tokens: 9,
    tools: [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', title: 'Book', source: chapters, ...citations }, block('Compare')],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ ...found, ...citations }] }],
      },
    ],
  };
}

test('documents in pieces and found pages reach the models of others as words', async (world) => {
  const book = 'Book\n\nChapter one.\nChapter two.';
  const page = 'A page\nhttps://a.example/x\n\nIt rains.';
  for (const model of [chat, responses, gemini]) {
    const { status, text, sent, lost } = await ask(world, '/v1/messages', researched(model), 'strict');
    assert.is(status, 200, text);
    const body = JSON.stringify(sent);
    for (const said of [book, page]) assert.ok(body.includes(JSON.stringify(said)), `${model}: ${body}`);
    assert.is(lost, '');
  }
  const whole = await ask(world, '/v1/messages', researched(chat), 'strict');
  const result = whole.sent.messages.find(({ role }: { role: string }) => role === 'tool');
  assert.is(result.content, page);
  const { sent } = await ask(world, '/v1/messages', researched(nova), 'strict');
  assert.equal(sent.messages[2].content, [{ toolResult: { toolUseId: 'toolu_1', content: [{ text: page }] } }]);
  const { document } = sent.messages[0].content[0];
  assert.equal([document.format, document.name], ['txt', 'Book']);
  assert.is(Buffer.from(document.source.bytes, 'base64').toString(), 'Chapter one.\nChapter two.');
});

test('that they cannot be cited there is noted', async (world) => {
  const cited = { citations: { enabled: true } };
  for (const model of [chat, responses, gemini]) {
    const { lost } = await ask(world, '/v1/messages', researched(model, cited));
    assert.equal(lost.split(', ').sort(), ['document.citations', 'search_result.citations'], model);
  }
  assert.is((await ask(world, '/v1/messages', researched(nova, cited))).lost, 'search_result.citations');
  assert.is((await ask(world, '/v1/messages', researched(chat, cited), 'strict')).status, 400);
});

test('a document with a picture among its pieces is refused where another vendor would read half of it', async (world) => {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
  const source = { type: 'content', content: [block('See:'), picture] };
  const messages = [{ role: 'user', content: [{ type: 'document', source }, block('What is it?')] }];
  const { status, text } = await ask(world, '/v1/messages', { model: chat, max_tokens: 9, messages });
  assert.is(status, 400);
  assert.match(text, /document cannot be converted/);
});

const turns = (...said: object[]) => [{ role: 'user', content: 'q' }, ...said, { role: 'user', content: 'and?' }];

test('what earlier answers rested on is noted, and nobody is refused for sending it back', async (world) => {
  const citation = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'x' };
  const told = turns({ role: 'assistant', content: [{ ...block('It rains.'), citations: [citation] }] });
  const place = { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 };
  const noted = {
    role: 'assistant',
    content: 'It rains.',
    annotations: [{ type: 'url_citation', url_citation: place }],
  };
  const file = { type: 'file_citation', file_id: 'file-1', filename: 'a.txt', index: 0 };
  const output = (...annotations: object[]) =>
    turns({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It rains.', annotations }] });
  const calls: readonly (readonly [path: string, body: object, lost: string])[] = [
    ['/v1/messages', { model: chat, max_tokens: 9, messages: told }, 'citations'],
    ['/v1/messages', { model: gemini, max_tokens: 9, messages: told }, 'citations'],
    ['/v1/messages', { model: nova, max_tokens: 9, messages: told }, 'citations'],
    ['/v1/messages', { model: responses, max_tokens: 9, messages: told }, ''],
    ['/v1/chat/completions', { model: claude, messages: turns(noted) }, 'annotations'],
    ['/v1/chat/completions', { model: responses, messages: turns(noted) }, ''],
    ['/v1/responses', { model: gemini, input: output({ type: 'url_citation', ...place }) }, 'annotations'],
    ['/v1/responses', { model: chat, input: output(file) }, 'annotations'],
    ['/v1/responses', { model: chat, input: output() }, ''],
  ];
  for (const [path, body, lost] of calls) {
    assert.is((await ask(world, path, body)).lost, lost, `${path} ${JSON.stringify(body)}`);
    assert.is((await ask(world, path, body, 'strict')).status, 200);
  }
});

test('that a program and not the model called a tool is noted, and that the model did is not', async (world) => {
  const used = (caller: object) => [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {}, caller }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
  ];
  const program = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
  for (const model of [chat, nova]) {
    const of = (caller: object) => ask(world, '/v1/messages', { model, max_tokens: 9, messages: used(caller) });
    assert.is((await of(program)).lost, 'tool_use.caller');
    assert.is((await of({ type: 'direct' })).lost, '');
  }
  const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c', output: 'x' };
  const by = (caller: object) => ({
    model: claude,
    input: [
      { ...call, caller },
      { ...result, caller },
    ],
  });
  const { lost } = await ask(world, '/v1/responses', by({ type: 'program', caller_id: 'p' }));
  assert.is(lost, 'function_call.caller, function_call_output.caller');
  assert.is((await ask(world, '/v1/responses', by({ type: 'direct' }))).lost, '');
});

test('what a group of tools is for is noted, and its tools are offered all the same', async (world) => {
  const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
  const group = { type: 'namespace', name: 'crm', description: 'Customers', tools: [look] };
  const body = { model: claude, input: 'hi', tools: [group] };
  const { lost, sent } = await ask(world, '/v1/responses', body);
  assert.is(lost, 'tools.namespace.description');
  assert.is(sent.tools[0].name, 'crm__look');
  const strict = await ask(world, '/v1/responses', body, 'strict');
  assert.is(strict.status, 200);
  assert.equal(JSON.parse(strict.text).tools, [{ ...group, tools: [{ ...look, strict: false }] }]);
});

test('how Gemini’s clients want calls told and results taken is noted', async (world) => {
  const result = { id: 'a', name: 'look', response: { x: 1 } };
  const asked = (own: object, functionCallingConfig: object) => ({
    contents: [
      { role: 'user', parts: [{ text: 'q' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'look', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { ...result, ...own } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'look' }] }],
    toolConfig: { functionCallingConfig },
  });
  const path = `/v1beta/models/${chat}:generateContent`;
  const streaming = { mode: 'AUTO', streamFunctionCallArguments: true };
  const { lost } = await ask(world, path, asked({ scheduling: 'SILENT' }, streaming));
  const member = 'toolConfig.functionCallingConfig.streamFunctionCallArguments';
  assert.is(lost, `${member}, functionResponse.scheduling`);
  assert.is((await ask(world, path, asked({}, { mode: 'AUTO' }))).lost, '');
  const odd = await ask(world, path, asked({}, { mode: 'SOMETIMES' }));
  assert.is(odd.lost, 'toolConfig.functionCallingConfig.mode');
});

const png = 'iVBORw0KGgo=';

test('what stands beside the content of a part, a tool or a wish to think is noted, in the words of its dialect', async (world) => {
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
  const thinking = { type: 'between_tools' };
  const hidden = {
    inlineData: { mimeType: 'image/png', data: png },
    mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
  };
  const clip = { fileData: { fileUri: 'https://youtu.be/x' }, videoMetadata: { startOffset: '10s' } };
  const asked = (content: unknown) => [{ role: 'user', content }];
  const parts = (...all: object[]) => ({ contents: [{ role: 'user', parts: [{ text: 'q' }, ...all] }] });
  const tool = { type: 'custom', name: 'run', defer_loading: true, allowed_callers: ['programmatic'] };
  const calls: readonly (readonly [path: string, body: object, lost: string])[] = [
    [
      '/v1/chat/completions',
      { model: claude, messages: asked([{ ...block('q'), ...mark }]) },
      'text.prompt_cache_breakpoint',
    ],
    [
      '/v1/responses',
      { model: gemini, input: asked([{ type: 'input_image', image_url: `data:image/png;base64,${png}`, ...mark }]) },
      'image.prompt_cache_breakpoint',
    ],
    ['/v1/responses', { model: chat, input: 'q', tools: [tool] }, 'tools.allowed_callers, tools.defer_loading'],
    [
      '/v1/messages',
      { model: chat, max_tokens: 9, messages: asked([{ ...image, transformations: { resize: 'fit' } }, block('q')]) },
      'image.transformations',
    ],
    [
      '/v1/messages',
      { model: nova, max_tokens: 9, messages: asked([{ ...image, transformations: { resize: 'fit' } }, block('q')]) },
      'image.transformations',
    ],
    ['/v1/messages', { model: responses, max_tokens: 9, messages: asked('q'), thinking }, 'thinking'],
    [`/v1beta/models/${chat}:generateContent`, parts(hidden), 'image.mediaResolution'],
    [`/v1beta/models/${chat}:generateContent`, parts(clip), 'video.videoMetadata'],
  ];
  for (const [path, body, lost] of calls) {
    const { status, text, lost: told } = await ask(world, path, body);
    assert.equal([status, told], [200, lost], `${path} ${JSON.stringify(body)} ${text}`);
  }
});

test('words that an answer is to go on with are noted where it would not', async (world) => {
  const half = (own: object) => [
    { role: 'user', content: 'Count' },
    { role: 'assistant', content: 'One, ', ...own },
  ];
  for (const member of ['prefix', 'partial']) {
    for (const model of [responses, gemini, command]) {
      const { lost } = await ask(world, '/v1/chat/completions', { model, messages: half({ [member]: true }) });
      assert.is(lost, `messages.${member}`, model);
    }
    const idle = await ask(world, '/v1/chat/completions', { model: gemini, messages: half({ [member]: false }) });
    assert.is(idle.lost, '');
    const gone = await ask(
      world,
      '/v1/chat/completions',
      { model: claude, messages: half({ [member]: true }) },
      'strict',
    );
    assert.is(gone.sent.messages[1].role, 'assistant');
  }
});

test('a thought in details is noted as any other, and what a wish to think says beside it', async (world) => {
  const details = [{ type: 'reasoning.encrypted', data: 'xyz' }];
  for (const reasoning_details of [details, [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }]]) {
    const messages = turns({ role: 'assistant', content: 'It rains.', reasoning_details });
    for (const model of [claude, gemini, responses, nova, command]) {
      assert.is((await ask(world, '/v1/chat/completions', { model, messages })).lost, 'reasoning', model);
    }
  }
  const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'allow' } };
  const asked = { max_tokens: 2048, messages: [{ role: 'user', content: 'q' }] };
  for (const model of [responses, gemini]) {
    const { lost } = await ask(world, '/v1/messages', { model, ...asked, thinking });
    assert.is(lost, 'thinking.block_binding', model);
    const idle = await ask(world, '/v1/messages', { model, ...asked, thinking: { ...thinking, block_binding: {} } });
    assert.is(idle.lost, '');
  }
});

test('what Gemini’s clients keep beside a part is noted, and nobody is refused for it', async (world) => {
  const partMetadata = { source: 'a' };
  const contents = [
    { role: 'user', parts: [{ text: 'q', partMetadata }] },
    { role: 'model', parts: [{ functionCall: { id: 'a', name: 'look', args: {} }, partMetadata }] },
    { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'look', response: {} }, partMetadata }] },
  ];
  for (const model of [chat, claude]) {
    const { lost, sent } = await ask(world, `/v1beta/models/${model}:generateContent`, { contents });
    assert.is(lost, 'text.partMetadata, functionCall.partMetadata, functionResponse.partMetadata');
    assert.not.match(JSON.stringify(sent), /partMetadata/);
    assert.is((await ask(world, `/v1beta/models/${model}:generateContent`, { contents }, 'strict')).status, 200);
  }
});

test('the name and the wished detail of a file go where there is a place for them', async (world) => {
  const pdf = 'JVBERi0xLjQK';
  const file = { mimeType: 'application/pdf', data: pdf, displayName: 'report.pdf' };
  const named = { contents: [{ role: 'user', parts: [{ text: 'q' }, { inlineData: file }] }] };
  const { sent } = await ask(world, `/v1beta/models/${chat}:generateContent`, named, 'strict');
  assert.is(sent.messages[0].content[1].file.filename, 'report.pdf');
  const content = [
    { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}`, detail: 'low' },
  ];
  const { lost } = await ask(world, '/v1/responses', { model: chat, input: [{ role: 'user', content }] });
  assert.is(lost, 'document.detail');
  const chatFile = {
    type: 'file',
    file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}`, detail: 'low' },
  };
  const asked = { model: responses, messages: [{ role: 'user', content: [chatFile] }] };
  const kept = await ask(world, '/v1/chat/completions', asked, 'strict');
  assert.is(kept.sent.input[0].content[0].detail, 'low');
});

test('what a vendor’s own form of chat has no place for is noted for clients of chat as well', async (world) => {
  const url_citation = { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 };
  const said = { role: 'assistant', content: 'It rains.', annotations: [{ type: 'url_citation', url_citation }] };
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
  const messages = [{ role: 'user', content: [{ ...block('q'), ...mark }] }, said, { role: 'user', content: 'and?' }];
  const { lost, sent } = await ask(world, '/v1/chat/completions', { model: command, messages });
  assert.is(lost, 'text.prompt_cache_breakpoint, annotations');
  assert.not.match(JSON.stringify(sent), /breakpoint|annotations/);
  const again = { model: command, messages: turns(said) };
  assert.is((await ask(world, '/v1/chat/completions', again, 'strict')).status, 200);
});

test('nobody is refused for naming his end user, who is left out where the host reads no such member', async (world) => {
  const body = { max_tokens: 9, messages: [{ role: 'user', content: 'q' }], metadata: { user_id: 'u' } };
  for (const model of [lent, nova, chat, gemini, claude]) {
    const { status, text } = await ask(world, '/v1/messages', { model, ...body }, 'strict');
    assert.is(status, 200, `${model} ${text}`);
  }
  const { sent, lost } = await ask(world, '/v1/messages', {
    ...body,
    model: lent,
    metadata: { user_id: 'u', team: 'x' },
  });
  assert.equal([sent.metadata, lost], [undefined, 'metadata.team']);
});

test('members that Kimi takes and does nothing by are left out and noted', async (world) => {
  const ignored = { seed: 7, logit_bias: { 5: 1 }, logprobs: true, top_logprobs: 2, user: 'u' };
  const messages = [{ role: 'user', content: 'hi' }];
  const { lost, sent } = await ask(world, '/v1/chat/completions', { model: kimi, messages, ...ignored });
  assert.equal(lost.split(', ').sort(), ['logit_bias', 'logprobs', 'seed', 'top_logprobs']);
  assert.equal(sent, { model: kimi, messages });
});

test.run();
