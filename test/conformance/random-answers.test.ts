/**
 * Answers by chance through all pairs of upstream and client, as streams in pieces of any size and as whole answers:
 * the client hears what was said, and hears the same either way.
 */
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerEvents } from '../../daemon/gateway/answer-events.ts';
import type { ChatEvent, ChatRequest } from '../../daemon/relay/canonical/chat.ts';
import { AnswerCollector } from '../../daemon/relay/canonical/collect.ts';
import { joinPieces } from '../../daemon/relay/canonical/join-pieces.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import type { Json } from '../../daemon/relay/json.ts';
import { checkCanonical } from '../support/checkers/canonical.ts';
import { type Checker, checkers } from '../support/checkers/index.ts';
import { dialectOf } from './conversion-page.ts';
import {
  type AnswerSketch,
  answerSketches,
  bytesOf,
  eventsOf,
  type Spelling,
  saidBy,
  spellings,
} from './random-answers.ts';
import { testScope } from './scope.ts';
import { anyRequest, encodeAll, gist } from './translate.ts';

const test = suite('random answers');
/** For each pair of dialects. */
const mostRuns = 100;
const longestMs = 400;

interface Arrival {
  readonly spelling: Spelling;
  /** Bytes that arrive together. */
  readonly size: number;
}
const arrivals: fc.Arbitrary<Arrival> = fc.record({ spelling: spellings, size: fc.integer({ min: 1, max: 900 }) });

function checkerOf(format: ChatFormat): Checker {
  const checker = checkers[format.id];
  if (checker === undefined) throw new Error(`no checker of ${format.id}`);
  return checker;
}

function asked(client: ChatFormat): ChatRequest {
  return { ...anyRequest, dialect: dialectOf(client) };
}

/** As `gist`, of what the sketch says: ids and white space of arguments do not matter. */
function expected(sketch: AnswerSketch): Record<string, unknown> {
  return gist({ ...saidBy(sketch), finish: undefined });
}

function streamFaults(upstream: ChatFormat, client: ChatFormat, sketch: AnswerSketch, arrival: Arrival): string[] {
  const sent = encodeAll(upstream, asked(upstream), eventsOf(sketch, dialectOf(upstream)));
  const bytes = bytesOf(sent, arrival.spelling);
  const reader = new AnswerEvents(upstream.decodeStream(testScope()));
  const encoder = client.encodeStream(asked(client), testScope());
  const read: ChatEvent[] = [];
  const heard = [];
  for (let at = 0; at < bytes.length; at += arrival.size) {
    const told = joinPieces(reader.push(bytes.subarray(at, at + arrival.size)));
    read.push(...told);
    heard.push(...told.flatMap((event) => encoder.push(event)));
  }
  const last = joinPieces(reader.end());
  read.push(...last);
  heard.push(...last.flatMap((event) => encoder.push(event)), ...encoder.end());
  const { problems, answer } = checkerOf(client).checkStream(heard);
  return [
    ...checkerOf(upstream)
      .checkStream(sent)
      .problems.map((problem) => `upstream: ${problem}`),
    ...checkCanonical(read).problems.map((problem) => `between: ${problem}`),
    ...problems,
    ...differences(gist(answer), expected(sketch)),
  ];
}

function wholeFaults(upstream: ChatFormat, client: ChatFormat, sketch: AnswerSketch): string[] {
  const collector = new AnswerCollector();
  for (const event of eventsOf(sketch, dialectOf(upstream))) collector.push(event);
  const sent = throughText(upstream.encodeResponse(collector.result(), asked(upstream), testScope()));
  const read = upstream.decodeResponse(sent, testScope());
  const heard = throughText(client.encodeResponse(read, asked(client), testScope()));
  return differences(gist(checkerOf(client).readBody(heard)), expected(sketch));
}

function differences(heard: Record<string, unknown>, said: Record<string, unknown>): string[] {
  return Object.keys(said)
    .filter((key) => JSON.stringify(heard[key]) !== JSON.stringify(said[key]))
    .map((key) => `${key}: ${JSON.stringify(said[key])} became ${JSON.stringify(heard[key])}`);
}

function throughText(value: Json): Json {
  return JSON.parse(JSON.stringify(value));
}

for (const upstream of chatFormats) {
  for (const client of chatFormats) {
    test(`of ${dialectOf(upstream)} are heard by ${dialectOf(client)} clients as they were streamed`, () => {
      const { counterexample } = fc.check(
        fc.property(
          answerSketches,
          arrivals,
          (sketch, arrival) => streamFaults(upstream, client, sketch, arrival).length === 0,
        ),
        { numRuns: mostRuns, interruptAfterTimeLimit: longestMs },
      );
      if (counterexample === null) return;
      const [sketch, arrival] = counterexample;
      assert.equal(streamFaults(upstream, client, sketch, arrival), [], JSON.stringify(counterexample));
    });

    test(`of ${dialectOf(upstream)} are read by ${dialectOf(client)} clients as they were given whole`, () => {
      const { counterexample } = fc.check(
        fc.property(answerSketches, (sketch) => wholeFaults(upstream, client, sketch).length === 0),
        { numRuns: mostRuns, interruptAfterTimeLimit: longestMs },
      );
      const [sketch] = counterexample ?? [];
      if (sketch !== undefined) assert.equal(wholeFaults(upstream, client, sketch), [], JSON.stringify(sketch));
    });
  }
}

test.run();
