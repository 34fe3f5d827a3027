/** The playground without its page: conversations, what is sent, what streams in, Markdown in blocks, programs. */
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meaningOf, readAnswer, refusalOf } from '../../console/pages/playground/answer-stream.ts';
import {
  groupAmong,
  initialParameters,
  keptParameters,
  modelAmong,
  toolsOf,
} from '../../console/pages/playground/call-parameters.ts';
import { callSnippet, pythonLiteral } from '../../console/pages/playground/call-snippets.ts';
import {
  type AnswerNews,
  asked,
  contextCleared,
  contextOf,
  deleted,
  edited,
  ended,
  grown,
  hasRunning,
  putBack,
  retried,
  shownTry,
  type Turns,
  tryShown,
  withTry,
} from '../../console/pages/playground/conversation.ts';
import { conversationsOf, keptOf, restored } from '../../console/pages/playground/kept-conversation.ts';
import { messagesOf, type RequestBody, requestBody } from '../../console/pages/playground/request-body.ts';
import { isSendKey } from '../../console/pages/playground/send-key.ts';

const test = suite('console: the playground');

const ask = (turns: Turns, text: string, name: string) =>
  asked(turns, { id: `q${name}`, text, attachments: [] }, { id: `a${name}`, model: 'gpt-4o-mini' });
const finish = (turns: Turns, name: string, text: string, place = 0) =>
  withTry(turns, `a${name}`, place, (answer) => ended(grown(answer, { text }), { state: 'complete' }, 1200));
const answerOf = (turns: Turns, name: string) => {
  const turn = turns.find(({ id }) => id === `a${name}`);
  if (turn?.kind !== 'answer') throw new Error(`no answer ${name}`);
  return shownTry(turn);
};

test('an answer is awaited, grows with what comes in, and is whole at the end', () => {
  let turns = ask([], 'hi', '1');
  assert.is(answerOf(turns, '1').state, 'loading');
  assert.ok(hasRunning(turns));
  turns = withTry(turns, 'a1', 0, (answer) => grown(answer, { usage: { prompt: 3, completion: 1 } }));
  assert.is(answerOf(turns, '1').state, 'loading', 'figures are no words');
  turns = withTry(turns, 'a1', 0, (answer) => grown(grown(answer, { text: 'Hel' }), { text: 'lo', reasoning: 'why' }));
  assert.is(answerOf(turns, '1').state, 'incomplete');
  assert.is(answerOf(turns, '1').text, 'Hello');
  turns = withTry(turns, 'a1', 0, (answer) => ended(answer, { state: 'complete' }, 900));
  assert.is(answerOf(turns, '1').state, 'complete');
  assert.is(answerOf(turns, '1').totalMs, 900);
  assert.equal(answerOf(turns, '1').usage, { prompt: 3, completion: 1 });
  assert.not.ok(hasRunning(turns));
});

test('what comes after the end changes nothing, and what came before it stays', () => {
  const failure = { kind: 'told', text: 'boom' } as const;
  let turns = withTry(ask([], 'hi', '1'), 'a1', 0, (answer) => grown(answer, { text: 'half' }));
  turns = withTry(turns, 'a1', 0, (answer) => ended(answer, { state: 'error', failure }, 5));
  turns = withTry(turns, 'a1', 0, (answer) => ended(grown(answer, { text: ' more' }), { state: 'stopped' }, 9));
  const answer = answerOf(turns, '1');
  assert.equal([answer.state, answer.text, answer.failure, answer.totalMs], ['error', 'half', failure, 5]);
});

test('a tool call is put together from its parts', () => {
  const parts: AnswerNews[] = [
    { toolCalls: [{ index: 0, name: 'weather', arguments: '{"city"' }] },
    { toolCalls: [{ index: 0, arguments: ':"Paris"}' }] },
    { toolCalls: [{ index: 1, name: 'time', arguments: '{}' }] },
  ];
  const turns = withTry(ask([], 'hi', '1'), 'a1', 0, (answer) => parts.reduce(grown, answer));
  assert.equal(answerOf(turns, '1').toolCalls, [
    { index: 0, name: 'weather', arguments: '{"city":"Paris"}' },
    { index: 1, name: 'time', arguments: '{}' },
  ]);
});

