/** What a decoder cannot read of a known field is said to upstreams of its dialect as it came, and noted for all others. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatRequest } from '../../../../daemon/relay/canonical/chat.ts';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { chatFormats, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { anyRequest } from '../../../conformance/translate.ts';
import { isRefusal } from '../../../support/refusal-code.ts';

const isUnsayable = isRefusal('convert_request_failed');

const test = suite('unread members');

const messages = [{ role: 'user', content: 'Hello' }];
/** Of each dialect a request with members of odd values, and under which names they are noted. */
const odd: Readonly<Record<string, { body: JsonObject; lost: readonly string[] }>> = {
  'openai-chat': {
    body: { messages, temperature: '0.5', response_format: { type: 'grammar' }, thinking: { type: 'auto' } },
    lost: ['response_format', 'temperature', 'thinking'],
  },
  'openai-responses': {
    body: { input: 'Hello', top_p: '1', text: { format: { type: 'grammar' } }, reasoning: { context: 'all' } },
    lost: ['reasoning.context', 'text.format', 'top_p'],
  },
  'anthropic-messages': {
    body: { messages, max_tokens: 9, output_config: { task_budget: { total: 9 } }, tool_choice: { type: 'some' } },
    lost: ['output_config.task_budget', 'tool_choice'],
  },
  'gemini-generate': {
    body: {
      contents: [{ parts: [{ text: 'Hello' }] }],
      generationConfig: { responseMimeType: 'text/x.enum', seed: 'x' },
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
      tools: [{ functionDeclarations: [{ name: 'f', behavior: 'NON_BLOCKING' }] }],
    },
    lost: [
      'generationConfig.responseMimeType',
      'generationConfig.seed',
      'toolConfig.retrievalConfig',
      'tools.behavior',
    ],
  },
};

for (const format of chatFormats) {
  const { body = {}, lost = [] } = odd[format.id] ?? {};
  const request = format.decodeRequest({ model: 'm', ...body });

  test(`${format.id}: go on in their own dialect`, () => {
    const scope = testScope();
    const said = JSON.stringify(format.encodeRequest(request, scope));
    for (const field of lost) assert.ok(said.includes(`"${field.split('.').at(-1)}":`), `${field} in ${said}`);
    assert.equal(scope.lost, []);
  });

  test(`${format.id}: are noted for every other`, () => {
    for (const target of chatFormats) {
      if (target === format) continue;
      const scope = testScope();
      target.encodeRequest(request, scope);
      assert.equal(scope.lost.toSorted(), lost.toSorted(), target.id);
    }
  });
}

test('pictures in instructions are refused where those are text alone', () => {
  const image = { type: 'image', source: { kind: 'inline', mediaType: 'image/png', data: 'iVBORw0KGgo=' } } as const;
  const parts = [{ type: 'text', text: 'Be kind' }, image] as const;
  const items = [{ type: 'system', role: 'system', parts } as const];
  for (const id of ['openai-responses', 'gemini-generate']) {
    const format = chatFormats.find((one) => one.id === id);
    const request: ChatRequest = { ...anyRequest, dialect: 'openai-chat', items };
    assert.throws(() => format?.encodeRequest(request, testScope()), isUnsayable, id);
  }
});

test('how closely one vendor is to look at pictures and videos is noted by every other', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', image_pixel_limit: { max: 9 } } };
  const video = { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA==', fps: 2 } };
  const chat = chatFormats.find(({ id }) => id === 'openai-chat');
  const lostBy = (target: FormatId, part: JsonObject) => {
    const request = chat?.decodeRequest({ model: 'm', messages: [{ role: 'user', content: [part] }] });
    assert.ok(request);
    const scope = testScope({ video: true });
    upstreamFormatOf(target)?.encodeRequest(request, scope);
    return scope.lost;
  };
  for (const target of ['gemini-generate', 'anthropic-messages', 'openai-responses'] as const)
    assert.equal(lostBy(target, image), ['image.image_pixel_limit'], target);
  assert.equal(lostBy('gemini-generate', video), ['video.fps']);
});

test.run();
