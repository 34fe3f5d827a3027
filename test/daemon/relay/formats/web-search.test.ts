/** What a search of the web may look at is told to whoever runs it, or noted as lost. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatFormat } from '../../../../daemon/relay/format.ts';
import { anthropicMessages } from '../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { geminiGenerate } from '../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../daemon/relay/formats/openai-responses/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { at } from '../../../support/checkers/answer.ts';

const test = suite('formats: search of the web');

const claudes = (bounds: JsonObject): JsonObject => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'look' }],
  tools: [{ type: 'web_search_20250305', name: 'web_search', ...bounds }],
});

function told(target: ChatFormat, body: JsonObject, source: ChatFormat = anthropicMessages) {
  const scope = testScope({ webSearch: true });
  const wire = target.encodeRequest(source.decodeRequest(body), scope);
  return { wire, lost: [...scope.lost].sort() };
}

test('Claude’s allowed domains reach a Responses model, and what that has no word for is noted', () => {
  const { wire, lost } = told(
    openaiResponses,
    claudes({ allowed_domains: ['a.example'], blocked_domains: ['b.example'], max_uses: 3 }),
  );
  assert.equal(at(wire, 'tools', 0), { type: 'web_search', filters: { allowed_domains: ['a.example'] } });
  assert.equal(lost, ['web_search.blocked_domains', 'web_search.max_uses']);
});

test('a Responses model’s allowed domains reach Claude', () => {
  const body = {
    model: 'm',
    input: 'look',
    tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] } }],
  };
  const { wire, lost } = told(anthropicMessages, body, openaiResponses);
  assert.equal(at(wire, 'tools', 0, 'allowed_domains'), ['a.example']);
  assert.equal(lost, []);
});

for (const target of [openaiChat, geminiGenerate]) {
  test(`bounds of a search that ${target.id} has no word for are noted, and empty ones are none`, () => {
    const bounds = { allowed_domains: ['a.example'], max_uses: 3 };
    assert.equal(told(target, claudes(bounds)).lost, ['web_search.allowed_domains', 'web_search.max_uses']);
    assert.equal(told(target, claudes({ allowed_domains: [] })).lost, []);
  });
}

test('what a Responses search is told beside it is noted wherever it has no word', () => {
  const search = { type: 'web_search', filters: { blocked_domains: ['b.example'] } };
  const asking = (own: JsonObject) => ({ model: 'm', input: 'look', tools: [{ ...search, ...own }] });
  const held = asking({ external_web_access: false, search_content_types: ['image'] });
  const toClaude = told(anthropicMessages, held, openaiResponses);
  assert.equal(at(toClaude.wire, 'tools', 0, 'blocked_domains'), ['b.example']);
  assert.equal(toClaude.lost, ['web_search.external_web_access', 'web_search.search_content_types']);
  assert.equal(told(openaiChat, asking({ external_web_access: true }), openaiResponses).lost, [
    'web_search.blocked_domains',
  ]);
});

test('hosts that Gemini’s search leaves out are left out by Claude, and what else it is told is noted', () => {
  const body = {
    model: 'm',
    contents: [{ role: 'user', parts: [{ text: 'look' }] }],
    tools: [{ google_search: { exclude_domains: ['b.example'], time_range_filter: { start_time: '2026-01-01' } } }],
  };
  const { wire, lost } = told(anthropicMessages, body, geminiGenerate);
  assert.equal(at(wire, 'tools', 0, 'blocked_domains'), ['b.example']);
  assert.equal(lost, ['web_search.timeRangeFilter']);
});

test.run();