test('a tool call is put together by its number, wherever the numbers begin', () => {
  const parts: AnswerNews[] = [
    { toolCalls: [{ index: 1, name: 'weather', arguments: '{"city"' }] },
    { toolCalls: [{ index: 4_000_000_000, name: 'time' }] },
    { toolCalls: [{ index: 1, arguments: ':"Paris"}' }] },
    { toolCalls: [{ index: 4_000_000_000, arguments: '{}' }] },
  ];
  const turns = withTry(ask([], 'hi', '1'), 'a1', 0, (answer) => parts.reduce(grown, answer));
  assert.equal(answerOf(turns, '1').toolCalls, [
    { index: 1, name: 'weather', arguments: '{"city":"Paris"}' },
    { index: 4_000_000_000, name: 'time', arguments: '{}' },
  ]);
});

test('a turn that was taken out goes back to its place, whatever came and went since', () => {
  const turns = finish(ask(finish(ask([], 'one', '1'), '1', 'uno'), 'two', '2'), '2', 'due');
  const names = (of: Turns) => of.map(({ id }) => id).join(' ');
  const [, first] = turns;
  if (!first) throw new Error('no answer');
  const longer = ask(deleted(turns, 'a1'), 'three', '3');
  assert.is(names(putBack(longer, first, ['q1'])), 'q1 a1 q2 a2 q3 a3');
  assert.is(names(putBack(deleted(longer, 'q1'), first, ['q1'])), 'a1 q2 a2 q3 a3');
  assert.is(putBack(turns, first, ['q1']), turns, 'it is there already');
});

test('a further try keeps the earlier ones, of which the shown one is sent along', () => {
  let turns = finish(ask([], 'hi', '1'), '1', 'first');
  turns = finish(retried(turns, { id: 'a1', model: 'gpt-4o' }), '1', 'second', 1);
  assert.is(answerOf(turns, '1').text, 'second');
  turns = tryShown(turns, 'a1', 0);
  turns = tryShown(turns, 'a1', 7);
  assert.is(answerOf(turns, '1').text, 'first');
  assert.equal(messagesOf('', turns), [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'first' },
  ]);
});

test('an edited question drops what followed it', () => {
  let turns = finish(ask([], 'one', '1'), '1', 'uno');
  turns = finish(ask(turns, 'two', '2'), '2', 'due');
  turns = edited(turns, { id: 'q1', text: 'three' }, { id: 'a3', model: 'gpt-4o' });
  assert.equal(
    turns.map(({ id }) => id),
    ['q1', 'a3'],
  );
  assert.equal(messagesOf('', contextOf(turns, 'a3')), [{ role: 'user', content: 'three' }]);
  assert.is(edited(turns, { id: 'a3', text: 'no question' }, { id: 'a4', model: 'x' }), turns);
  assert.is(deleted(turns, 'a3').length, 1);
});

test('messages above the line are not sent', () => {
  let turns = finish(ask([], 'one', '1'), '1', 'uno');
  assert.equal(contextCleared([], 'c'), []);
  turns = contextCleared(turns, 'c1');
  assert.is(contextCleared(turns, 'c2'), turns, 'no second line');
  turns = ask(turns, 'two', '2');
  assert.equal(messagesOf('be brief', contextOf(turns, 'a2')), [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'two' },
  ]);
});

test('the first call sends what the panel shows: temperature 0, no limit of tokens, the system prompt first', () => {
  const parameters = { ...initialParameters, model: 'gpt-4o-mini', group: 'default' };
  const body = requestBody(parameters, contextOf(ask([], 'hi', '1'), 'a1'));
  assert.equal(body, {
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'hi' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    model: 'gpt-4o-mini',
    group: 'default',
    temperature: 0,
  });
  const rarer = { ...parameters, maxTokens: 50, stop: 'END\n', isJson: true, seed: 0, reasoningEffort: 'low' as const };
  const { max_tokens, stop, response_format, seed, reasoning_effort } = requestBody(rarer, []);
  assert.equal(
    [max_tokens, stop, response_format, seed, reasoning_effort],
    [50, ['END'], { type: 'json_object' }, 0, 'low'],
  );
});

test('images go along as parts, text files within the words, behind a fence that they do not close', () => {
  const turns: Turns = [
    {
      kind: 'user',
      id: 'q',
      text: 'look',
      attachments: [
        { kind: 'image', name: 'a.png', content: 'data:image/png;base64,AA==' },
        { kind: 'text', name: 'b.md', content: '```\ncode\n```' },
      ],
    },
  ];
  assert.equal(messagesOf(' ', turns), [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look\n\nb.md\n````\n```\ncode\n```\n````' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
  ]);
});

