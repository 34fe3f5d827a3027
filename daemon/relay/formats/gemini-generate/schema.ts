/**
 * JSON schemas for a wire that takes a part of the language only (relay.md 13.4), and back. Always copies: the same
 * request may be encoded for another vendor next.
 */
import { digitsOf } from '../../canonical/exact-numbers.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asList, asObject, asObjects, asText, entryOf, some } from '../fields.ts';
import { camelKeys } from './wire.ts';

const deepest = 32;
/** Characters of JSON. */
const mostInlined = 4 * 1024 * 1024;

/** Carried as they are. Whatever is neither here nor handled by name is left out. */
const plain: readonly string[] = [
  'description',
  'nullable',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'propertyOrdering',
];

export interface CleanSchema {
  readonly schema: JsonObject;
  /** Keywords that had to go and that constrained the value. */
  readonly dropped: ReadonlySet<string>;
}

/**
 * How much the schemas of one request may grow where definitions take the place of references to them. Definitions that
 * refer to each other twice double level by level: a few lines would become more than memory holds.
 */
export class InliningRoom {
  #left = mostInlined;

  /** False where there is no room for so many characters more. */
  take(characters: number): boolean {
    this.#left -= characters;
    return this.#left >= 0;
  }
}

/** The schema in the vendor's part of the language. */
export function cleanSchema(schema: JsonObject, room: InliningRoom = new InliningRoom()): CleanSchema {
  const dropped = new Set<string>();
  const cleaner = new Cleaner({ root: schema, dropped, room });
  return { schema: cleaner.clean(schema, 0, []), dropped };
}

/**
 * Alternatives of objects as one object that allows each of them: arguments of a function are an object on this wire,
 * and nothing else. The same schema where it is none of alternatives.
 */
