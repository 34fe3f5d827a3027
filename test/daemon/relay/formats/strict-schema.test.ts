/** Schemas of answers that Anthropic's callers send, of which OpenAI refuses some with `strict`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { anthropicMessages } from '../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { asObject } from '../../../../daemon/relay/formats/fields.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../daemon/relay/formats/openai-responses/index.ts';
import { isStrictSchema } from '../../../../daemon/relay/formats/strict-schema.ts';
import type { JsonObject } from '../../../../daemon/relay/json.ts';
import { testScope } from '../../../conformance/scope.ts';

const text: JsonObject = { type: 'string' };

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false, ...rest };
}

const strict: Readonly<Record<string, JsonObject>> = {
  'an object of nothing': object({}),
  'nested objects': object({ place: object({ city: text }), ways: { type: 'array', items: object({ by: text }) } }),
  'a member by the name of a keyword': object({ items: text, properties: text, required: text }),
  'named schemas': object({ one: { $ref: '#/$defs/one' } }, { $defs: { one: object({ id: text }) } }),
  'either of two': object({ one: { anyOf: [object({ id: text }), { type: 'null' }] } }),
};

const loose: Readonly<Record<string, JsonObject>> = {
  'no schema': {},
  'a root that is no object': { type: 'array', items: text },
  'a member that may be left out': object({ name: text, nick: text }, { required: ['name'] }),
  'no list of what is required': { type: 'object', properties: { name: text }, additionalProperties: false },
  'an open object': { type: 'object', properties: { name: text }, required: ['name'] },
  'an open object in a list': object({ ways: { type: 'array', items: { type: 'object', properties: { by: text } } } }),
  'an open one of two': object({ one: { anyOf: [{ type: ['object', 'null'], properties: { id: text } }] } }),
  'an open named schema': object({ one: { $ref: '#/$defs/one' } }, { $defs: { one: { properties: { id: text } } } }),
  'an open member by the name of a keyword': object({ items: { type: 'object', properties: { id: text } } }),
};

const test = suite('strict schemas');

test('every object of a strict schema is closed and requires all of its members', () => {
  for (const [name, schema] of Object.entries(strict)) assert.is(isStrictSchema(schema), true, name);
  for (const [name, schema] of Object.entries(loose)) assert.is(isStrictSchema(schema), false, name);
});

test('a schema of any depth is read', () => {
  let schema = object({});
  for (let depth = 0; depth < 100_000; depth += 1) schema = object({ in: schema });
  assert.is(isStrictSchema(schema), true);
});

test('an answer by a schema that OpenAI would refuse is asked of it without strict', () => {
  const asked = (schema: JsonObject) =>
    anthropicMessages.decodeRequest({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hello' }],
      output_config: { format: { type: 'json_schema', schema } },
    });
  for (const [schema, flag] of [
    [object({ name: text }), true],
    [object({ name: text }, { required: [] }), false],
  ] as const) {
    const scope = testScope();
    const chat = asObject(openaiChat.encodeRequest(asked(schema), scope));
    assert.equal(chat?.response_format, { type: 'json_schema', json_schema: { name: 'output', schema, strict: flag } });
    const responses = asObject(openaiResponses.encodeRequest(asked(schema), scope));
    assert.equal(responses?.text, { format: { type: 'json_schema', name: 'output', schema, strict: flag } });
    assert.equal(scope.lost, []);
  }
});

test.run();
