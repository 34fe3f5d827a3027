import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asList } from '../../../../../daemon/relay/formats/fields.ts';
import {
  asOneObject,
  cleanSchema,
  InliningRoom,
  toJsonSchema,
} from '../../../../../daemon/relay/formats/gemini-generate/schema.ts';
import type { JsonObject } from '../../../../../daemon/relay/json.ts';
import { assertQuick } from '../../../../support/processor-time.ts';

const test = suite('Gemini schemas');

function clean(schema: JsonObject): JsonObject {
  return cleanSchema(schema).schema;
}

test('lose what the vendor does not read, and say so of what constrains', () => {
  const { schema, dropped } = cleanSchema({
    $schema: 'x',
    title: 'T',
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: 'number', exclusiveMinimum: 0, default: 1 } },
  });
  assert.equal(schema, { type: 'object', properties: { a: { type: 'number' } } });
  assert.equal([...dropped].sort(), ['additionalProperties', 'exclusiveMinimum']);
});

test('turn a type that may be null into a nullable one', () => {
  assert.equal(clean({ type: ['string', 'null'] }), { type: 'string', nullable: true });
  assert.equal(clean({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), { type: 'integer', nullable: true });
});

test('turn constants and enumerations into strings', () => {
  assert.equal(clean({ const: 1 }), { enum: ['1'], type: 'string' });
  assert.equal(clean({ type: 'integer', enum: [1, 2, null] }), { type: 'string', nullable: true, enum: ['1', '2'] });
});

test('inline definitions from both of their places', () => {
  const schema = {
    definitions: { old: { type: 'string' } },
    $defs: { young: { type: 'integer' } },
    type: 'object',
    properties: { a: { $ref: '#/definitions/old' }, b: { $ref: '#/$defs/young' } },
  };
  assert.equal(clean(schema).properties, { a: { type: 'string' }, b: { type: 'integer' } });
});

test('inline definitions at any depth and stop at a cycle', () => {
  const schema = {
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    type: 'object',
    properties: { list: { type: 'array', items: { $ref: '#/$defs/node' } } },
  };
  assert.equal(clean(schema), {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { next: { type: 'object' } } } },
    },
  });
});

test('put the parts of allOf together and call oneOf anyOf', () => {
  assert.equal(
    clean({
      allOf: [
        { type: 'object', properties: { a: {} } },
        { properties: { b: {} }, required: ['b'] },
      ],
    }),
    { type: 'object', properties: { b: {}, a: {} }, required: ['b'] },
  );
  assert.equal(clean({ oneOf: [{ type: 'string' }, { type: 'integer' }] }), {
    anyOf: [{ type: 'string' }, { type: 'integer' }],
  });
});

test('have nothing beside alternatives, which Vertex refuses: it goes into each of them', () => {
  const [text, number] = [{ type: 'string' }, { type: 'integer', description: 'a number' }];
  assert.equal(clean({ anyOf: [text, number, { type: 'null' }], description: 'd', title: 'T', default: null }), {
    anyOf: [
      { type: 'string', description: 'd', nullable: true },
      { type: 'integer', description: 'd\na number', nullable: true },
    ],
  });
  const properties = { a: { type: 'string' }, b: { type: 'string' } };
  assert.equal(clean({ type: 'object', properties, anyOf: [{ required: ['a'] }, { required: ['b'] }] }), {
    anyOf: ['a', 'b'].map((name) => ({ type: 'object', properties, required: [name] })),
  });
  assert.equal(clean({ type: ['string', 'array', 'null'], items: { type: 'number' }, maxLength: 3 }), {
    anyOf: [
      { type: 'string', nullable: true, maxLength: 3 },
      { type: 'array', nullable: true, items: { type: 'number' } },
    ],
  });
});

test('stop putting more into alternatives where that would double level by level', () => {
  let schema: JsonObject = { type: 'string', description: 'x'.repeat(1024) };
  for (let level = 0; level < 30; level += 1)
    schema = { type: 'object', properties: { a: schema }, anyOf: [{ required: ['a'] }, { required: [] }] };
  const { schema: told, dropped } = cleanSchema(schema);
  assert.ok(JSON.stringify(told).length < 16 * 1024 * 1024);
  assert.ok(dropped.has('anyOf'));
});

test('keep what stands beside a reference, and find what it points at wherever it is', () => {
  const schema = {
    $defs: { A: { type: 'string', description: 'any A' }, 'Map<string>': { type: 'integer' } },
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/A', description: 'this A', default: null },
      b: { $ref: '#/$defs/Map%3Cstring%3E' },
      c: { $ref: '#/properties/b' },
      d: { $ref: '#/$defs/toString' },
    },
  };
  assert.equal(clean(schema).properties, {
    a: { type: 'string', description: 'this A' },
    b: { type: 'integer' },
    c: { type: 'integer' },
    d: { type: 'object' },
  });
});

test('take any kind that a tuple lists, in any place, and say that they do', () => {
  const kinds = [{ type: 'integer' }, { type: 'string' }, { type: 'integer' }];
  for (const tuple of [{ prefixItems: kinds }, { items: kinds }]) {
    const { schema, dropped } = cleanSchema({ type: 'array', ...tuple, minItems: 3 });
    assert.equal(schema, { type: 'array', minItems: 3, items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } });
    assert.equal([...dropped], ['prefixItems']);
  }
});