function answering(status: number, ...pieces: string[]): Response {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const each of bytes) controller.enqueue(each);
        controller.close();
      },
    }),
    { status },
  );
}

async function heard(response: Response) {
  const news: AnswerNews[] = [];
  const ending = await readAnswer(response, (each) => news.push(each));
  return {
    ending,
    text: news.map(({ text }) => text ?? '').join(''),
    usage: news.findLast(({ usage }) => usage)?.usage,
  };
}
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

test('a stream is read however its bytes are cut, until it says that it is done', async () => {
  const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } };
  const whole = `${chunk('你好')}${chunk('!')}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n${chunk('late')}`;
  for (const at of [10, 40, 47, 48, 49, 60]) {
    const bytes = Buffer.from(whole);
    const response = new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(bytes.subarray(0, at));
          controller.enqueue(bytes.subarray(at));
          controller.close();
        },
      }),
    );
    assert.equal(await heard(response), {
      ending: { state: 'complete' },
      text: '你好!',
      usage: { prompt: 7, completion: 2 },
    });
  }
});

test('a connection that closes without a word was complete', async () => {
  assert.equal((await heard(answering(200, chunk('a'), 'data: {"choices":[{"delta":{"content":"b"}}]}'))).text, 'ab');
  assert.equal((await heard(answering(200, chunk('a')))).ending, { state: 'complete' });
});

test('an error within the stream ends the answer with what it says', async () => {
  const error = { error: { message: 'too slow (request id: 2026abc)', code: 'upstream_timeout' } };
  const answer = await heard(answering(200, chunk('half'), `data: ${JSON.stringify(error)}\n\n`, chunk('late')));
  assert.is(answer.text, 'half');
  assert.equal(answer.ending, {
    state: 'error',
    failure: { kind: 'told', text: 'too slow', code: 'upstream_timeout' },
  });
  assert.equal(meaningOf('error', 'not json'), { failure: { kind: 'told', text: 'not json' } });
});

test('a refusal before the first byte is told in the words of the server', async () => {
  const body = '{"error":{"message":"no quota","code":"insufficient_user_quota"}}';
  assert.equal((await heard(answering(403, body))).ending, {
    state: 'error',
    failure: { kind: 'told', text: 'no quota', code: 'insufficient_user_quota' },
  });
  assert.equal(refusalOf(403, '{"success":false,"message":"banned","code":"user_disabled"}'), {
    kind: 'told',
    text: 'banned',
    code: 'user_disabled',
  });
  assert.equal(refusalOf(502, '<html>'), { kind: 'told', text: 'HTTP 502' });
});

test('what was kept is read, and what cannot be read is the initial panel', () => {
  const kept = [{ ...initialParameters, temperature: 0.7, seed: 4 }];
  assert.equal(keptParameters(JSON.parse(JSON.stringify(kept))), kept);
  for (const broken of [undefined, 'x', [], [{ temperature: 9 }], [1, 2, 3]]) {
    assert.equal(keptParameters(broken), [initialParameters]);
  }
  assert.is(modelAmong(['a', 'gpt-4o-mini'], 'gone'), 'gpt-4o-mini');
  assert.is(modelAmong(['a', 'b'], ''), 'a');
  assert.is(modelAmong(['a', 'b'], 'b'), 'b');
  assert.is(modelAmong([], 'b'), undefined);
  assert.is(groupAmong(['default', 'vip'], 'vip', 'default'), 'vip');
  assert.is(groupAmong(['default', 'vip'], 'gone', 'vip'), 'vip');
  assert.equal([toolsOf(''), toolsOf('{}'), toolsOf('[{}]')], [[], undefined, [{}]]);
});

const conversation = requestBody(
  { ...initialParameters, model: 'm', group: 'vip', maxTokens: 9 },
  finish(ask([], `It's "quoted" \\ and\n$HOME`, '1'), '1', 'yes'),
);

