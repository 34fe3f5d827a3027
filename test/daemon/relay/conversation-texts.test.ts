import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answeredIn, askedIn } from '../../../daemon/relay/conversation-texts.ts';
import type { FormatId } from '../../../daemon/relay/format.ts';

const test = suite('relay/conversation-texts');

const events = (...payloads: unknown[]) =>
  Buffer.from(payloads.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join(''));
const whole = (body: unknown) => Buffer.from(JSON.stringify(body));

test('reads who said what in every dialect', () => {
  const cases: readonly (readonly [FormatId, Parameters<typeof askedIn>[1]])[] = [
    [
      'openai-chat',
      {
        messages: [
          { role: 'developer', content: 'rules' },
          { role: 'user', content: [{ type: 'text', text: 'asked' }] },
        ],
      },
    ],
    ['openai-responses', { instructions: 'rules', input: 'asked' }],
    ['anthropic-messages', { system: 'rules', messages: [{ role: 'user', content: 'asked' }] }],
    [
      'gemini-generate',
      { systemInstruction: { parts: [{ text: 'rules' }] }, contents: [{ role: 'user', parts: [{ text: 'asked' }] }] },
    ],
  ];
  for (const [format, body] of cases) {
    const expected = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'asked' },
    ];
    assert.equal(askedIn(format, body), expected, format);
  }
  assert.is(askedIn('openai-embeddings', { input: 'asked' }), undefined);
});

test('tells kind and size of media instead of their bytes', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(400)}` } };
  const asked = askedIn('openai-chat', {
    messages: [{ role: 'user', content: [image, { type: 'text', text: 'what?' }] }],
  });
  assert.is(asked?.[0]?.content, '[image/png, 300 bytes]\nwhat?');
  const inline = { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } };
  assert.is(askedIn('gemini-generate', { contents: [{ parts: [inline] }] })?.[0]?.content, '[audio/wav, 3 bytes]');
  const alone = { systemInstruction: { parts: { text: 'Be kind' } }, contents: [{ parts: inline }] };
  assert.equal(
    askedIn('gemini-generate', alone)?.map(({ content }) => content),
    ['Be kind', '[audio/wav, 3 bytes]'],
  );
});

test('reads the visible text of whole and streamed answers', () => {
  const chunk = (content: string) => ({ choices: [{ delta: { content } }] });
  const thought = { candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text: 'Hello' }] } }] };
  const cases: readonly (readonly [FormatId, Buffer])[] = [
    ['openai-chat', whole({ choices: [{ message: { content: 'Hello', reasoning_content: 'hm' } }] })],
    ['openai-chat', events(chunk('Hel'), chunk('lo'), '[DONE]')],
    ['openai-completions', events({ choices: [{ text: 'Hel' }] }, { choices: [{ text: 'lo' }] })],
    [
      'openai-responses',
      events({ type: 'response.output_text.delta', delta: 'Hello' }, { type: 'response.completed' }),
    ],
    [
      'openai-responses',
      whole({ object: 'response', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }] }),
    ],
    [
      'anthropic-messages',
      events(
        { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } },
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } },
      ),
    ],
    ['anthropic-messages', whole({ type: 'message', content: [{ type: 'text', text: 'Hello' }] })],
    ['gemini-generate', whole(thought)],
    ['gemini-generate', whole([thought])],
  ];
  for (const [format, answer] of cases) assert.is(answeredIn(format, answer), 'Hello', `${format} ${answer}`);
});

test('reads the beginning of a stream that was cut', () => {
  const stream = events({ choices: [{ delta: { content: 'Hello' } }] }, { choices: [{ delta: { content: ' you' } }] });
  assert.is(answeredIn('openai-chat', stream.subarray(0, -12)), 'Hello');
});

test.run();
