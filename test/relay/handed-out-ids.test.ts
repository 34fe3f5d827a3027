/**
 * Containers of messages and files made there, threads of messages, answers said aloud, caches of Gemini and files that an operator put
 * somewhere: each lives at one upstream. Runs once: how their ids are kept is tested on both engines with those of
 * Responses.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { startTestDaemon } from '../support/daemon.ts';
import {
  type Answer,
  jsonAnswer,
  type RecordedRequest,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts';
import { keyOfAnother, postJson, type RelayWorld, tidyBetween } from '../support/relay-world.ts';
import { until } from '../support/until.ts';

interface World extends RelayWorld {
  other: string;
}

const test = suite<World>('relay: ids that answers hand out');

const text = { type: 'text', text: 'Hi' };
const begun = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
const heard = { id: 'chatcmpl-1', created: 1, model: 'm' };

/** What a tool's work came to, with the file that it wrote. */
function made(file: string): JsonObject {
  const content = [{ type: 'bash_code_execution_output', file_id: file }];
  const ran = { type: 'bash_code_execution_result', stdout: '', stderr: '', return_code: 0, content };
  return { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: ran };
}

function messageIn(container: string | null, blocks: readonly JsonObject[] = []): JsonObject {
  const used = container === null ? null : { id: container, expires_at: '2026-12-01T00:00:00Z' };
  const usage = { input_tokens: 3, output_tokens: 1 };
  return { ...begun, content: [...blocks, text], stop_reason: 'end_turn', usage, container: used };
}