export function asOneObject(schema: JsonObject): JsonObject {
  const alternatives = asObjects(schema.anyOf).map(asOneObject);
  const [first] = alternatives;
  if (first === undefined) return schema;
  const properties = new Map<string, JsonObject[]>();
  for (const [name, property] of alternatives.flatMap((entry) => Object.entries(asObject(entry.properties) ?? {}))) {
    const kinds = properties.get(name) ?? [];
    kinds.push(asObject(property) ?? {});
    properties.set(name, kinds);
  }
  const demands = alternatives.map((entry) => new Set(asList(entry.required)));
  const required = asList(first.required).filter((name) => demands.every((names) => names.has(name)));
  const { description } = first;
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries([...properties].map(([name, kinds]) => [name, oneOfKinds(kinds)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A schema for what may be of any of these kinds. */
function oneOfKinds(kinds: readonly JsonObject[]): JsonObject {
  const distinct = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
  const [only, ...more] = distinct;
  if (only === undefined || more.length === 0) return only ?? {};
  return { anyOf: distinct.flatMap((kind) => (Array.isArray(kind.anyOf) ? asObjects(kind.anyOf) : [kind])) };
}

/** Keywords that say nothing about which values are right. */
const harmless: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'default',
  'examples',
  'strict',
]);

const handled: ReadonlySet<string> = new Set([
  ...plain,
  '$ref',
  'type',
  'enum',
  'const',
  'format',
  'properties',
  'required',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
]);

/** Keywords that concern values of one type alone. */
const ofType: Readonly<Record<string, readonly string[]>> = {
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'minProperties', 'maxProperties', 'propertyOrdering'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'format'],
  integer: ['minimum', 'maximum', 'format'],
};
const ofSomeType = new Set(Object.values(ofType).flat());

class Cleaner {
  readonly #root: JsonObject;
  readonly #definitions: JsonObject;
  readonly #dropped: Set<string>;
  readonly #room: InliningRoom;
  /** Characters of each definition. */
  readonly #sizes = new Map<string, number>();

  constructor(asked: { root: JsonObject; dropped: Set<string>; room: InliningRoom }) {
    this.#root = asked.root;
    this.#definitions = { ...asObject(asked.root.definitions), ...asObject(asked.root.$defs) };
    this.#dropped = asked.dropped;
    this.#room = asked.room;
  }

  /** `trail` holds the definitions that are being inlined: one that comes again is a cycle. */
  clean(schema: JsonObject, depth: number, trail: readonly string[]): JsonObject {
    if (depth > deepest) return { type: 'object' };
    const reference = asText(schema.$ref);
    if (reference !== undefined) return this.#inline(reference, schema, depth, trail);
    const merged = byType(this.#mergeAllOf(schema, depth, trail));
    const entries = alternativesOf(merged);
    if (entries.length > 0) return this.#alternatives(merged, entries, depth, trail);
    const out: JsonObject = {};
    this.#type(out, merged);
    for (const key of plain) if (merged[key] !== undefined) out[key] = merged[key];
    this.#values(out, merged);
    const format = asText(merged.format);
    if (format !== undefined && this.#keepsFormat(out.type, format)) out.format = format;
    this.#children(out, merged, depth, trail);
    for (const key in merged) if (!handled.has(key) && !harmless.has(key)) this.#dropped.add(key);
    return out;
  }

  /** What stands beside a reference holds with it, and first: most often it says what the property is for. */
  #inline(reference: string, schema: JsonObject, depth: number, trail: readonly string[]): JsonObject {
    const target = this.#target(reference);
    const beside = constraintsOf(schema, '$ref');
    if (target === undefined || trail.includes(reference) || !this.#room.take(this.#sizeOf(reference, target))) {
      this.#dropped.add('$ref');
      return this.clean({ ...beside, type: 'object' }, depth + 1, trail);
    }
    return this.clean(together([beside, target]), depth + 1, [...trail, reference]);
  }

  /** By its place in the schema, else by its name among the definitions. */
  #target(reference: string): JsonObject | undefined {
    const steps = reference.split('/').slice(1).map(stepName);
    let place: Json | undefined = reference.startsWith('#/') ? this.#root : undefined;
    for (const step of steps) {
      if (Array.isArray(place)) place = place[Number(step)];
      else place = isObject(place) && Object.hasOwn(place, step) ? place[step] : undefined;
    }
    const name = steps.at(-1) ?? '';
    return asObject(place) ?? (Object.hasOwn(this.#definitions, name) ? asObject(this.#definitions[name]) : undefined);
  }

  #sizeOf(name: string, definition: JsonObject): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    const size = JSON.stringify(definition).length;
    this.#sizes.set(name, size);
    return size;
  }

  /** All parts hold at once, so their members are put together. */
  #mergeAllOf(schema: JsonObject, depth: number, trail: readonly string[]): JsonObject {
    const parts = asObjects(schema.allOf);
    if (parts.length === 0) return schema;
    const { allOf: _, ...base } = schema;
    return together([base, ...parts.map((part) => this.clean(part, depth + 1, trail))]);
  }

  /**
   * Alternatives stand alone: Vertex refuses whatever stands beside them, so it goes into each. One that is only `null`
   * means that the value may be null. Source: "When using any_of, it must be the only field set", read 2026-11.
   */
  #alternatives(
    schema: JsonObject,
    entries: readonly JsonObject[],
    depth: number,
    trail: readonly string[],
  ): JsonObject {
    const beside = constraintsOf(schema, 'anyOf', 'oneOf');
    if (Array.isArray(schema.anyOf) && Array.isArray(schema.oneOf)) this.#dropped.add('oneOf');
    const real = entries.filter((entry) => entry.type !== 'null');
    if (real.length < entries.length) beside.nullable = true;
    const room = JSON.stringify(beside).length * (real.length - 1);
    if (real.length === 0 || !this.#room.take(room)) {
      this.#dropped.add('anyOf');
      return this.clean(beside, depth + 1, trail);
    }
    return oneOfKinds(real.map((entry) => this.clean(withBeside(entry, beside), depth + 1, trail)));
  }

  /** `[T, "null"]` becomes T that may be null. */
  #type(out: JsonObject, schema: JsonObject): void {
    const { type } = schema;
    if (typeof type === 'string') {
      out.type = type;
      return;
    }
    const [only] = typesOf(schema).filter((word) => word !== 'null');
    if (asList(type).includes('null')) out.nullable = true;
    if (only !== undefined) out.type = only;
    else if (isObject(schema.properties)) out.type = 'object';
    else if (schema.items !== undefined || schema.prefixItems !== undefined) out.type = 'array';
  }

  /** Enumerations are of strings on this wire, none of them empty. */
  #values(out: JsonObject, schema: JsonObject): void {
    const values = schema.const === undefined ? asList(schema.enum) : [schema.const];
    if (values.length === 0) return;
    const words = values.filter((value) => value !== null).map((value) => digitsOf(value) ?? String(value));
    if (words.length < values.length) out.nullable = true;
    const told = words.filter((word) => word !== '');
    if (told.length > 0) out.enum = told;
    if (words.length === 0) return;
    if (out.type !== 'string') out.type = 'string';
    const isOfWords = values.every(
      (value) => value === null || (typeof value === 'string' && digitsOf(value) === undefined),
    );
    if (!isOfWords) this.#dropped.add('enum');
  }

  #keepsFormat(type: Json | undefined, format: string): boolean {
    if (type === 'string') return format === 'enum' || format === 'date-time';
    return format === 'float' || format === 'double' || format === 'int32' || format === 'int64';
  }

  #children(out: JsonObject, schema: JsonObject, depth: number, trail: readonly string[]): void {
    const properties = asObject(schema.properties);
    if (properties !== undefined) {
      // `true` and `false` stand for any value and none.
      const cleaned = mapProperties(properties, (property) =>
        property === undefined ? {} : this.clean(property, depth + 1, trail),
      );
      out.properties = cleaned;
      const required = asList(schema.required).filter(
        (name) => typeof name === 'string' && Object.hasOwn(cleaned, name),
      );
      if (required.length > 0) out.required = required;
    }
    const tuple = [...asObjects(schema.prefixItems), ...asObjects(schema.items)];
    const kinds = [...tuple, ...some(asObject(schema.items))].map((kind) => this.clean(kind, depth + 1, trail));
    // Entries that differ by their place are any of their kinds in any place here.
    if (tuple.length > 1) this.#dropped.add('prefixItems');
    if (kinds.length > 0) out.items = oneOfKinds(kinds);
    else if (out.type === 'array') out.items = {};
  }
}

