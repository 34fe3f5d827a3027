import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { promptTexts } from '../../../daemon/relay/prompt-texts.ts';

const test = suite('relay/prompt-texts');

test('reads what chat messages say and what tools were given', () => {
  const texts = promptTexts('openai-chat', {
    model: 'm',
    messages: [
      { role: 'system', name: 'operator', content: 'rules' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'question' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
        ],
      },
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"q":"given"}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'result' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'declared' } }],
  });
  assert.equal(texts, ['rules', 'question', '{"q":"given"}', 'result']);
});

test('reads what an agent says to another as far as it is in plain words', () => {
  const parts = ['in plain words', `gAAAAAB${'q'.repeat(80)}==`].map((encrypted_content) => ({
    type: 'encrypted_content',
    encrypted_content,
  }));
  const thought = { type: 'reasoning', summary: [], encrypted_content: 'not for people' };
  const input = [{ type: 'agent_message', content: [{ type: 'input_text', text: 'told' }, ...parts] }, thought];
  assert.equal(promptTexts('openai-responses', { input }), ['told', 'in plain words']);
});

test('reads Responses items, Messages blocks and Gemini contents', () => {
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'asked' }] };
  assert.equal(
    promptTexts('openai-responses', {
      instructions: 'rules',
      input: [item, { type: 'function_call_output', call_id: 'c', output: 'result' }],
    }),
    ['rules', 'asked', 'result'],
  );
  assert.equal(
    promptTexts('anthropic-messages', {
      system: [{ type: 'text', text: 'rules' }],
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { deep: ['given'] } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'result' }] },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'document' } },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
      ],
    }),
    ['rules', 'given', 'result', 'document'],
  );
  assert.equal(
    promptTexts('gemini-generate', {
      systemInstruction: { parts: [{ text: 'rules' }] },
      contents: [
        { role: 'user', parts: [{ text: 'asked' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        { role: 'function', parts: [{ functionResponse: { name: 'f', response: { result: 'given' } } }] },
      ],
    }),
    ['rules', 'asked', 'given'],
  );
});

test('reads prompts and inputs, and of other formats all that speaks', () => {
  assert.equal(promptTexts('openai-completions', { prompt: ['a', 'b'], suffix: 'c' }), ['a', 'b', 'c']);
  assert.equal(promptTexts('openai-embeddings', { input: ['a', [1, 2]] }), ['a']);
  assert.equal(promptTexts('rerank', { query: 'a', documents: ['b', { text: 'c' }], top_n: 3 }), ['a', 'b', 'c']);
});

test.run();
