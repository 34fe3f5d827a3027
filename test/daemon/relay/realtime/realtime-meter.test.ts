/** What realtime turns consume, reported or counted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { eventType, RealtimeMeter, withModel } from '../../../../daemon/relay/realtime/realtime-meter.ts';

const test = suite('relay: the meter of realtime sessions');

function meter(): RealtimeMeter {
  return new RealtimeMeter('openai');
}

function fromClient(to: RealtimeMeter, event: JsonObject): void {
  to.fromClient(String(event.type), event);
}

function fromServer(to: RealtimeMeter, event: Record<string, unknown>) {
  return to.fromServer(String(event.type), JSON.stringify(event));
}

const silence = (bytes: number) => Buffer.alloc(bytes).toString('base64');

test('takes cached audio out of fresh audio and adds what transcripts cost', () => {
  const one = meter();
  fromServer(one, {
    type: 'conversation.item.input_audio_transcription.completed',
    usage: { type: 'tokens', input_tokens: 10, output_tokens: 4 },
  });
  const usage = fromServer(one, {
    type: 'response.done',
    response: {
      usage: {
        input_tokens: 200,
        output_tokens: 50,
        input_token_details: { cached_tokens: 60, audio_tokens: 100, cached_tokens_details: { audio_tokens: 30 } },
        output_token_details: { audio_tokens: 40 },
      },
    },
  });
  assert.is(usage?.prompt, 210);
  assert.is(usage?.cached, 60);
  assert.is(usage?.promptAudio, 70);
  assert.is(usage?.completion, 54);
  assert.is(usage?.completionAudio, 40);
});

test('goes by the format of the session, and counts each turn for itself', () => {
  const one = meter();
  fromClient(one, { type: 'session.update', session: { audio: { input: { format: { type: 'audio/pcmu' } } } } });
  fromClient(one, { type: 'input_audio_buffer.append', audio: silence(80_000) });
  // Ten seconds of 8 kHz.
  assert.is(fromServer(one, { type: 'response.done', response: {} })?.promptAudio, 278);
  const next = fromServer(one, { type: 'response.done', response: {} });
  assert.is(next?.prompt, 0);
  assert.is(next?.source, 'estimated');
});

test('reads instructions once for each change of them', () => {
  const one = meter();
  const instructions = 'You are a patient teacher of old languages.';
  fromClient(one, { type: 'session.update', session: { instructions } });
  fromClient(one, { type: 'session.update', session: { instructions, voice: 'ash' } });
  const first = fromServer(one, { type: 'response.done', response: {} })?.prompt ?? 0;
  assert.ok(first > 5 && first < 20, String(first));
  fromClient(one, { type: 'session.update', session: { instructions } });
  assert.is(fromServer(one, { type: 'response.done', response: {} })?.prompt, 0);
});

test('takes an answer that failed before a word of it for no turn, and leaves what was asked to the next', () => {
  const zeros = { total_tokens: 0, input_tokens: 0, output_tokens: 0 };
  for (const usage of [zeros, null, undefined]) {
    const one = meter();
    const failed = { type: 'response.done', response: { status: 'failed', usage } };
    fromClient(one, { type: 'input_audio_buffer.append', audio: silence(480_000) });
    assert.is(fromServer(one, failed), undefined);
    assert.is(one.takeUnfinished(), undefined);
    assert.is(fromServer(one, { type: 'response.done', response: { status: 'completed' } })?.prompt, 278);
    fromServer(one, { type: 'response.output_text.delta', delta: 'Once upon a time' });
    assert.ok((fromServer(one, failed)?.completion ?? 0) > 0, 'what was said before it failed');
  }
  const reported = { status: 'failed', usage: { input_tokens: 7, output_tokens: 0 } };
  assert.is(fromServer(meter(), { type: 'response.done', response: reported })?.prompt, 7);
});

test('finds the type of an event wherever it stands', () => {
  assert.is(eventType('{"type":"response.done"}'), 'response.done');
  assert.is(eventType('{"session":{"type":"realtime"},"type":"session.update"}'), 'session.update');
  assert.is(
    eventType(`{"audio":"${'A'.repeat(500)}","type":"input_audio_buffer.append"}`),
    'input_audio_buffer.append',
  );
  assert.is(eventType('{"session":{"tools":[{"type":"a.b"}]},"type":"session.update"}'), 'session.update');
  assert.is(eventType('no json'), '');
});

test('renames the model of a session and leaves everything else', () => {
  const event = { type: 'session.created', session: { model: 'a', voice: 'ash' }, event_id: 'e' };
  assert.equal(JSON.parse(withModel(event, JSON.stringify(event), 'b')), {
    ...event,
    session: { model: 'b', voice: 'ash' },
  });
  assert.is(withModel({ type: 'x', session: {} }, '{"type":"x","session":{}}', 'b'), '{"type":"x","session":{}}');
});

test('tells what a session leaves that ends in the middle, and nothing while nobody answers', () => {
  const one = meter();
  fromClient(one, { type: 'input_audio_buffer.append', audio: silence(480_000) });
  assert.is(one.running(), undefined);
  assert.is(one.takeUnfinished(), undefined);
  fromServer(one, { type: 'response.output_audio.delta', delta: silence(480_000) });
  const running = one.running();
  assert.equal([running?.promptAudio, running?.completionAudio, running?.source], [278, 139, 'estimated']);
  assert.equal(one.takeUnfinished(), running);
  assert.is(one.takeUnfinished(), undefined);
});

test.run();
