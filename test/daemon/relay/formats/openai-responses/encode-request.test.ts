import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openaiResponses } from '../../../../../daemon/relay/formats/openai-responses/index.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at } from '../../../../support/checkers/answer.ts';

const test = suite('Responses request encoder');

test('asks for the odds of tokens where the model tells them, and says where it does not', () => {
  const ask = (model: string) => {
    const scope = testScope();
    const sampling = { logprobs: true, topLogprobs: 2 };
    const body = openaiResponses.encodeRequest({ ...anyRequest, model, sampling }, scope);
    return { include: at(body, 'include'), top: at(body, 'top_logprobs'), lost: scope.lost };
  };
  assert.equal(ask('gpt-4.1'), { include: ['message.output_text.logprobs'], top: 2, lost: [] });
  const { include, top, lost } = ask('o3-pro');
  assert.equal([include, top], [['reasoning.encrypted_content'], undefined]);
  assert.equal(lost.sort(), ['logprobs', 'top_logprobs']);
});

test.run();
