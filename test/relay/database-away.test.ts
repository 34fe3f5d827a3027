/** Relay calls while the database cannot be asked: never a refusal of the key or the balance (REQ-30). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { chatRequest } from './wire.ts';

const away = suite('relay: a database that is away');

const { messages } = chatRequest;
/** Path, body, and where the answer says what the dialect calls this. */
const calls: readonly [path: string, body: object, kind: (error: Record<string, unknown>) => unknown, said: unknown][] =
  [
    ['/v1/chat/completions', chatRequest, ({ code }) => code, 'accounting_unavailable'],
    ['/v1/responses', { model: 'gpt-4o', input: 'hi' }, ({ code }) => code, 'accounting_unavailable'],
    ['/v1/messages', { model: 'gpt-4o', max_tokens: 5, messages }, ({ type }) => type, 'overloaded_error'],
    [
      '/v1beta/models/gpt-4o:generateContent',
      { contents: [{ parts: [{ text: 'hi' }] }] },
      ({ status }) => status,
      'UNAVAILABLE',
    ],
  ];

away('is 503 with a time to come back in every dialect, for a key that is known and for any other', async () => {
  const upstream = await startFakeUpstream();
  const harness = await GatewayHarness.start({ channels: [{ baseUrl: upstream.url, models: 'gpt-4o' }] });
  try {
    assert.is(
      (await fetch(`${harness.url}/v1/models`, { headers: { authorization: `Bearer ${harness.key}` } })).status,
      200,
    );
    await harness.database.close();
    for (const key of [harness.key, 'k'.repeat(harness.key.length)]) {
      for (const [path, body, kind, said] of calls) {
        const answer = await fetch(harness.url + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const { error } = await answer.json();
        assert.equal(
          [answer.status, answer.headers.get('retry-after'), kind(error)],
          [503, '5', said],
          `${path} ${key}`,
        );
        assert.match(error.message, /request id: \d{14}/);
      }
    }
    assert.is(upstream.requests.length, 0);
  } finally {
    await harness.stop();
    await upstream.close();
  }
});

away.run();
