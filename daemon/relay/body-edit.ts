/**
 * Named edits on a JSON body in its bytes: what no edit names stays byte for byte, key order, number spelling and
 * unknown members included (relay.md 1.3).
 */
import { isUtf8 } from 'node:buffer';
import { type ObjectSpan, type Span, scanArray, scanObject, scanText, scanTopLevel, skipSpace } from './body-scan.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

/**
 * One change at a path of member names and array indexes (`'-1'` is the last element; indexes count in the body as it
 * came). `set` creates missing objects on the way and replaces whatever stood there; `remove` of something absent does
 * nothing.
 */
export type BodyEdit =
  | { readonly path: readonly string[]; readonly set: Json }
  | { readonly path: readonly string[]; readonly remove: true };

interface Splice extends Span {
  readonly text: string;
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** The edit one level further down. */
function below(edit: BodyEdit): BodyEdit {
  const path = edit.path.slice(1);
  return 'remove' in edit ? { path, remove: true } : { path, set: edit.set };
}

function byFirstSegment(edits: readonly BodyEdit[]): Map<string, BodyEdit[]> {
  const groups = new Map<string, BodyEdit[]>();
  for (const edit of edits) {
    const [head] = edit.path;
    if (head === undefined) continue;
    const group = groups.get(head);
    if (group) group.push(below(edit));
    else groups.set(head, [below(edit)]);
  }
  return groups;
}

/** Edits of a list's elements, by position; one that names no element is left out. */
function byIndex(edits: readonly BodyEdit[], length: number): Map<number, BodyEdit[]> {
  const groups = new Map<number, BodyEdit[]>();
  for (const [segment, group] of byFirstSegment(edits)) {
    const index = elementIndex(segment, length);
    if (index !== undefined) groups.set(index, [...(groups.get(index) ?? []), ...group]);
  }
  return groups;
}

/** Position of an index segment in a list of the given length; undefined when it names none. */
export function elementIndex(segment: string, length: number): number | undefined {
  if (!/^(-1|\d{1,9})$/.test(segment)) return undefined;
  const index = segment === '-1' ? length - 1 : Number(segment);
  return index >= 0 && index < length ? index : undefined;
}

/**
 * The value after the edits; undefined when they removed it or nothing was set. Never changes `value` itself. A list is
 * copied once for all edits of its elements: once for each would take seconds where a body has a hundred thousand.
 */
export function editValue(value: Json | undefined, edits: readonly BodyEdit[]): Json | undefined {
  const whole = edits.findLastIndex((edit) => edit.path.length === 0);
  const last = edits[whole];
  const before = last === undefined ? value : 'remove' in last ? undefined : last.set;
  const rest = last === undefined ? edits : edits.slice(whole + 1);
  if (rest.length === 0) return before;
  if (Array.isArray(before)) return editList(before, rest);
  if (!isObject(before) && rest.every((edit) => 'remove' in edit)) return before;
  return editObject(isObject(before) ? before : {}, rest);
}

function editList(before: Json[], edits: readonly BodyEdit[]): Json[] {
  const after: (Json | undefined)[] = [...before];
  for (const [index, group] of byIndex(edits, before.length)) after[index] = editValue(before[index], group);
  return after.filter((value) => value !== undefined);
}

function editObject(before: JsonObject, edits: readonly BodyEdit[]): JsonObject {
  const object: JsonObject = { ...before };
  for (const [head, group] of byFirstSegment(edits)) {
    const next = editValue(Object.hasOwn(object, head) ? object[head] : undefined, group);
    if (next === undefined) delete object[head];
    else Object.defineProperty(object, head, { value: next, configurable: true, enumerable: true, writable: true });
  }
  return object;
}

/**
 * The edits that make `after` of `before`. Members that are the same value (by identity) are not looked into, so a
 * change that copied only what it touched costs only that; arrays of another length are replaced whole.
 */
export function diffEdits(before: JsonObject, after: JsonObject): BodyEdit[] {
  const edits: BodyEdit[] = [];
  collectDiff(before, after, { path: [], edits });
  return edits;
}

function collectDiff(before: Json, after: Json, found: { path: readonly string[]; edits: BodyEdit[] }): void {
  if (before === after) return;
  const { path, edits } = found;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, value] of after.entries()) {
      collectDiff(before[index] ?? null, value, { path: [...path, String(index)], edits });
    }
  } else if (isObject(before) && isObject(after)) {
    for (const key of Object.keys(before)) {
      if (!Object.hasOwn(after, key)) edits.push({ path: [...path, key], remove: true });
    }
    for (const [key, value] of Object.entries(after)) {
      const old = Object.hasOwn(before, key) ? before[key] : undefined;
      if (old === undefined) edits.push({ path: [...path, key], set: value });
      else collectDiff(old, value, { path: [...path, key], edits });
    }
  } else {
    edits.push({ path, set: after });
  }
}

