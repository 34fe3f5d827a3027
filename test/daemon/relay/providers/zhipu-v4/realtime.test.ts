/** What GLM's realtime sessions are told as. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { glmRealtime } from '../../../../../daemon/relay/providers/zhipu-v4/realtime.ts';

const test = suite('GLM’s realtime dialect');
const model = 'glm-realtime-air';

const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] };
const session = {
  id: 's',
  model,
  input_audio_format: 'pcm24',
  modalities: ['text'],
  turn_detection: { type: 'client_vad' },
};
const response = { id: 'r', status: 'completed', output: [item], modalities: ['text'], usage: { input_tokens: 1 } };

test('an answer in words alone is told as such in the official manner', () => {
  const dialect = glmRealtime({ model, manner: undefined, lose: () => {} });
  const [heard] = dialect.fromServer({ type: 'response.done', response });
  assert.equal(heard?.response, {
    id: 'r',
    status: 'completed',
    usage: { input_tokens: 1 },
    output_modalities: ['text'],
    output: [item],
  });
  const [opened] = dialect.fromServer({ type: 'session.created', session });
  assert.equal(opened?.session, {
    type: 'realtime',
    object: 'realtime.session',
    id: 's',
    model,
    output_modalities: ['text'],
    audio: { input: { format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null }, output: {} },
  });
});

test('every change of a session names its model, and whatever else was set before', () => {
  const dialect = glmRealtime({ model, manner: undefined, lose: () => {} });
  dialect.fromClient({ type: 'session.update', session: { type: 'realtime', instructions: 'be kind' } });
  const { upstream } = dialect.fromClient({ type: 'session.update', session: { model: 'other', tools: [] } });
  const { model: named, instructions }: JsonObject = Object(upstream[0]?.session);
  assert.equal([named, instructions], [model, 'be kind']);
});

test.run();
