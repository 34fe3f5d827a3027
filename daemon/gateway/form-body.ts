/** Writes a form anew for an upstream (relay.md 5.8): all parts kept in their order, under a boundary of our own. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { endingOfType } from '../relay/formats/media.ts';
import { isObject, type JsonObject } from '../relay/json.ts';
import type { BodySource } from '../upstream/transport.ts';
import type { Form, FormField, FormFile } from './form.ts';
import { inMemory } from './spooled-file.ts';

export interface EncodedForm {
  readonly body: BodySource;
  readonly contentType: string;
}

const LINE_END = '\r\n';

/** The form as a body that is read anew by every attempt. */
export function encodeForm(parts: Form['parts']): EncodedForm {
  const boundary = `tollgate-${randomBytes(18).toString('hex')}`;
  const heads = parts.map((part) => Buffer.from(headOf(part, boundary)));
  const tail = Buffer.from(`${LINE_END}--${boundary}--${LINE_END}`);
  const length = parts.reduce((sum, part, at) => sum + (heads[at]?.length ?? 0) + sizeOf(part), tail.length);
  const body = { length, open: () => Readable.from(pieces(parts, heads, tail), { objectMode: false }) };
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

async function* pieces(parts: Form['parts'], heads: readonly Buffer[], tail: Buffer): AsyncGenerator<Buffer> {
  for (const [at, part] of parts.entries()) {
    const head = heads[at];
    if (head !== undefined) yield head;
    if (part.kind === 'field') yield Buffer.from(part.value);
    else yield* part.content.open();
  }
  yield tail;
}

function headOf(part: FormField | FormFile, boundary: string): string {
  const head = `${LINE_END}--${boundary}${LINE_END}Content-Disposition: form-data; name="${quoted(part.name)}"`;
  if (part.kind === 'field') return `${head}${LINE_END}${LINE_END}`;
  const file = `; filename="${quoted(part.filename)}"${LINE_END}Content-Type: ${oneLine(part.mediaType)}`;
  return `${head}${file}${LINE_END}${LINE_END}`;
}

function sizeOf(part: FormField | FormFile): number {
  return part.kind === 'field' ? Buffer.byteLength(part.value) : part.content.size;
}

/** As browsers write names: what would end the value is percent-encoded. */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}

/** Fields that hold numbers and switches, by the name that OpenAI's forms give them. */
const NUMBERS = new Set(['n', 'temperature', 'partial_images', 'output_compression', 'speed']);
const SWITCHES = new Set(['stream']);

/** The fields of a form as the members that a JSON body of the same call would have. */
export function membersOf(form: Form): JsonObject {
  const members: JsonObject = {};
  for (const part of form.parts) {
    if (part.kind !== 'field') continue;
    const isList = part.name.endsWith('[]');
    const name = isList ? part.name.slice(0, -2) : part.name;
    if (name === '__proto__') continue;
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    if (isList) members[name] = [...(Array.isArray(known) ? known : []), part.value];
    else members[name] = fieldValue(name, part.value);
  }
  return members;
}

function fieldValue(name: string, value: string): string | number | boolean {
  if (NUMBERS.has(name) && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (SWITCHES.has(name) && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
}

/** The members of a JSON body as the parts of a form: data URLs as files, everything else as text. */
export function partsOf(json: JsonObject): Form['parts'] {
  return Object.entries(json).map(([name, value]): FormField | FormFile => {
    if (typeof value !== 'string') return { kind: 'field', name, value: JSON.stringify(value) };
    const inline = /^data:([^;,]+);base64,/.exec(value);
    if (inline === null) return { kind: 'field', name, value };
    const mediaType = inline[1] ?? '';
    const content = inMemory(Buffer.from(value.slice(inline[0].length), 'base64'));
    return { kind: 'file', name, filename: `${name}.${endingOfType(mediaType)}`, mediaType, content };
  });
}

/** The parts with the members that changed between two states of `membersOf` put in; nested values are left alone. */
export function withMembers(parts: Form['parts'], before: JsonObject, after: JsonObject): Form['parts'] {
  const changed = new Map<string, string | undefined>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = after[name];
    if (value === before[name] || isObject(value) || Array.isArray(value)) continue;
    changed.set(name, value === undefined || value === null ? undefined : String(value));
  }
  if (changed.size === 0) return parts;
  const kept = parts.flatMap((part): (FormField | FormFile)[] => {
    if (part.kind === 'file' || !changed.has(part.name)) return [part];
    const value = changed.get(part.name);
    changed.delete(part.name);
    return value === undefined ? [] : [{ ...part, value }];
  });
  const added = [...changed].flatMap(([name, value]): FormField[] =>
    value === undefined ? [] : [{ kind: 'field', name, value }],
  );
  return [...added, ...kept];
}