function eventsIn(container: string, blocks: readonly JsonObject[] = [], id = 'msg_1'): unknown[] {
  return [
    { type: 'message_start', message: { ...begun, id, usage: { input_tokens: 3, output_tokens: 0 } } },
    ...blocks.flatMap((content_block) => [
      { type: 'content_block_start', index: 0, content_block },
      { type: 'content_block_stop', index: 0 },
    ]),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', container: { id: container, expires_at: '2026-12-01T00:00:00Z' } },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
}

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

function said(id: string): JsonObject {
  const audio = { id, expires_at: 1_900_000_000, data: 'aGk=', transcript: 'Hi' };
  const message = { role: 'assistant', content: null, audio };
  return { ...heard, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
}

function saying(id: string): unknown[] {
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    ...heard,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk({ role: 'assistant', content: 'Listen:' }),
    chunk({ audio: { id, transcript: 'Hi' } }),
    chunk({ audio: { data: 'aGk=' } }),
    chunk({ audio: { expires_at: 1_900_000_000 } }, 'stop'),
    { ...heard, object: 'chat.completion.chunk', choices: [], usage },
  ];
}

const generated: JsonObject = {
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
};

/** What is asked where, and what names an id there. */
interface Surface {
  readonly path: string;
  readonly field: string;
  readonly asks: JsonObject;
  answer(id: string, manner: 'whole' | 'streamed'): Answer;
  readonly plain: Answer;
  readonly naming: readonly ((id: string) => JsonObject)[];
}

const surfaces: Readonly<Record<string, Surface>> = {
  containers: {
    path: '/v1/messages',
    field: 'container',
    asks: { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
    answer: (id, manner) => (manner === 'whole' ? jsonAnswer(messageIn(id)) : sseAnswer(eventsIn(id))),
    plain: jsonAnswer(messageIn(null)),
    naming: [(id) => ({ container: id }), (id) => ({ container: { id, skills: [] } })],
  },
  files: {
    path: '/v1/messages',
    field: 'messages.0.content',
    asks: { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
    answer: (id, manner) =>
      manner === 'whole'
        ? jsonAnswer(messageIn(`in_${id}`, [made(id)]))
        : sseAnswer(eventsIn(`in_${id}`, [made('another'), made(id)])),
    plain: jsonAnswer(messageIn(null)),
    naming: (
      [
        (id) => ({ type: 'container_upload', file_id: id }),
        (id) => ({ type: 'image', source: { type: 'file', file_id: id } }),
        (id) => ({
          type: 'tool_result',
          tool_use_id: 't',
          content: [{ type: 'document', source: { type: 'file', file_id: id } }],
        }),
      ] satisfies ((id: string) => JsonObject)[]
    ).map((block) => (id: string) => ({ messages: [{ role: 'user', content: [block(id)] }] })),
  },
  threads: {
    path: '/v1/messages',
    field: 'thread',
    asks: { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], thread: { type: 'create' } },
    answer: (id, manner) =>
      manner === 'whole' ? jsonAnswer({ ...messageIn(`in_${id}`), id }) : sseAnswer(eventsIn(`in_${id}`, [], id)),
    plain: jsonAnswer(messageIn(null)),
    naming: [(id) => ({ thread: { type: 'continue', previous_message_id: id } })],
  },
  speech: {
    path: '/v1/chat/completions',
    field: 'messages.0.audio',
    asks: { model: 'gpt', modalities: ['text', 'audio'], messages: [{ role: 'user', content: 'hi' }] },
    answer: (id, manner) => (manner === 'whole' ? jsonAnswer(said(id)) : sseAnswer([...saying(id), '[DONE]'])),
    plain: jsonAnswer({ ...said(''), choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }),
    // Two messages are no conversation that would return to where it was: only the id leads there.
    naming: [
      (id) => ({
        messages: [
          { role: 'assistant', audio: { id } },
          { role: 'user', content: 'again' },
        ],
      }),
    ],
  },
};

test.before(async (world) => {
  world.upstream = await startFakeUpstream(jsonAnswer(generated));
  world.daemon = await startTestDaemon({
    options: { SelfUseModeEnabled: 'true', RetryTimes: '2', AutomaticDisableChannelEnabled: 'true' },
  });
  const base_url = world.upstream.url;
  for (const [type, models] of [
    [14, 'claude'],
    [1, 'gpt'],
    [24, 'gemini'],
  ] as const) {
    await world.daemon.addChannel({ type, base_url, models, key: 'key-one,key-two' });
  }
  world.key = await world.daemon.addKey();
  world.other = await keyOfAnother(world.daemon);
});

tidyBetween(test);

function asker({ headers }: RecordedRequest): string {
  return String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization);
}

/** The keys that many calls of one kind reach. */
async function askers(world: World, path: string, asked: JsonObject, key = world.key): Promise<readonly string[]> {
  world.upstream.requests.length = 0;
  for (let turn = 0; turn < 8; turn += 1) {
    const { status, text: told } = await postJson({ daemon: world.daemon, key }, path, asked);
    assert.is(status, 200, told);
  }
  return [...new Set(world.upstream.requests.map(asker))];
}

for (const [what, { path, field, asks, answer, plain, naming }] of Object.entries(surfaces)) {
  for (const manner of ['whole', 'streamed'] as const) {
    test(`${what} of a ${manner} answer are gone back to by their user, and shown to nobody else`, async (world) => {
      const id = `${what}_${manner}`;
      world.upstream.script(answer(id, manner));
      assert.is((await postJson(world, path, { ...asks, stream: manner === 'streamed' })).status, 200);
      const [first] = world.upstream.requests;
      const keeper = first && asker(first);
      world.upstream.script(plain);
      for (const named of naming) {
        assert.equal(await askers(world, path, { ...asks, ...named(id) }), [keeper]);
        world.upstream.requests.length = 0;
        const refused = await postJson({ daemon: world.daemon, key: world.other }, path, { ...asks, ...named(id) });
        assert.is(refused.status, 404, refused.text);
        assert.match(refused.text, id);
        if (what === 'speech') assert.is(refused.body.error.param, field);
        assert.is(world.upstream.requests.length, 0);
      }
    });
  }

  test(`${what} that nobody was handed here are asked for as any call is`, async (world) => {
    world.upstream.script(plain);
    for (const named of naming) {
      const { status } = await postJson(world, path, { ...asks, ...named('made_elsewhere') });
      assert.equal([status, world.upstream.requests.length], [200, 1]);
      world.upstream.requests.length = 0;
    }
  });
}

/** Events of a message up to the file that its tool made: of its container nothing is said yet. */
const unfinished = (file: string) => eventsIn('never_told', [made(file)]).slice(0, 3);
const failing = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
const asking = { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };

/** Answers that end before their container is told of, and whether the client waits for their end. */
const endings: Readonly<Record<string, { answer(file: string): Answer; leaves?: true }>> = {
  'broke off': { answer: (file) => sseAnswer(unfinished(file), { end: 'reset' }) },
  'ended in an error': { answer: (file) => sseAnswer([...unfinished(file), failing]) },
  'its client left': { answer: (file) => sseAnswer(unfinished(file), { end: 'hang' }), leaves: true },
};

/** Reads an answer until it names something, and leaves. */
async function readUpTo(world: World, path: string, { asked, mark }: { asked: JsonObject; mark: string }) {
  const leaving = new AbortController();
  const answer = await fetch(world.daemon.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
    signal: leaving.signal,
  });
  let read = '';
  for await (const piece of answer.body ?? []) {
    read += Buffer.from(piece).toString();
    if (read.includes(mark)) break;
  }
  leaving.abort();
  return read;
}

