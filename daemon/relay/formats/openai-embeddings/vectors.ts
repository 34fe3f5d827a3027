/** Vectors of embeddings on the wire: numbers, or their bytes in base64 (relay.md 5.5). */
import { type BodyEdit, editBody } from '../../body-edit.ts';
import { isObject, type Json } from '../../json.ts';
import { asList, asObject, parseJson } from '../fields.ts';

/** The list where it holds numbers and nothing else; undefined for any other, and for an empty one. */
export function asNumbers(list: readonly Json[]): number[] | undefined {
  const tokens = list.filter((entry) => typeof entry === 'number');
  return tokens.length > 0 && tokens.length === list.length ? tokens : undefined;
}

/** A vector as numbers, whichever of the two ways it was sent. */
export function readVector(value: Json | undefined): number[] {
  if (typeof value === 'string') return unpackFloats(value);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'number') : [];
}

/** Little-endian 32-bit floats in base64 (relay.md 5.5). */
export function packFloats(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

/** How far into an answer its first vector is looked for. */
const VECTOR_REACH = 65_536;

/** The answer with its vectors in base64, for a client that asked for them so; the very same bytes where they are. */
export function withPackedVectors(body: Buffer): Buffer {
  if (!/"embedding"\s*:\s*\[/.test(body.toString('latin1', 0, VECTOR_REACH))) return body;
  const entries = asList(asObject(parseJson(body.toString('utf8')))?.data);
  const edits = entries.flatMap((entry, index): BodyEdit[] => {
    const plain = isObject(entry) && Array.isArray(entry.embedding) ? entry.embedding : [];
    const vector = asNumbers(plain);
    return vector === undefined ? [] : [{ path: ['data', String(index), 'embedding'], set: packFloats(vector) }];
  });
  return edits.length === 0 ? body : editBody(body, edits);
}

function unpackFloats(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  const vector: number[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) vector.push(bytes.readFloatLE(at));
  return vector;
}
