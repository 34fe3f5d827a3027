/**
 * Recorded bodies with one value of a wrong type: codecs may refuse, with a code, or read on; they never break.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { isObject, type Json } from '../../daemon/relay/json.ts';
import { checkers } from '../support/checkers/index.ts';
import { frame, readRequest, readResponse, readStream, recordedCases } from './cases.ts';
import { testScope } from './scope.ts';
import { anyRequest, encodeAll } from './translate.ts';

const test = suite('hostile input');

const wrong: readonly Json[] = [null, 5, 'x', [], {}, [null], true];
/** Places of one body that are tried. */
const mostPlaces = 60;

type Path = readonly (string | number)[];

function placesOf(value: Json, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((entry, at) => [[...path, at], ...placesOf(entry, [...path, at])]);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => [[...path, key], ...placesOf(value[key] ?? null, [...path, key])]);
}

/** A copy with another value at one place. */
function altered(value: Json, path: Path, other: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return other;
  if (Array.isArray(value)) return value.map((entry, at) => (at === step ? altered(entry, rest, other) : entry));
  if (!isObject(value) || typeof step !== 'string') return value;
  return { ...value, [step]: altered(value[step] ?? null, rest, other) };
}

/** Every altered body, spread over the whole of it. */
function* alterations(body: Json): Generator<Json> {
  const places = placesOf(body);
  const step = Math.max(1, Math.ceil(places.length / mostPlaces));
  for (let at = 0; at < places.length; at += step) {
    const place = places[at];
    const other = wrong[at % wrong.length];
    if (place !== undefined && other !== undefined) yield altered(body, place, other);
  }
}

/** Runs the work; anything but a failure with a code is a fault of the codec. */
function survives<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TollgateError) return undefined;
    throw error;
  }
}

function tryRequests(format: ChatFormat, body: Json): void {
  for (const altered of alterations(body)) {
    const request = survives(() => format.decodeRequest(altered));
    if (request === undefined) continue;
    for (const target of chatFormats) survives(() => target.encodeRequest(request, testScope()));
  }
}

function tryAnswers(format: ChatFormat, body: Json): void {
  for (const altered of alterations(body)) {
    format.readUsage(altered);
    const response = survives(() => format.decodeResponse(altered, testScope()));
    if (response === undefined) continue;
    for (const target of chatFormats) target.encodeResponse(response, anyRequest, testScope());
  }
}

/** Each event of a stream altered in turn, the others as they were; what clients are sent stays legal. */
function tryStream(format: ChatFormat, events: readonly { data: string }[]): void {
  events.forEach((event, at) => {
    if (event.data.trim() === '[DONE]' || at > 40) return;
    const body: Json = JSON.parse(event.data);
    const places = placesOf(body);
    const place = places[(at * 7) % Math.max(1, places.length)] ?? [];
    const other = wrong[at % wrong.length] ?? null;
    const machine = format.decodeStream(testScope());
    const wire = events.map((entry, index) =>
      index === at ? { data: JSON.stringify(altered(body, place, other)) } : entry,
    );
    const decoded = [...wire.flatMap((entry) => machine.push(entry)), ...machine.end()];
    for (const target of chatFormats) {
      const told = checkers[target.id]?.checkStream(encodeAll(target, anyRequest, decoded));
      // The input of a tool is as whole as the upstream told it: it has gone out when its end shows what is missing.
      const problems = told?.problems.filter((problem) => problem !== 'an input is no object');
      assert.equal(problems, [], `${target.id}, event ${at}`);
    }
  });
}

for (const [number, one] of recordedCases().entries()) {
  const format = chatFormats.find((entry) => entry.id === one.format);
  // Every third case: the recordings of one vendor are much alike.
  if (format === undefined || one.status >= 400 || number % 3 > 0) continue;
  const request = readRequest(one);
  const response = readResponse(one);
  const bytes = readStream(one);
  test(`${one.name} breaks no codec`, () => {
    if (request !== undefined) tryRequests(format, isObject(request) ? { model: 'm', ...request } : request);
    if (response !== undefined) tryAnswers(format, response);
    if (bytes !== undefined) tryStream(format, frame(bytes, bytes.length));
  });
}

test.run();
