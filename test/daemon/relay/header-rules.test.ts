import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerHeaders, overriddenHeaders, passedHeaders, withOwnEntries } from '../../../daemon/relay/header-rules.ts';
import { isRefusal } from '../../support/refusal-code.ts';

const client = {
  authorization: 'Bearer sk-tollgate',
  cookie: 'session=1',
  'x-forwarded-for': '10.0.0.1',
  'idempotency-key': 'once',
  traceparent: '00-a',
  'openai-beta': 'assistants=v2',
  'anthropic-beta': 'a,b',
  'x-custom': 'c',
  'x-list': ['1', '2'],
  host: 'tollgate',
};
const sources = { apiKey: () => 'sk-channel', client };

const test = suite('headers');

test('pass from the client by a short list and by format', () => {
  assert.equal(passedHeaders(client, 'openai-chat', undefined), [
    ['idempotency-key', 'once'],
    ['traceparent', '00-a'],
    ['openai-beta', 'assistants=v2'],
  ]);
  for (const format of ['openai-images', 'openai-image-edits', 'openai-speech', 'openai-realtime'] as const) {
    assert.ok(
      passedHeaders(client, format, undefined).some(([name]) => name === 'openai-beta'),
      format,
    );
  }
  const names = passedHeaders(client, 'anthropic-messages', ['X-Custom', 'x-list']).map(([name]) => name);
  assert.equal(names, ['idempotency-key', 'traceparent', 'anthropic-beta', 'x-custom', 'x-list']);
});

test('of Claude’s features list those of the call and those of the client, each once', () => {
  const own = ['x-api-key', 'k', 'anthropic-beta', 'files-1, mcp-2'];
  const passed: [string, string][] = [
    ['anthropic-beta', 'mcp-2,, cache-3 ,cache-3'],
    ['x-custom', 'a,a'],
  ];
  assert.equal(withOwnEntries(passed, own), [
    ['anthropic-beta', 'files-1,mcp-2,cache-3'],
    ['x-custom', 'a,a'],
  ]);
  assert.equal(withOwnEntries([['anthropic-beta', 'a, b']], []), [['anthropic-beta', 'a, b']]);
});

/** Of relay.md 12.6, one for each pattern. */
const neverPassed = [
  ...['Authorization', 'x-api-key', 'x-goog-api-key', 'mj-api-secret', 'Cookie', 'Host', 'Content-Length'],
  ...['Transfer-Encoding', 'Connection', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via'],
  ...['CF-Connecting-IP', 'CF-Ray', 'Origin', 'Referer', 'Sec-Fetch-Site', 'Tollgate-Channel'],
];

test('of the published list never pass, neither wished for nor by a placeholder, and no setting says otherwise', () => {
  for (const name of neverPassed) {
    const sent = { [name.toLowerCase()]: 'secret' };
    assert.equal(passedHeaders(sent, 'openai-chat', [name]), [], name);
    const placed = overriddenHeaders({ 'x-copy': `{client_header:${name}}` }, { ...sources, client: sent });
    assert.equal(placed, [['x-copy', '']], name);
  }
});

test('of a trace pass in both parts', () => {
  const trace = { traceparent: '00-a', tracestate: 'v=1' };
  assert.equal(Object.fromEntries(passedHeaders(trace, 'gemini-generate', undefined)), trace);
});

test('that carry credentials or origins never pass, whatever the channel wishes', () => {
  const wishes = [
    'Authorization',
    'cookie',
    'X-Forwarded-For',
    'host',
    'content-length',
    'sec-fetch-mode',
    'x\r\ny',
    7,
  ];
  const passed = passedHeaders({ ...client, 'sec-fetch-mode': 'cors' }, 'rerank', wishes);
  assert.equal(
    passed.map(([name]) => name),
    ['idempotency-key', 'traceparent'],
  );
});

test('are overridden by the channel, with placeholders filled', () => {
  const override = {
    Authorization: 'Token {api_key}',
    'X-Trace': '{client_header:X-Custom}/{client_header:none}',
    'X-Stolen': '{client_header:authorization}',
    'X-Gone': null,
  };
  assert.equal(overriddenHeaders(override, sources), [
    ['authorization', 'Token sk-channel'],
    ['x-trace', 'c/'],
    ['x-stolen', ''],
    ['x-gone', undefined],
  ]);
  assert.equal(overriddenHeaders(undefined, sources), []);
});

test('refuse overrides that could break the request', () => {
  for (const override of [
    { Host: 'x' },
    { 'content-length': '1' },
    { 'X-A': 'a\r\nX-B: b' },
    { 'X A': 'a' },
    { 'X-A': 1 },
    { 'X-A': '{client_header:x-evil}' },
    'text',
    [],
  ]) {
    assert.throws(
      () => overriddenHeaders(override, { ...sources, client: { 'x-evil': 'a\nb' } }),
      isRefusal('channel:header_override_invalid'),
    );
  }
});

test('come back only by name', () => {
  const upstream = { 'set-cookie': 'a', server: 'x', 'x-request-id': 'r', 'content-disposition': 'attachment' };
  assert.equal(answerHeaders(upstream, { disposition: false, requestId: false }), []);
  assert.equal(answerHeaders(upstream, { disposition: true, requestId: true }), [
    ['Content-Disposition', 'attachment'],
    ['X-Upstream-Request-Id', 'r'],
  ]);
});

test.run();
