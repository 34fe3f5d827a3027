/**
 * Every recorded answer read by its format's codec and told in every chat format: legal streams, and the same text,
 * reasoning, tool calls and usage as the recording.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { checkCanonical } from '../support/checkers/canonical.ts';
import { checkers } from '../support/checkers/index.ts';
import { frame, readResponse, readStream, recordedCases } from './cases.ts';
import { testScope } from './scope.ts';
import { decodeAll, encodeAll, gist, readCanonical, requestOf } from './translate.ts';

const streams = suite('recorded streams');
const bodies = suite('recorded answers');

for (const one of recordedCases()) {
  const format = chatFormats.find((entry) => entry.id === one.format);
  const reader = format && checkers[format.id];
  if (format === undefined || reader === undefined || one.status >= 400) continue;
  const bytes = readStream(one);
  const body = readResponse(one);

  if (bytes !== undefined) {
    streams(`${one.name} is read as recorded and told alike in every format`, () => {
      const wire = frame(bytes, bytes.length);
      const events = decodeAll(format, wire);
      const read = checkCanonical(events);
      assert.equal(read.problems, [], 'canonical order');
      assert.equal(gist(read.answer), gist(reader.checkStream(wire).answer), 'as recorded');
      const isBroken = read.answer.finish === undefined;
      const hasMedia = events.some((event) => event.type === 'image' || event.type === 'audio-delta');
      for (const target of chatFormats) {
        const told = checkers[target.id]?.checkStream(encodeAll(target, requestOf(format, one), events));
        assert.equal(told?.problems, [], `${target.id} is legal`);
        if (told !== undefined && !isBroken && !hasMedia) {
          // A format that must state usage estimates what the upstream did not say.
          if (read.answer.usage === undefined) told.answer.usage = undefined;
          assert.equal(gist(told.answer), gist(read.answer), `${target.id} says the same`);
        }
      }
    });

    streams(`${one.name} ends as its protocol demands wherever it breaks off`, () => {
      const events = decodeAll(format, frame(bytes, bytes.length));
      const request = requestOf(format, one);
      // A dozen places are enough to meet every kind of event; the first and the last are always among them.
      const step = Math.max(1, Math.floor(events.length / 12));
      for (let length = 0; length < events.length; length += step) {
        for (const target of chatFormats) {
          const encoder = target.encodeStream(request, testScope());
          const wire = events.slice(0, length).flatMap((event) => encoder.push(event));
          wire.push(...encoder.fail(new TollgateError('read_response_body_failed')));
          const told = checkers[target.id]?.checkStream(wire);
          assert.equal(told?.problems, [], `${target.id} after ${length} events`);
          assert.is(told?.isFailed, true);
        }
      }
    });

    streams(`${one.name} is the same when it arrives byte by byte`, () => {
      assert.equal(frame(bytes, 1), frame(bytes, bytes.length));
    });
  } else if (body !== undefined && !Array.isArray(body)) {
    bodies(`${one.name} is read as recorded and told alike in every format`, () => {
      const response = format.decodeResponse(body, testScope());
      const read = readCanonical(response);
      if (response.error !== undefined) return;
      assert.equal(gist(read), gist(reader.readBody(body)), 'as recorded');
      const parts = response.choices[0]?.items.flatMap((item) => (item.type === 'assistant' ? item.parts : [])) ?? [];
      const hasMedia = parts.some((part) => part.type === 'image' || part.type === 'audio');
      for (const target of chatFormats) {
        const told = target.encodeResponse(response, requestOf(format, one), testScope());
        const answer = checkers[target.id]?.readBody(told);
        if (answer === undefined || hasMedia) continue;
        if (read.usage === undefined) answer.usage = undefined;
        assert.equal(gist(answer), gist(read), `${target.id} says the same`);
      }
    });
  }
}

streams.run();
bodies.run();
