/** Claude on Amazon Bedrock by recorded traffic: signed calls, the host's own body, binary streams. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject, parseJson } from '../../daemon/relay/formats/fields.ts';
import { type Answer, type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { saidIn } from './wire.ts';

interface Context {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

const test = suite<Context>('relay: Bedrock');
const model = 'claude-sonnet-4-5';
const messages = [{ role: 'user', content: 'hi' }];

function recorded(name: string, file: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../fixtures/bedrock/bedrock-invoke--${name}/${file}`, import.meta.url)));
}

function binary(name: string): Answer {
  const bytes = recorded(name, 'stream.bin');
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 777) chunks.push(bytes.subarray(at, at + 777));
  return { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks };
}

test.before.each(async (context) => {
  context.upstream = await startFakeUpstream();
  context.harness = await GatewayHarness.start({
    channels: [
      {
        type: 33,
        baseUrl: context.upstream.url,
        models: model,
        keys: ['AKIAIOSFODNN7EXAMPLE|secret-of-the-key|eu-west-1'],
      },
    ],
  });
});
test.after.each(async ({ harness, upstream }) => {
  await harness.stop();
  await upstream.close();
});

test('sends the host its own body, signed, and bills what the cache took', async ({ harness, upstream }) => {
  const answer = JSON.parse(recorded('prompt-cache', 'response.json').toString());
  upstream.script(jsonAnswer(answer));
  const body = { model, max_tokens: 50, messages, metadata: { user_id: 'u' }, stream: false };
  const response = await harness.post('/v1/messages', body, { headers: { 'anthropic-version': '2026-10-21' } });
  assert.equal((await response.json()).content, answer.content);
  const [sent] = upstream.requests;
  assert.is(sent?.url, '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke');
  assert.match(sent?.headers.authorization ?? '', '/eu-west-1/bedrock/aws4_request, SignedHeaders=content-type;host;');
  assert.is(sent?.headers['anthropic-version'], undefined);
  assert.not.match(JSON.stringify(sent?.headers), 'secret-of-the-key');
  assert.equal(JSON.parse(sent?.body.toString() ?? ''), {
    max_tokens: 50,
    messages,
    anthropic_version: 'bedrock-2023-05-31',
  });
  const [row] = await harness.rows();
  // (4 + 18131 x 1.25 + 50 x 5) x 1.5
  assert.is(row?.quota, Math.round((4 + 18_131 * 1.25 + 250) * 1.5));
});

test('streams reach a Messages client as events', async ({ harness, upstream }) => {
  upstream.script(binary('bedrock-anthropic-claude-opus-4-6-tool-streaming-stream'));
  const response = await harness.post('/v1/messages', { model, max_tokens: 50, messages, stream: true });
  assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const text = await response.text();
  assert.match(upstream.requests[0]?.url ?? '', /invoke-with-response-stream$/);
  assert.match(text, /^event: message_start\n/);
  assert.match(text, 'event: message_stop\n');
  assert.match(text, '"type":"tool_use"');
  assert.not.match(text, 'invocationMetrics');
  const [row] = await harness.rows();
  assert.equal([row?.promptTokens, row?.completionTokens], [578, 54]);
});

test('streams reach a chat client as chunks, and a client that wants none as one body', async ({
  harness,
  upstream,
}) => {
  upstream.script(binary('bedrock-anthropic-claude-opus-4-6-tool-streaming-stream'));
  const streamed = await (await harness.post('/v1/chat/completions', { model, messages, stream: true })).text();
  assert.match(streamed, '"tool_calls"');
  assert.match(streamed, '[DONE]');
  assert.type(saidIn(streamed), 'string');
  const whole = await (await harness.post('/v1/chat/completions', { model, messages })).json();
  assert.is(whole.choices[0].finish_reason, 'tool_calls');
  const rows = await harness.rows();
  assert.equal(
    rows.map((row) => [row.promptTokens, row.completionTokens]),
    [
      [578, 54],
      [578, 54],
    ],
  );
});

test('refusals name neither the account nor the key', async ({ harness, upstream }) => {
  const message = 'User: arn:aws:iam::123456789012:user/canary is not authorized: account 123456789012';
  const refused = (status: number, kind: string) =>
    upstream.script(jsonAnswer({ message }, status, { 'x-amzn-errortype': `${kind}:http://internal.amazon.com/` }));
  const call = async () => {
    const response = await harness.post('/v1/messages', { model, max_tokens: 5, messages });
    const text = await response.text();
    assert.not.match(text, /123456789012|canary|AKIA|secret/);
    return [response.status, asObject(asObject(parseJson(text))?.error)?.type];
  };
  refused(400, 'ValidationException');
  assert.equal(await call(), [400, 'invalid_request_error']);
  refused(404, 'ResourceNotFoundException');
  assert.equal(await call(), [404, 'not_found_error']);
  refused(403, 'UnrecognizedClientException');
  assert.equal(await call(), [502, 'api_error']);
  refused(429, 'ThrottlingException');
  assert.equal(await call(), [429, 'rate_limit_error']);
});

test.run();