test('a program makes exactly this call, with the key from the environment', () => {
  assert.equal(JSON.parse(callSnippet('json', 'https://x.test', conversation)), conversation);
  const { group: _, ...call } = conversation;
  const curl = callSnippet('curl', 'https://x.test', conversation);
  const spoken = spawnSync('bash', ['-c', `curl() { printf '%s' "\${@: -1}"; }\n${curl}`], { encoding: 'utf8' });
  assert.equal(JSON.parse(spoken.stdout), call);
  for (const kind of ['curl', 'python', 'node', 'anthropic'] as const) {
    const code = callSnippet(kind, 'https://x.test', conversation);
    assert.match(code, 'TOLLGATE_KEY');
    assert.match(code, 'https://x.test');
    assert.not.match(code, 'vip');
  }
  const anthropic = callSnippet('anthropic', 'https://x.test', conversation);
  assert.match(anthropic, 'system="You are a helpful assistant."');
  assert.not.match(anthropic, '"role": "system"');
});

test('a program for Anthropic has the tools of the call in the words of Anthropic', () => {
  const look = {
    type: 'function',
    function: { name: 'look', description: 'Looks.', parameters: { type: 'object', required: [] } },
  };
  const tools = [look, { type: 'function', function: { name: 'bare' } }, { type: 'web_search_20250305', name: 'web' }];
  const code = callSnippet('anthropic', 'https://x.test', { ...conversation, tools });
  const expected = [
    { name: 'look', description: 'Looks.', input_schema: { type: 'object', required: [] } },
    { name: 'bare', input_schema: { type: 'object' } },
    { type: 'web_search_20250305', name: 'web' },
  ];
  assert.match(code, `    tools=${pythonLiteral(expected, '    ')},`);
  assert.not.match(callSnippet('anthropic', 'https://x.test', conversation), 'tools=');
});

test('a picture is no argument of curl: shells refuse one that is so long', () => {
  const [first] = conversation.messages;
  if (!first) throw new Error('nothing was said');
  const told = { role: 'user', content: `it's $HOME ${'A'.repeat(200_000)}` } as const;
  const long: RequestBody = { ...conversation, messages: [first, told] };
  const { group: _, ...call } = long;
  const curl = `curl() { if [ "\${@: -1}" = @- ]; then cat; else env printf '%s' "\${@: -1}"; fi; }`;
  const input = `${curl}\n${callSnippet('curl', 'https://x.test', long)}\n`;
  // A shell warns of a locale that its machine does not have.
  const env = { ...process.env, LC_ALL: 'C' };
  const spoken = spawnSync('bash', [], { input, env, encoding: 'utf8' });
  assert.is(spoken.stderr, '');
  assert.equal(JSON.parse(spoken.stdout), call);
});

test('values are written as Python writes them', () => {
  assert.is(
    pythonLiteral({ a: [true, null, 'x\n'], b: {}, c: [] }),
    '{\n    "a": [\n        True,\n        None,\n        "x\\n",\n    ],\n    "b": {},\n    "c": [],\n}',
  );
});

test('Enter sends, but not while a word is composed', () => {
  const key = { key: 'Enter', shiftKey: false, isComposing: false, keyCode: 13 };
  assert.ok(isSendKey(key));
  assert.not.ok(isSendKey({ ...key, shiftKey: true }));
  assert.not.ok(isSendKey({ ...key, isComposing: true }));
  assert.not.ok(isSendKey({ ...key, keyCode: 229 }));
});

test('a conversation is kept under its first question, and goes on as it was left', () => {
  assert.is(keptOf('c', [{ parameters: initialParameters, turns: [] }], 1), undefined, 'nothing was said');
  const question = { id: 'q', text: ' what\nis  this? ', attachments: [] };
  const turns = contextCleared(asked([], question, { id: 'a', model: 'gpt-4o' }), 'cut');
  const kept = keptOf('c', [{ parameters: initialParameters, turns }], 1);
  assert.is(kept?.title, 'what is this?');
  assert.equal(conversationsOf(JSON.stringify([kept])), [kept]);
  const again = restored(kept?.sides[0]?.turns ?? []);
  assert.not.ok(hasRunning(again), 'an answer that was coming in has stopped');
  assert.equal(
    again.map(({ id }) => id),
    ['q', 'a', 'cut'],
  );
});

test('a file that holds no conversations is refused as a whole', () => {
  const turn = { kind: 'answer', id: 'a', tries: [], shown: 0 };
  const none = { id: 'c', title: '', savedAt: 1, sides: [{ parameters: initialParameters, turns: [turn] }] };
  for (const text of ['', '{}', '[{"id":"c"}]', JSON.stringify([none])]) {
    assert.throws(() => conversationsOf(text), undefined, text);
  }
});

test.run();
