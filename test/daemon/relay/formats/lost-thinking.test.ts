/** Wishes of how to think that a model cannot follow, noted as lost (relay.md 13.1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('wishes of how to think');

function lostOf(target: FormatId, model: string, asked: JsonObject): string[] {
  const client = asked.thinking === undefined ? 'openai-chat' : 'anthropic-messages';
  const body = { model, max_tokens: 9000, messages: [{ role: 'user', content: 'hi' }], ...asked };
  const request = chatFormatOf(client)?.decodeRequest(body);
  assert.ok(request);
  const scope = testScope();
  upstreamFormatOf(target)?.encodeRequest(request, scope);
  return scope.lost;
}

const none = { reasoning_effort: 'none' };
const high = { reasoning_effort: 'high' };
const kept = ['reasoning_effort'];

test('not to think is lost on what always thinks, and told where it can be', () => {
  for (const model of ['claude-opus-5-5', 'claude-fable-5-1']) {
    assert.equal(lostOf('anthropic-messages', model, none), kept, model);
  }
  for (const model of ['claude-opus-4-8', 'claude-sonnet-4-5']) {
    assert.equal(lostOf('anthropic-messages', model, none), [], model);
  }
  for (const model of ['gemini-2.5-pro', 'gemini-3-flash-preview', 'gemini-3.1-pro-preview']) {
    assert.equal(lostOf('gemini-generate', model, none), kept, model);
    assert.equal(lostOf('gemini-generate', model, { thinking: { type: 'disabled' } }), kept, model);
  }
  assert.equal(lostOf('gemini-generate', 'gemini-2.5-flash', none), []);
});

test('to think is lost on what cannot', () => {
  for (const model of ['gemini-2.0-flash', 'gemini-2.5-flash-image']) {
    assert.equal(lostOf('gemini-generate', model, high), kept, model);
    assert.equal(lostOf('gemini-generate', model, none), [], model);
  }
  assert.equal(lostOf('gemini-generate', 'gemini-2.5-pro', high), []);
});

test('what single vendors’ words say of thinking is noted by everybody else', () => {
  const asked = {
    thinking: { type: 'enabled', clear_thinking: false, keep: null },
    reasoning: { effort: 'high', mode: 'x' },
  };
  const request = chatFormatOf('openai-chat')?.decodeRequest({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    ...asked,
  });
  assert.ok(request);
  for (const target of ['openai-responses', 'anthropic-messages', 'gemini-generate', 'dashscope-chat'] as const) {
    const scope = testScope();
    upstreamFormatOf(target)?.encodeRequest({ ...request, model: 'claude-sonnet-4-5' }, scope);
    const noted = scope.lost.filter((field) => field.includes('.'));
    assert.equal(noted, ['thinking.clear_thinking', 'reasoning.mode'], target);
  }
});

test.run();
