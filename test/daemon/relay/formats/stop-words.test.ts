/** How many of the words that end an answer reach a vendor, whatever dialect asks, and what is said of the others. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteVendorLosses } from '../../../../daemon/gateway/vendor-loss.ts';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { asObject } from '../../../../daemon/relay/formats/fields.ts';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { Json, JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { adapterOf, callOf } from '../../../support/adapter-calls.ts';

const test = suite('words that end an answer');

/** The words as the vendor finds them, and what the client is told of the rest. */
function told(
  vendor: { id: string; format: FormatId; model?: string },
  words: readonly string[],
  dialect: FormatId = 'anthropic-messages',
): { sent: Json | undefined; lost: readonly string[] } {
  const { id, format, model = 'm' } = vendor;
  const adapter = adapterOf(id);
  const word = dialect === 'anthropic-messages' ? 'stop_sequences' : 'stop';
  const asked: JsonObject = { model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], [word]: [...words] };
  const request = chatFormatOf(dialect)?.decodeRequest(asked);
  assert.ok(request);
  const scope = testScope(adapter.traits);
  const isNative = dialect === format;
  const before = isNative ? asked : asObject(upstreamFormatOf(format)?.encodeRequest(request, scope));
  assert.ok(before);
  const after = asObject(adapter.amendBody?.({ ...before }, callOf(adapter, { model, format }))) ?? before;
  noteVendorLosses(format, { before, after }, scope);
  const { stop = after.stop_sequences ?? after.Stop ?? asObject(after.parameters ?? after.options)?.stop } = after;
  return { sent: stop, lost: scope.lost.filter((name) => name.startsWith('stop')) };
}

const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);

test('a vendor is given as many words as its own rule allows, and the words behind them are named', () => {
  const most: readonly (readonly [id: string, format: FormatId, most: number])[] = [
    ['openai', 'openai-chat', 4],
    ['deepseek', 'openai-chat', 16],
    ['moonshot', 'openai-chat', 5],
    ['zhipu-v4', 'openai-chat', 1],
    ['cohere', 'cohere-chat', 5],
    ['baidu', 'baidu-wenxin', 4],
  ];
  for (const [id, format, taken] of most) {
    const asked = words(taken + 1);
    assert.equal(told({ id, format }, asked), { sent: asked.slice(0, taken), lost: [`stop[${taken}..]`] }, id);
    const fitting = words(taken === 1 ? 1 : taken);
    const sent = taken === 1 && id !== 'zhipu-v4' ? fitting[0] : fitting;
    assert.equal(told({ id, format }, fitting), { sent, lost: [] }, id);
  }
});

test('a vendor that names no number is given all of them', () => {
  const asked = words(9);
  for (const [id, format] of [
    ['ollama', 'ollama-chat'],
    ['tencent', 'tencent-hunyuan'],
    ['ali', 'dashscope-chat'],
  ] as const) {
    assert.equal(told({ id, format }, asked), { sent: asked, lost: [] }, id);
  }
});

test('words too long for a vendor are left out, and one that takes none is told of all', () => {
  const long = 'x'.repeat(40);
  const kimi = { id: 'moonshot', format: 'openai-chat' } as const;
  assert.equal(told(kimi, [long, 'a', 'b']), { sent: ['a', 'b'], lost: ['stop'] });
  assert.equal(told(kimi, ['a', 'b', long]), { sent: ['a', 'b'], lost: ['stop[2..]'] });
  assert.equal(told(kimi, [long]), { sent: undefined, lost: ['stop'] });
  assert.equal(told(kimi, [long, ...words(5)]), { sent: words(5), lost: ['stop'] });
  const wenxin = { id: 'baidu', format: 'baidu-wenxin' } as const;
  assert.equal(told(wenxin, ['字'.repeat(20), '字'.repeat(21)]), { sent: ['字'.repeat(20)], lost: ['stop[1..]'] });
  assert.equal(told({ id: 'minimax', format: 'openai-chat' }, words(6)), { sent: undefined, lost: ['stop'] });
});

test('a chat client is held to the same rule in its own dialect', () => {
  const chat = 'openai-chat';
  assert.equal(told({ id: 'deepseek', format: chat }, words(17), chat), { sent: words(16), lost: ['stop[16..]'] });
  assert.equal(told({ id: 'moonshot', format: chat }, words(6), chat), { sent: words(5), lost: ['stop[5..]'] });
  assert.equal(told({ id: 'cohere', format: 'cohere-chat' }, words(5), chat), { sent: words(5), lost: [] });
});

test.run();