for (const [how, { answer, leaves }] of Object.entries(endings)) {
  test(`files of an answer that ${how} are gone back to by their user, and shown to nobody else`, async (world) => {
    const file = `file_${how.replaceAll(' ', '_')}`;
    world.upstream.script(answer(file));
    const asked = { ...asking, stream: true };
    const read =
      leaves === true
        ? await readUpTo(world, '/v1/messages', { asked, mark: file })
        : (await postJson(world, '/v1/messages', asked)).text;
    assert.match(read, file, 'the client has seen it');
    const [first] = world.upstream.requests;
    world.upstream.script(surfaces.files?.plain ?? {});
    const named = { ...asking, messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: file }] }] };
    // The daemon may still be at it where nobody waited for the end.
    await until(async () => {
      const { status } = await postJson({ daemon: world.daemon, key: world.other }, '/v1/messages', named);
      return status === 404;
    });
    assert.equal(await askers(world, '/v1/messages', named), [first && asker(first)]);
  });
}

test('files of an answer that came in another manner than it was asked for are noted, too', async (world) => {
  world.upstream.script(sseAnswer(eventsIn('in_other_manner', [made('file_recast')])));
  const { status, text: told } = await postJson(world, '/v1/messages', asking);
  assert.is(status, 200, told);
  assert.match(told, /"file_recast"/);
  const [first] = world.upstream.requests;
  world.upstream.script(surfaces.files?.plain ?? {});
  const content = [{ type: 'container_upload', file_id: 'file_recast' }];
  const named = { ...asking, messages: [{ role: 'user', content }] };
  assert.equal(await askers(world, '/v1/messages', named), [first && asker(first)]);
  assert.is((await postJson({ daemon: world.daemon, key: world.other }, '/v1/messages', named)).status, 404);
});