test('list no empty word, for which the vendor refuses the whole request', () => {
  assert.equal(clean({ type: 'string', enum: ['', 'a'] }), { type: 'string', enum: ['a'] });
  assert.equal(clean({ enum: [''] }), { type: 'string' });
  assert.equal(clean({ enum: [null] }), { nullable: true });
});

test('of alternatives are one object where nothing else can be said', () => {
  const { schema } = cleanSchema({
    oneOf: [
      { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'string' } }, required: ['kind', 'x'] },
      { type: 'object', properties: { kind: { const: 'b' }, y: { type: 'string' } }, required: ['kind'] },
    ],
  });
  assert.equal(asOneObject(schema), {
    type: 'object',
    properties: {
      kind: {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', enum: ['b'] },
        ],
      },
      x: { type: 'string' },
      y: { type: 'string' },
    },
    required: ['kind'],
  });
});

test('keep only the formats that the vendor knows', () => {
  assert.equal(clean({ type: 'string', format: 'uri' }), { type: 'string' });
  assert.equal(clean({ type: 'string', format: 'date-time' }), { type: 'string', format: 'date-time' });
});

test('drop what is required but not there', () => {
  assert.equal(clean({ type: 'object', properties: { a: {} }, required: ['a', 'b'] }).required, ['a']);
});

test('leave the schema that they were made from as it was', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'], title: 'A' } } };
  const before = JSON.stringify(schema);
  cleanSchema(schema);
  assert.is(JSON.stringify(schema), before);
});

test('end after 32 levels', () => {
  let schema: JsonObject = { type: 'string' };
  for (let depth = 0; depth < 60; depth += 1) schema = { type: 'object', properties: { a: schema } };
  assert.ok(JSON.stringify(clean(schema)).length < JSON.stringify(schema).length);
});

test('stop taking definitions in where they would double level by level', () => {
  const $defs: JsonObject = { last: { type: 'string' } };
  for (let level = 0; level < 40; level += 1) {
    const next = { $ref: `#/$defs/${level === 39 ? 'last' : `d${level + 1}`}` };
    $defs[`d${level}`] = { type: 'object', properties: { a: next, b: next, c: next, d: next } };
  }
  const { schema, dropped } = cleanSchema({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs });
  assert.ok(JSON.stringify(schema).length < 8 * 1024 * 1024);
  assert.equal([...dropped], ['$ref']);
});

test('stop where the schemas of many tools together would grow so', () => {
  const $defs = { text: { type: 'string', description: 'x'.repeat(1024 * 1024) } };
  const room = new InliningRoom();
  const properties = { a: { $ref: '#/$defs/text' }, b: { $ref: '#/$defs/text' } };
  const told = [1, 2, 3].map(() => cleanSchema({ type: 'object', properties, $defs }, room).dropped.size);
  assert.equal(told, [0, 1, 1]);
});

test('keep properties by whatever name, and require no other', () => {
  const schema: JsonObject = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__","constructor"]}',
  );
  const told = '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}';
  assert.is(JSON.stringify(clean(schema)), told);
  assert.is(JSON.stringify(toJsonSchema(schema)), JSON.stringify(schema));
});

test('let null stand among listed values and alternatives, in either spelling', () => {
  assert.equal(toJsonSchema({ type: 'STRING', nullable: true, enum: ['a'] }), {
    type: ['string', 'null'],
    enum: ['a', null],
  });
  assert.equal(toJsonSchema({ any_of: [{ type: 'STRING', min_length: '2' }, { type: 'NUMBER' }], nullable: true }), {
    anyOf: [{ type: 'string', minLength: 2 }, { type: 'number' }, { type: 'null' }],
  });
});

test('become plain JSON schema at every place that holds a schema', () => {
  assert.equal(
    toJsonSchema({
      type: 'OBJECT',
      properties: { pet: { ref: '#/defs/Pet' }, any: { type: 'TYPE_UNSPECIFIED' } },
      additionalProperties: { type: 'STRING', nullable: true },
      defs: { Pet: { type: 'ARRAY', prefixItems: [{ type: 'NUMBER' }] } },
    }),
    {
      type: 'object',
      properties: { pet: { $ref: '#/$defs/Pet' }, any: {} },
      additionalProperties: { type: ['string', 'null'] },
      $defs: { Pet: { type: 'array', prefixItems: [{ type: 'number' }] } },
    },
  );
});

test('become plain JSON schema again', () => {
  assert.equal(
    toJsonSchema({
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING', nullable: true },
        b: { type: 'ARRAY', items: { type: 'NUMBER' }, minItems: '2' },
      },
      propertyOrdering: ['a'],
    }),
    {
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'number' }, minItems: 2 } },
    },
  );
});

test('puts any number of parts and types together in the time that reading them takes', async () => {
  const many = 3_000;
  const names = Array.from({ length: many }, (_, index) => `p${index}`);
  const parts = names.map((name) => ({ properties: { [name]: { type: 'string' } }, required: [name] }));
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const clean = () => [
    cleanSchema({ type: 'object', allOf: parts }).schema,
    cleanSchema({ type: Array(many).fill('object').concat('string'), properties }).schema,
  ];
  // A fifth of a second; put together anew for each part and each type they took half a minute.
  await assertQuick(3000, clean);
  const [schema = {}, several = {}] = clean();
  assert.equal(new Set(Object.keys(Object(schema.properties))), new Set(names));
  assert.equal(new Set(asList(schema.required)), new Set(names));
  assert.is(asList(several.anyOf).length, 2);
});

test.run();
