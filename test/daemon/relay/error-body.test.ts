import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  anthropicStreamError,
  geminiStreamError,
  imageStreamError,
  openaiStreamError,
  realtimeError,
  renderError,
} from '../../../daemon/relay/error-body.ts';

const error = { status: 429, type: 'rate_limit_error', code: 'rate_limited', message: 'slow down', param: null };

const test = suite('errors');

test('have the shape of each surface', () => {
  assert.equal(renderError('openai', error, 'r1'), {
    error: { message: 'slow down', type: 'rate_limit_error', param: null, code: 'rate_limited' },
  });
  assert.equal(renderError('anthropic', error, 'r1'), {
    type: 'error',
    error: { type: 'rate_limit_error', message: 'slow down' },
    request_id: 'r1',
  });
  assert.equal(renderError('gemini', error, 'r1'), {
    error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED', details: [] },
  });
});

test('say each status in the words of the protocol', () => {
  const words = (status: number) => {
    const anthropic = JSON.stringify(renderError('anthropic', { ...error, status }, ''));
    const gemini = JSON.stringify(renderError('gemini', { ...error, status }, ''));
    return [/"type":"(\w+)","message"/.exec(anthropic)?.[1], /"status":"(\w+)"/.exec(gemini)?.[1]];
  };
  assert.equal(words(400), ['invalid_request_error', 'INVALID_ARGUMENT']);
  assert.equal(words(401), ['authentication_error', 'UNAUTHENTICATED']);
  assert.equal(words(402), ['billing_error', 'FAILED_PRECONDITION']);
  assert.equal(words(403), ['permission_error', 'PERMISSION_DENIED']);
  assert.equal(words(404), ['not_found_error', 'NOT_FOUND']);
  assert.equal(words(408), ['timeout_error', 'DEADLINE_EXCEEDED']);
  assert.equal(words(409), ['invalid_request_error', 'ABORTED']);
  assert.equal(words(413), ['request_too_large', 'INVALID_ARGUMENT']);
  assert.equal(words(429), ['rate_limit_error', 'RESOURCE_EXHAUSTED']);
  assert.equal(words(499), ['api_error', 'CANCELLED']);
  assert.equal(words(500), ['api_error', 'INTERNAL']);
  assert.equal(words(501), ['api_error', 'UNIMPLEMENTED']);
  assert.equal(words(502), ['api_error', 'INTERNAL']);
  assert.equal(words(503), ['overloaded_error', 'UNAVAILABLE']);
  assert.equal(words(504), ['timeout_error', 'DEADLINE_EXCEEDED']);
  assert.equal(words(529), ['overloaded_error', 'UNAVAILABLE']);
  assert.equal(words(418), ['invalid_request_error', 'INVALID_ARGUMENT']);
  assert.equal(words(599), ['api_error', 'INTERNAL']);
});

test('end a stream as its protocol demands', () => {
  assert.is(
    openaiStreamError(error).toString(),
    'data: {"error":{"message":"slow down","type":"rate_limit_error","param":null,"code":"rate_limited"}}\n\n',
  );
  assert.match(
    anthropicStreamError(error, 'r1').toString(),
    /^event: error\ndata: \{"type":"error",.*"request_id":"r1"\}\n\n$/,
  );
  assert.match(imageStreamError(error).toString(), /^event: error\ndata: \{"type":"error","error":\{/);
  assert.equal(geminiStreamError(error), { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } });
  const { type, message, code } = error;
  const told = { type, code, message, param: null };
  assert.equal(realtimeError(error, 'event_1'), {
    type: 'error',
    event_id: 'event_1',
    error: { ...told, event_id: null },
  });
  assert.equal(realtimeError({ ...error, param: 'session.tools' }, 'event_1', 'mine'), {
    type: 'error',
    event_id: 'event_1',
    error: { ...told, param: 'session.tools', event_id: 'mine' },
  });
});

test.run();
