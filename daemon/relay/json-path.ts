/**
 * Paths into JSON as channels write them: `messages.0.content`, `-1` for the last element, `\.` for a dot in a name
 * (relay.md 12.5). Values are never changed in place: a change gives a new root that shares whatever it did not touch.
 */
import { elementIndex } from './body-edit.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const refusedSegments = new Set(['__proto__', 'constructor', 'prototype']);

/** Segments of a path; undefined for an empty one and for one that could reach a prototype. */
export function parsePath(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  let segment = '';
  for (let index = 0; index < path.length; index += 1) {
    const letter = path[index] ?? '';
    if (letter === '\\' && path[index + 1] === '.') {
      segment += '.';
      index += 1;
    } else if (letter === '.') {
      segments.push(segment);
      segment = '';
    } else {
      segment += letter;
    }
  }
  segments.push(segment);
  return segments.some((part) => part === '' || refusedSegments.has(part)) ? undefined : segments;
}

/** Undefined when nothing stands there. */
export function valueAt(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) {
    if (Array.isArray(value)) {
      const index = elementIndex(segment, value.length);
      value = index === undefined ? undefined : value[index];
    } else if (isObject(value) && Object.hasOwn(value, segment)) {
      value = value[segment];
    } else {
      return undefined;
    }
  }
  return value;
}

/**
 * The root with `next` at the path, or without it when `next` is undefined. Missing objects are created; the same root
 * comes back where the path leads through a list without that element or through a plain value.
 */
export function withValueAt(root: JsonObject, path: readonly string[], next: Json | undefined): JsonObject {
  const changed = changeAt(root, path, next);
  return isObject(changed) ? changed : root;
}

function changeAt(value: Json | undefined, path: readonly string[], next: Json | undefined): Json | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return next;
  if (Array.isArray(value)) return changeElement(value, segment, { rest, next });
  if (value === undefined && next === undefined) return undefined;
  if (value !== undefined && !isObject(value)) return value;
  const object: JsonObject = value ?? {};
  const old = Object.hasOwn(object, segment) ? object[segment] : undefined;
  const changed = changeAt(old, rest, next);
  if (changed === old) return value;
  const { [segment]: _, ...others } = object;
  if (changed === undefined) return others;
  return { ...object, [segment]: changed };
}

function changeElement(
  list: Json[],
  segment: string,
  change: { rest: readonly string[]; next: Json | undefined },
): Json {
  const index = elementIndex(segment, list.length);
  if (index === undefined) return list;
  const changed = changeAt(list[index], change.rest, change.next);
  return changed === undefined ? list.toSpliced(index, 1) : list.with(index, changed);
}
