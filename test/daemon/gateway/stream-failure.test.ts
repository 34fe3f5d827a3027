/** How a stream ends of which its client has had nothing but comments, in each protocol (relay.md 4.6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { streamFailure } from '../../../daemon/gateway/stream-failure.ts';
import type { FormatId } from '../../../daemon/relay/format.ts';

const test = suite('end of a stream without an answer');

const error = {
  status: 503,
  type: 'tollgate_error',
  code: 'shutting_down',
  message: 'Stopping. (request id: r1)',
  param: null,
  retryAfterSeconds: undefined,
};

/** Names and payloads of the events that end it. */
function endOf(format: FormatId): { name: string; data: Record<string, unknown> }[] {
  const bytes = streamFailure(format, { error, model: 'some-model', requestId: 'r1' }).toString();
  assert.ok(bytes.endsWith('\n\n'));
  return bytes
    .trimEnd()
    .split('\n\n')
    .map((event) => ({
      name: /^event: ?(.*)$/m.exec(event)?.[1] ?? '',
      data: JSON.parse(/^data: ?(.*)$/m.exec(event)?.[1] ?? ''),
    }));
}

test('is one error object for OpenAI’s chat and completions, and no end mark', () => {
  for (const format of ['openai-chat', 'openai-completions'] as const) {
    assert.equal(endOf(format), [
      { name: '', data: { error: { message: error.message, type: error.type, param: null, code: error.code } } },
    ]);
  }
});

test('is an error event with the id of the request for Anthropic, and no stop', () => {
  const [event, ...more] = endOf('anthropic-messages');
  assert.equal(more, []);
  assert.is(event?.name, 'error');
  assert.equal(Object.keys(event?.data ?? {}).sort(), ['error', 'request_id', 'type']);
  assert.equal([event?.data.type, event?.data.request_id], ['error', 'r1']);
});

test('is a response that was created and failed for OpenAI’s responses', () => {
  const events = endOf('openai-responses');
  const names = events.map(({ name }) => name);
  assert.equal([names[0], names.at(-1)], ['response.created', 'response.failed']);
  const response = Object(events.at(-1)?.data.response);
  assert.equal([response.status, response.error.code, response.output], ['failed', 'shutting_down', []]);
});

test('is an error object for Gemini', () => {
  const [event, ...more] = endOf('gemini-generate');
  assert.equal(more, []);
  assert.equal(Object.keys(Object(event?.data.error)).sort(), ['code', 'message', 'status']);
});

test.run();