function typesOf({ type }: JsonObject): string[] {
  return (typeof type === 'string' ? [type] : asList(type)).filter((word) => typeof word === 'string');
}

function alternativesOf({ anyOf, oneOf }: JsonObject): readonly JsonObject[] {
  const entries = asObjects(anyOf);
  return entries.length > 0 ? entries : asObjects(oneOf);
}

/** Several types at once are as many alternatives, each with the keywords that concern it. Values that are listed tell their types. */
function byType(schema: JsonObject): JsonObject {
  const words = [...new Set(typesOf(schema))].filter((word) => word !== 'null');
  if (words.length < 2 || schema.enum !== undefined || schema.const !== undefined) return schema;
  const { type, ...rest } = schema;
  if (alternativesOf(schema).length > 0) return asList(type).includes('null') ? { ...rest, nullable: true } : rest;
  const ofSome = picked(schema, (key) => ofSomeType.has(key));
  const anyOf = words.map(
    (word): JsonObject => ({ ...picked(ofSome, (key) => entryOf(ofType, word)?.includes(key) === true), type: word }),
  );
  if (asList(type).includes('null')) anyOf.push({ type: 'null' });
  return { ...picked(rest, (key) => !ofSomeType.has(key)), anyOf };
}

function picked(schema: JsonObject, isWanted: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => isWanted(key)));
}

