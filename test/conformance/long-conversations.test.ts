/**
 * Conversations of any number of turns, calls, results and tools are translated in a time that grows with them and no
 * faster. A list that is written anew for each of its entries would hold up every other call for minutes.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../daemon/errors.ts';
import type { ChatRequest } from '../../daemon/relay/canonical/chat.ts';
import { withResultsAtCalls } from '../../daemon/relay/canonical/result-places.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { anthropicMessages } from '../../daemon/relay/formats/anthropic-messages/index.ts';
import { bedrockConverse } from '../../daemon/relay/formats/bedrock-converse/index.ts';
import { geminiGenerate } from '../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../daemon/relay/formats/openai-responses/index.ts';
import type { JsonObject } from '../../daemon/relay/json.ts';
import { assertQuick } from '../support/processor-time.ts';
import { testScope } from './scope.ts';

const conversations = suite('long conversations');

const many = 20_000;
/** Each takes a fraction of it; what is written anew for each entry took from three times to fifty times as long. */
const mostMs = 3000;
const targets = [openaiChat, openaiResponses, anthropicMessages, geminiGenerate];

function times<Entry>(entry: (at: number) => Entry): Entry[] {
  return Array.from({ length: many }, (_, at) => entry(at));
}

const user = { role: 'user', content: 'look' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'found' });
const calling = (ids: readonly string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: 'sig' });
const tool = (name: string) => ({ type: 'function', function: { name } });

const chats: Readonly<Record<string, JsonObject[]>> = {
  'words of the model, one message after the other': [user, ...times(() => ({ role: 'assistant', content: 'said' }))],
  'calls of one message and their results': [
    user,
    calling(times((at) => `c${at}`)),
    ...times((at) => result(`c${many - 1 - at}`)),
  ],
  'calls under one id': [user, calling(times(() => 'c')), ...times(() => result('c'))],
  'calls without a result and results without a call': [
    user,
    calling(times((at) => `c${at}`)),
    ...times((at) => result(`d${at}`)),
  ],
  'messages that call under one id, the result behind them': [user, ...times(() => calling(['c'])), user, result('c')],
  'words before calls': [
    user,
    ...times(() => ({ role: 'assistant', content: 'said' })),
    calling(times((at) => `c${at}`)),
  ],
  'turns of a call and its result': [user, ...times((at) => [calling([`c${at}`]), result(`c${at}`)]).flat()],
  'signed thoughts': [user, { role: 'assistant', content: 'said', thinking_blocks: times((at) => thought(`t${at}`)) }],
  'pictures beside many words': [
    user,
    {
      role: 'assistant',
      content: 'said '.repeat(many * 2),
      images: times((at) => ({ image_url: { url: `https://x.test/${at}` } })),
    },
  ],
};

const inTime = (act: () => void, what?: string) => assertQuick(mostMs, act, what);

async function translates(client: ChatFormat, body: JsonObject): Promise<void> {
  let request: ChatRequest | undefined;
  await inTime(() => {
    const decoded = client.decodeRequest({ model: 'gemini-3-pro', ...body });
    request = { ...decoded, items: withResultsAtCalls(decoded.items) };
  }, client.id);
  for (const target of targets) {
    await inTime(() => {
      try {
        if (request !== undefined) target.encodeRequest(request, testScope());
      } catch (error) {
        if (!(error instanceof TollgateError)) throw error;
      }
    }, `${client.id} to ${target.id}`);
  }
}

for (const [name, messages] of Object.entries(chats)) {
  conversations(`of ${name} are translated at once`, () => translates(openaiChat, { messages }));
}

conversations('with more parts than a call has arguments are translated', () => {
  const content = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' }));
  return translates(openaiChat, { messages: ['system', 'user', 'assistant'].map((role) => ({ role, content })) });
});

conversations('with many tools, of which many are allowed, are translated at once', () =>
  translates(openaiChat, {
    messages: [user],
    tools: times((at) => tool(`f${at}`)),
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: times((at) => tool(`g${at}`)) } },
  }),
);

conversations('in which one call has many results are translated at once', () =>
  translates(openaiResponses, {
    input: [
      user,
      { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
      ...times(() => ({ type: 'function_call_output', call_id: 'c', output: 'found' })),
    ],
  }),
);

conversations('of Gemini with results in any order are translated at once', () =>
  translates(geminiGenerate, {
    contents: [
      { role: 'model', parts: times((at) => ({ functionCall: { id: `c${at}`, name: 'f', args: {} } })) },
      {
        role: 'user',
        parts: times((at) => ({ functionResponse: { id: `c${many - 1 - at}`, name: 'f', response: {} } })),
      },
    ],
  }),
);

conversations('of Gemini with an answer of many files are read at once', () =>
  inTime(() => {
    const parts = times(() => ({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }));
    const { items } = geminiGenerate.decodeRequest({ contents: [{ role: 'model', parts }] });
    const [said] = items;
    assert.is(said?.type === 'assistant' && said.parts.length, many);
  }),
);

conversations('with documents of no name give each a name of its own at once', () =>
  inTime(() => {
    const source = { type: 'text', media_type: 'text/plain', data: 'a' };
    const content = times(() => ({ type: 'document', source }));
    const request = anthropicMessages.decodeRequest({
      model: 'm',
      max_tokens: 1,
      messages: [{ role: 'user', content }],
    });
    const wire = JSON.stringify(bedrockConverse.encodeRequest(request, testScope()));
    assert.ok(wire.includes(`"name":"Document ${many}"`));
  }),
);

conversations.run();