test('two containers in one body reach the upstream as the one that was looked up', async (world) => {
  world.upstream.script(jsonAnswer(messageIn(null)));
  const body =
    '{"container":"c_first","model":"claude","max_tokens":9,"container":"c_last","messages":[{"role":"user","content":"hi"}]}';
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${world.daemon.url}/v1/messages`, { method: 'POST', headers, body });
  assert.is(answer.status, 200);
  const sent = world.upstream.requests[0]?.body.toString() ?? '';
  assert.equal([sent.includes('c_first'), sent.includes('c_last')], [false, true]);
});

const refused403 = (message: string) => jsonAnswer({ error: { code: 403, message, status: 'PERMISSION_DENIED' } }, 403);
const hi = { text: 'hi' };
const uploaded = 'https://generativelanguage.googleapis.com/v1beta/files/abc';

/** What an operator put at one of the accounts, and how its vendor refuses it elsewhere. */
const shared: Readonly<Record<string, { path: string; asked: JsonObject; found: Answer; elsewhere: Answer }>> = {
  'a cache': {
    path: '/v1beta/models/gemini:generateContent',
    asked: { contents: [{ role: 'user', parts: [hi] }], cachedContent: 'cachedContents/abc' },
    found: jsonAnswer(generated),
    elsewhere: refused403('CachedContent not found (or permission denied)'),
  },
  'a file of Gemini': {
    path: '/v1beta/models/gemini:generateContent',
    asked: { contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'text/plain', fileUri: uploaded } }, hi] }] },
    found: jsonAnswer(generated),
    elsewhere: refused403('You do not have permission to access the File abc or it may not exist.'),
  },
  'a file of Gemini alone': {
    path: '/v1beta/models/gemini:generateContent',
    asked: { contents: [{ role: 'user', parts: { fileData: { mimeType: 'text/plain', fileUri: uploaded } } }] },
    found: jsonAnswer(generated),
    elsewhere: refused403('You do not have permission to access the File abc or it may not exist.'),
  },
  'a file of Claude': {
    path: '/v1/messages',
    asked: {
      model: 'claude',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_put' } }] }],
    },
    found: jsonAnswer(messageIn(null)),
    elsewhere: jsonAnswer({ type: 'error', error: { type: 'not_found_error', message: 'File not found' } }, 404),
  },
  'a file of a chat': {
    path: '/v1/chat/completions',
    asked: { model: 'gpt', messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-put' } }] }] },
    found: jsonAnswer({ ...said(''), choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }),
    elsewhere: jsonAnswer({ error: { message: 'No such File object', type: 'server_error' } }, 503),
  },
  'a picture to edit': {
    path: '/v1/images/edits',
    asked: { model: 'gpt', prompt: 'a cat', images: [{ file_id: 'file-put' }] },
    found: jsonAnswer({ created: 1, data: [{ b64_json: 'aGk=' }] }),
    elsewhere: jsonAnswer({ error: { message: 'No such File object', type: 'server_error' } }, 503),
  },
};

for (const [what, { path, asked, found, elsewhere }] of Object.entries(shared)) {
  test(`${what} is asked for first where it was found before, whoever asks`, async (world) => {
    world.upstream.script((request) => (asker(request).endsWith('key-two') ? found : elsewhere));
    for (const key of [world.key, world.other]) {
      for (let turn = 0; turn < 4; turn += 1) {
        const { status, text: told } = await postJson({ daemon: world.daemon, key }, path, asked);
        assert.is(status, 200, told);
      }
    }
    assert.ok(world.upstream.requests.length <= 9, 'one call in vain at most');
  });
}

test('ids that somebody invents disable nothing, whatever the vendor says of them', async (world) => {
  const invented: readonly [path: string, asked: JsonObject, refusal: Answer][] = [
    [
      shared['a file of Gemini']?.path ?? '',
      shared['a file of Gemini']?.asked ?? {},
      refused403('You do not have permission to access the File abc or it may not exist.'),
    ],
    [
      '/v1/chat/completions',
      { model: 'gpt', messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-invented' } }] }] },
      jsonAnswer({ error: { message: 'No such File object: file-invented', type: 'invalid_request_error' } }, 404),
    ],
  ];
  for (const [path, asked, refusal] of invented) {
    world.upstream.script(refusal);
    for (let call = 0; call < 4; call += 1) assert.ok((await postJson(world, path, asked)).status >= 400);
  }
  const { items } = await world.daemon.root.channels.list({});
  assert.equal(
    items.map(({ status }) => status),
    [1, 1, 1],
  );
});

test.run();
