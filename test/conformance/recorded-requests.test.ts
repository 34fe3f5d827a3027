/**
 * Every recorded request written in every chat format: nothing that the target's vendor would refuse, and the same
 * words, calls, results, tools and media. What a format cannot say is refused with a reason, never lost in silence.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import type { ChatRequest } from '../../daemon/relay/canonical/chat.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { isObject, type Json } from '../../daemon/relay/json.ts';
import { requestReaders, type Said } from '../support/checkers/requests.ts';
import { readRequest, recordedCases } from './cases.ts';
import { testScope } from './scope.ts';

const test = suite('recorded requests');

/** Everything that may stand in the way of equality without being a fault of a codec. */
function isPlain(request: ChatRequest): boolean {
  if (request.stored !== undefined) return false;
  return request.items.every(
    (item) =>
      item.type !== 'hosted' &&
      // A text document, or a found page, is read as text where there are none.
      !(
        'parts' in item &&
        item.parts.some(
          (part) =>
            (part.type === 'document' && part.source.kind === 'text') ||
            (part.type === 'text' && part.raw?.value.type === 'search_result'),
        )
      ),
  );
}

function gist(said: Said): Omit<Said, 'problems'> {
  const { problems: _, words, tools, ...rest } = said;
  return {
    ...rest,
    // A placeholder opens a conversation that began with the assistant.
    words: words.replaceAll('...', ''),
    // Offered as a function where it is no kind of its own.
    tools: tools.filter((name) => name !== 'tool_search'),
  };
}

for (const one of recordedCases()) {
  const format = chatFormats.find((entry) => entry.id === one.format);
  const body = readRequest(one);
  if (format === undefined || one.status >= 400 || !isObject(body)) continue;
  test(`${one.name} is written in every format`, () => {
    // Formats without structured output ask for it in words, which are not the client's.
    const { output: _, ...request } = format.decodeRequest({ model: 'asked-model', ...body });
    const own = requestReaders[format.id]?.(format.encodeRequest(request, testScope()));
    for (const target of chatFormats) {
      let written: Json;
      const scope = testScope({ webSearch: true });
      try {
        written = target.encodeRequest(request, scope);
      } catch (error) {
        assert.ok(error instanceof TollgateError, String(error));
        assert.is(error.code, 'convert_request_failed');
        assert.ok(error.field);
        continue;
      }
      const said = requestReaders[target.id]?.(written);
      assert.ok(said !== undefined && own !== undefined);
      assert.equal(said.problems, [], `${target.id} takes it`);
      if (isPlain(request)) assert.equal(gist(said), gist(own), `${target.id} says the same`);
    }
  });
}

test.run();