/** Edits of one value in place: recursion as far down as the bytes have the parent, new JSON text from there on. */
function spliceValue(out: Splice[], bytes: Buffer, span: Span, edits: readonly BodyEdit[]): void {
  const whole = edits.findLastIndex((edit) => edit.path.length === 0);
  if (whole >= 0) out.push({ ...span, text: JSON.stringify(editValue(undefined, edits.slice(whole)) ?? null) });
  else if (bytes[span.start] === openBrace) spliceObject(out, bytes, scanObject(bytes, span.start), edits);
  else if (bytes[span.start] === openBracket) spliceArray(out, bytes, span.start, edits);
  else if (edits.some((edit) => 'set' in edit)) out.push({ ...span, text: JSON.stringify(editValue(null, edits)) });
}

function removesWhole(edits: readonly BodyEdit[]): boolean {
  const last = edits.findLastIndex((edit) => edit.path.length === 0);
  const deciding = edits[last];
  return deciding !== undefined && 'remove' in deciding && !edits.slice(last + 1).some((edit) => 'set' in edit);
}

function spliceArray(out: Splice[], bytes: Buffer, at: number, edits: readonly BodyEdit[]): void {
  const elements = scanArray(bytes, at);
  const groups = byIndex(edits, elements.length);
  const dropped = new Set<number>();
  for (const [index, group] of groups) {
    const element = elements[index];
    if (element && removesWhole(group)) dropped.add(index);
    else if (element) spliceValue(out, bytes, element, group);
  }
  drop(out, elements, dropped);
}

/** Splices of an object; also drops all but the last of repeated names, which readers elsewhere take differently. */
function spliceObject(out: Splice[], bytes: Buffer, object: ObjectSpan, edits: readonly BodyEdit[]): void {
  const { members } = object;
  const groups = byFirstSegment(edits);
  const lastIndex = new Map<string, number>();
  for (const [index, member] of members.entries()) lastIndex.set(member.key, index);

  const dropped = new Set<number>();
  for (const [index, member] of members.entries()) {
    const group = groups.get(member.key);
    if (lastIndex.get(member.key) !== index || (group && removesWhole(group))) dropped.add(index);
    else if (group) spliceValue(out, bytes, { start: member.valueStart, end: member.end }, group);
  }
  drop(out, members, dropped);

  const added: string[] = [];
  for (const [key, group] of groups) {
    if (lastIndex.has(key)) continue;
    const value = editValue(undefined, group);
    if (value !== undefined) added.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  if (added.length > 0) {
    const isEmpty = members.length === dropped.size;
    const at = members[members.length - 1]?.end ?? skipSpace(bytes, object.start + 1);
    out.push({ start: at, end: at, text: `${isEmpty ? '' : ','}${added.join(',')}` });
  }
}

/** Each dropped item goes with the comma behind it, or with the one before it when no kept item follows. */
function drop(out: Splice[], items: readonly Span[], dropped: ReadonlySet<number>): void {
  let lastKept = items.length - 1;
  while (lastKept >= 0 && dropped.has(lastKept)) lastKept -= 1;
  for (const index of dropped) {
    const item = items[index];
    const next = items[index + 1];
    if (item === undefined) continue;
    if (index < lastKept && next) out.push({ start: item.start, end: next.start, text: '' });
    else out.push({ start: items[index - 1]?.end ?? item.start, end: item.end, text: '' });
  }
}

/** `body` with the edits applied in order; the same buffer when there is nothing to do. Throws `invalid_request`. */
export function editBody(body: Buffer, edits: readonly BodyEdit[]): Buffer {
  return editScanned(body, scanTopLevel(body), edits);
}

/** `editBody` on what an upstream said: half a character, which some servers send, must not cost the rest of it. */
export function editAnswer(answer: Buffer, edits: readonly BodyEdit[]): Buffer {
  const whole = isUtf8(answer) ? answer : Buffer.from(answer.toString('utf8'));
  return editScanned(whole, scanText(whole), edits);
}

/** `editBody` on a body that was scanned before. */
export function editScanned(body: Buffer, object: ObjectSpan, edits: readonly BodyEdit[]): Buffer {
  const found: Splice[] = [];
  spliceObject(found, body, object, edits);
  const splices = found.filter((splice) => splice.start < splice.end || splice.text !== '');
  if (splices.length === 0) return body;
  splices.sort((a, b) => a.start - b.start || a.end - b.end);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const splice of splices) {
    pieces.push(body.subarray(from, splice.start));
    if (splice.text !== '') pieces.push(Buffer.from(splice.text));
    from = splice.end;
  }
  pieces.push(body.subarray(from));
  return Buffer.concat(pieces);
}
