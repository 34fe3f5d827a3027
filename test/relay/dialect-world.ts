/** A gateway with models in each dialect, whose upstream answers all of them with a word. */
import type { Test } from 'uvu';
import { type FakeUpstream, jsonAnswer, type RecordedRequest, startFakeUpstream } from '../support/fake-upstream.ts';
import { GatewayHarness } from '../support/gateway-harness.ts';
import { completion } from './wire.ts';

export interface DialectWorld {
  upstream: FakeUpstream;
  harness: GatewayHarness;
}

/** Claude's, without its content and usage. */
export const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' };

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const said = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
const generated = { candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] };

function answers({ url }: RecordedRequest) {
  if (url.includes('enerateContent')) return jsonAnswer(generated);
  if (url.includes('/messages')) return jsonAnswer({ ...message, content: [{ type: 'text', text: 'ok' }], usage });
  if (!url.includes('/responses')) return jsonAnswer(completion());
  return jsonAnswer({ id: 'resp_1', object: 'response', status: 'completed', output: [said], usage });
}

/** One world for all tests of the suite: each finds an upstream that was asked nothing. */
export function allInDialectWorld(test: Test<DialectWorld>): void {
  test.before(async (world) => {
    world.upstream = await startFakeUpstream(answers);
    const baseUrl = world.upstream.url;
    const keys = ['sk-upstream'];
    world.harness = await GatewayHarness.start({
      channels: [
        { id: 1, type: 1, baseUrl, keys, models: 'gpt-4o', setting: '{"responses_native":false}' },
        { id: 2, type: 1, baseUrl, keys, models: 'gpt-5-pro' },
        { id: 3, type: 14, baseUrl, keys, models: 'claude-opus-4-1,claude-sonnet-4-5' },
        { id: 4, type: 24, baseUrl, keys, models: 'gemini-2.5-flash,gemini-2.0-flash' },
      ],
      options: { SelfUseModeEnabled: true },
    });
  });
  test.before.each(({ upstream }) => {
    upstream.requests.length = 0;
    upstream.script(answers);
  });
  test.after(async ({ harness, upstream }) => {
    await harness.stop();
    await upstream.close();
  });
}