/** What a schema says of its values beside the named keywords. */
function constraintsOf(schema: JsonObject, ...but: readonly string[]): JsonObject {
  return picked(schema, (key) => !harmless.has(key) && !but.includes(key));
}

/** An alternative with what holds for all of them; what each is for stands below what they are for. */
function withBeside(entry: JsonObject, beside: JsonObject): JsonObject {
  const told = [asText(beside.description), asText(entry.description)].filter((text) => text !== undefined);
  const whole = together([entry, beside]);
  return told.length < 2 ? whole : { ...whole, description: told.join('\n') };
}

/**
 * All of them hold; where they differ, the first one does. They are put together in one go: what is written anew for
 * each of a caller's many parts would hold up every other call.
 */
function together(schemas: readonly JsonObject[]): JsonObject {
  const members = new Map<string, Json>();
  const properties = new Map<string, Json>();
  const required = new Set<Json>();
  for (const schema of schemas.toReversed()) {
    for (const [name, value] of Object.entries(schema)) members.set(name, value);
    for (const [name, value] of Object.entries(asObject(schema.properties) ?? {})) properties.set(name, value);
    for (const name of asList(schema.required)) required.add(name);
  }
  if (schemas.some((schema) => isObject(schema.properties))) members.set('properties', Object.fromEntries(properties));
  if (schemas.some((schema) => schema.required !== undefined)) members.set('required', [...required]);
  return Object.fromEntries(members);
}

/** One step of a JSON pointer that stands in an address. */
function stepName(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** Among values or alternatives that are listed, `null` has to be one. */
function allowNull(schema: JsonObject): void {
  if (Array.isArray(schema.enum)) schema.enum = [...schema.enum, null];
  if (Array.isArray(schema.anyOf)) schema.anyOf = [...schema.anyOf, { type: 'null' }];
}

/** Not by assignment, which takes a property named `__proto__` for the object's own prototype. */
function mapProperties(properties: JsonObject, schemaOf: (property: JsonObject | undefined) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, schemaOf(asObject(property))]));
}

/** Keywords whose whole numbers this wire may write as strings. */
const counts = /^(min|max)(Items|Length|Properties)$/;

/** Words for types, in lower case. One that stands for no type says nothing. */
function plainTypes(type: Json): string[] {
  const words = typesOf({ type }).map((word) => word.toLowerCase());
  return words.filter((word) => word !== 'type_unspecified');
}

/** A schema of this wire as plain JSON schema: types in lower case, `nullable` as a type. */
export function toJsonSchema(wire: JsonObject): JsonObject {
  const schema = camelKeys(wire);
  const out: JsonObject = {};
  for (const key in schema) {
    const value = schema[key];
    if (value === undefined || key === 'nullable' || key === 'propertyOrdering') continue;
    if (key === 'type') {
      const words = plainTypes(value);
      if (schema.nullable === true && words.length > 0) words.push('null');
      const [only, ...more] = words;
      if (only !== undefined) out.type = more.length === 0 ? only : words;
    } else if (key === 'properties' && isObject(value)) {
      out.properties = mapProperties(value, (property) => toJsonSchema(property ?? {}));
    } else if ((key === 'defs' || key === '$defs') && isObject(value)) {
      out.$defs = mapProperties(value, (definition) => toJsonSchema(definition ?? {}));
    } else if (key === 'ref' && typeof value === 'string') out.$ref = value.replace(/^#\/defs\//, '#/$defs/');
    else if ((key === 'items' || key === 'additionalProperties') && isObject(value)) out[key] = toJsonSchema(value);
    else if (key === 'anyOf' || key === 'prefixItems') out[key] = asObjects(value).map(toJsonSchema);
    else if (counts.test(key) && typeof value === 'string')
      out[key] = digitsOf(value) === undefined ? Number(value) : value;
    else out[key] = value;
  }
  if (schema.nullable === true) allowNull(out);
  return out;
}
