/** What DashScope's own chat tells beside its text. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chatFormatOf, upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('DashScope chat');

const dashscope = upstreamFormatOf('dashscope-chat');
const chat = chatFormatOf('openai-chat');
const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const search_info = { search_results: [{ index: 1, site_name: 'Site', title: 'Page', url: 'https://site.example/a' }] };
const cited = {
  type: 'url_citation',
  url_citation: { url: 'https://site.example/a', title: 'Page', start_index: 0, end_index: 0 },
};

function said(content: string, finish_reason: string, beside: JsonObject = {}): JsonObject {
  const choices = [{ finish_reason, message: { role: 'assistant', content } }];
  return { request_id: 'r1', output: { choices, ...beside }, usage };
}

test('the pages that a search found are sources of the answer, whole and streamed', () => {
  assert.ok(dashscope && chat);
  const request = chat.decodeRequest({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  const answer = dashscope.decodeResponse(said('pong', 'stop', { search_info }), testScope());
  const whole = chat.encodeResponse(answer, request, testScope());
  assert.match(JSON.stringify(whole), JSON.stringify([cited]));
  const decoder = dashscope.decodeStream(testScope());
  const encoder = chat.encodeStream({ ...request, stream: true }, testScope());
  // The vendor tells them with its first event.
  const events = [said('po', 'null', { search_info }), said('ng', 'stop')].map((body) => JSON.stringify(body));
  const told = [...events.flatMap((data) => decoder.push({ data })), ...decoder.end()];
  const written = told.flatMap((event) => encoder.push(event)).map(({ data }) => data);
  const citing = written.filter((data) => data.includes('"annotations":[{'));
  assert.is(citing.length, 1);
  assert.match(citing[0] ?? '', '"url":"https://site.example/a"');
});

test('an answer without a search has no sources', () => {
  assert.ok(dashscope);
  const [choice] = dashscope.decodeResponse(said('pong', 'stop'), testScope()).choices;
  assert.not.match(JSON.stringify(choice), 'annotations":[{');
});

test.run();
