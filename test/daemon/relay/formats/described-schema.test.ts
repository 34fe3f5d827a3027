/** What a chat client says its answer is for, and schemas in words that not every model of Gemini reads. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FormatId } from '../../../../daemon/relay/format.ts';
import { upstreamFormatOf } from '../../../../daemon/relay/formats/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import type { Json, JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';
import { at } from '../../../support/checkers/answer.ts';

const test = suite('schemas of answers and functions');

function told(target: FormatId, model: string, asked: JsonObject): { wire: Json | undefined; lost: string[] } {
  const scope = testScope();
  const request = openaiChat.decodeRequest({ model, messages: [{ role: 'user', content: 'hi' }], ...asked });
  return { wire: upstreamFormatOf(target)?.encodeRequest(request, scope), lost: scope.lost };
}

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

function answering(own: JsonObject): JsonObject {
  const described = { name: 'place', description: 'Where it is', schema: { ...schema, ...own } };
  return { response_format: { type: 'json_schema', json_schema: described } };
}

test('what an answer is for stands in its schema where there is no member for it', () => {
  const claude = told('anthropic-messages', 'claude-sonnet-4-5', answering({}));
  assert.is(at(claude.wire, 'output_config', 'format', 'schema', 'description'), 'Where it is');
  const inWords = told('anthropic-messages', 'claude-3-haiku', answering({}));
  assert.match(JSON.stringify(at(inWords.wire, 'system')), /Where it is/);
  const old = told('gemini-generate', 'gemini-2.0-flash', answering({ description: 'A place' }));
  assert.is(at(old.wire, 'generationConfig', 'responseSchema', 'description'), 'Where it is\nA place');
  const newer = told('gemini-generate', 'gemini-2.5-flash', answering({ description: 'Where it is' }));
  assert.is(at(newer.wire, 'generationConfig', 'responseJsonSchema', 'description'), 'Where it is');
});

const picky = {
  type: 'object',
  properties: { count: { type: 'integer', exclusiveMinimum: 0 }, level: { type: 'integer', enum: [1, 2] } },
  required: ['count'],
};
const offering = (parameters: JsonObject) => ({ tools: [{ type: 'function', function: { name: 'set', parameters } }] });
const declared = (wire: Json | undefined) => at(wire, 'tools', 0, 'functionDeclarations', 0);

test('models of Gemini that read all of a schema are given all of it for their functions', () => {
  for (const model of ['gemini-2.5-flash', 'gemini-3.1-pro-preview']) {
    const { wire, lost } = told('gemini-generate', model, offering(picky));
    assert.equal(declared(wire), { name: 'set', parametersJsonSchema: picky });
    assert.equal(lost, []);
  }
});

test('older ones are given what they read, and what bounds a value and is missing there is noted', () => {
  const older = told('gemini-generate', 'gemini-2.0-flash', offering(picky));
  assert.equal(declared(older.wire), {
    name: 'set',
    parameters: {
      type: 'object',
      properties: { count: { type: 'integer' }, level: { type: 'string', enum: ['1', '2'] } },
      required: ['count'],
    },
  });
  assert.equal(older.lost, ['tools.parameters.exclusiveMinimum', 'tools.parameters.enum']);
  const answer = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: picky } } };
  assert.equal(told('gemini-generate', 'gemini-2.0-flash', answer).lost, [
    'response_format.exclusiveMinimum',
    'response_format.enum',
  ]);
});

test('a schema that the vendor can say is said in its own words, closed or not', () => {
  const { wire } = told('gemini-generate', 'gemini-2.5-flash', offering(schema));
  assert.equal(declared(wire), {
    name: 'set',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  });
});

test.run();
