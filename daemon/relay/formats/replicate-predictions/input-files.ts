/**
 * Files among a prediction's inputs: small ones stand in it as data URLs, large ones are handed in first and named by
 * their address. Source: providers/replicate.md and replicate.com/docs/reference/http (files.create, predictions.create),
 * read 2026-11.
 */
import type { FileUploads } from '../../format.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asList, asObject, asWord } from '../fields.ts';

/** Bytes up to which the vendor wants a file inside the request. */
const mostInline = 256 * 1024;
const charactersPerByte = 4 / 3;
const isFile = /^data:[^;,]+;base64,/;

function isLarge(value: Json): value is string {
  return typeof value === 'string' && value.length > mostInline * charactersPerByte && isFile.test(value);
}

export const inputUploads: FileUploads = {
  list: (body) =>
    Object.values(asObject(body.input) ?? {})
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter(isLarge),
  form: (file) => ({ content: file }),
  readId: (answer) => asWord(asObject(answer.urls)?.get),
  place: (body, ids) => ({ ...body, input: placed(asObject(body.input) ?? {}, ids) }),
};

function placed(input: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  const addressOf = (value: Json) => (typeof value === 'string' ? (ids.get(value) ?? value) : value);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Array.isArray(value) ? asList(value).map(addressOf) : addressOf(value),
    ]),
  );
}
