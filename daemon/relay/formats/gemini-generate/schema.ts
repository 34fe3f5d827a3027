/**
 * JSON schemas for a wire that takes a part of the language only (relay.md 13.4), and back. Always copies: the same
 * request may be encoded for another vendor next.
 */
import { digitsOf } from '../../canonical/exact-numbers.ts';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { asList, asObject, asObjects, asText } from '../fields.ts';
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
  const definitions = { ...asObject(schema.definitions), ...asObject(schema.$defs) };
  const cleaner = new Cleaner({ definitions, dropped, room });
  return { schema: cleaner.clean(schema, 0, []), dropped };
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

class Cleaner {
  readonly #definitions: JsonObject;
  readonly #dropped: Set<string>;
  readonly #room: InliningRoom;
  /** Characters of each definition. */
  readonly #sizes = new Map<string, number>();

  constructor(asked: { definitions: JsonObject; dropped: Set<string>; room: InliningRoom }) {
    this.#definitions = asked.definitions;
    this.#dropped = asked.dropped;
    this.#room = asked.room;
  }

  /** `trail` holds the definitions that are being inlined: one that comes again is a cycle. */
  clean(schema: JsonObject, depth: number, trail: readonly string[]): JsonObject {
    if (depth > deepest) return { type: 'object' };
    const reference = asText(schema.$ref);
    if (reference !== undefined) return this.#inline(reference, depth, trail);
    const merged = this.#mergeAllOf(schema, depth, trail);
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

  #inline(reference: string, depth: number, trail: readonly string[]): JsonObject {
    const name = reference.split('/').pop() ?? '';
    const target = asObject(this.#definitions[name]);
    if (target === undefined || trail.includes(name) || !this.#room.take(this.#sizeOf(name, target))) {
      this.#dropped.add('$ref');
      return { type: 'object' };
    }
    return this.clean(target, depth + 1, [...trail, name]);
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
    let merged: JsonObject = base;
    for (const part of parts) {
      const cleaned = this.clean(part, depth + 1, trail);
      merged = {
        ...cleaned,
        ...merged,
        ...(isObject(cleaned.properties) || isObject(merged.properties)
          ? { properties: { ...asObject(cleaned.properties), ...asObject(merged.properties) } }
          : {}),
        ...(cleaned.required !== undefined || merged.required !== undefined
          ? { required: [...new Set([...asList(merged.required), ...asList(cleaned.required)])] }
          : {}),
      };
    }
    return merged;
  }

  /** `[T, "null"]` becomes T that may be null; several types become alternatives. */
  #type(out: JsonObject, schema: JsonObject): void {
    const { type } = schema;
    if (typeof type === 'string') {
      out.type = type;
      return;
    }
    const words = asList(type).filter((word) => typeof word === 'string');
    const [only, ...more] = words.filter((word) => word !== 'null');
    if (words.includes('null')) out.nullable = true;
    if (only === undefined) {
      if (isObject(schema.properties)) out.type = 'object';
    } else if (more.length === 0) out.type = only;
    else out.anyOf = [only, ...more].map((word) => ({ type: word }));
  }

  /** Enumerations are of strings on this wire. */
  #values(out: JsonObject, schema: JsonObject): void {
    const values = schema.const === undefined ? asList(schema.enum) : [schema.const];
    if (values.length === 0) return;
    const words = values.filter((value) => value !== null).map((value) => digitsOf(value) ?? String(value));
    if (words.length < values.length) out.nullable = true;
    out.enum = words;
    if (out.type !== 'string') out.type = 'string';
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
    const items = asObject(schema.items) ?? asObjects(schema.prefixItems)[0];
    if (items !== undefined) out.items = this.clean(items, depth + 1, trail);
    else if (out.type === 'array') out.items = {};
    const alternatives = [...asObjects(schema.anyOf), ...asObjects(schema.oneOf)];
    if (alternatives.length > 0) this.#alternatives(out, alternatives, depth, trail);
  }

  /** An alternative that is only `null` means that the value may be null. */
  #alternatives(out: JsonObject, alternatives: readonly JsonObject[], depth: number, trail: readonly string[]): void {
    const real = alternatives.filter((entry) => entry.type !== 'null');
    if (real.length < alternatives.length) out.nullable = true;
    const cleaned = real.map((entry) => this.clean(entry, depth + 1, trail));
    const [only] = cleaned;
    if (cleaned.length === 1 && only !== undefined) Object.assign(out, only, out);
    else if (cleaned.length > 1) out.anyOf = cleaned;
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

/** A schema of this wire as plain JSON schema: types in lower case, `nullable` as a type. */
export function toJsonSchema(wire: JsonObject): JsonObject {
  const schema = camelKeys(wire);
  const out: JsonObject = {};
  for (const key in schema) {
    const value = schema[key];
    if (value === undefined || key === 'nullable' || key === 'propertyOrdering') continue;
    if (key === 'type' && typeof value === 'string') {
      const word = value.toLowerCase();
      out.type = schema.nullable === true ? [word, 'null'] : word;
    } else if (key === 'properties' && isObject(value)) {
      out.properties = mapProperties(value, (property) => toJsonSchema(property ?? {}));
    } else if (key === 'items' && isObject(value)) out.items = toJsonSchema(value);
    else if (key === 'anyOf') out.anyOf = asObjects(value).map(toJsonSchema);
    else if (counts.test(key) && typeof value === 'string')
      out[key] = digitsOf(value) === undefined ? Number(value) : value;
    else out[key] = value;
  }
  if (schema.nullable === true) allowNull(out);
  return out;
}
