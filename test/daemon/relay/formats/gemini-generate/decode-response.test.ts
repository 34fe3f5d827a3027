import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { geminiGenerate } from '../../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../../daemon/relay/formats/openai-chat/index.ts';
import { testScope } from '../../../../conformance/scope.ts';
import { anyRequest } from '../../../../conformance/translate.ts';
import { at } from '../../../../support/checkers/answer.ts';

const test = suite('Gemini answer decoder');

test('shows code and what it printed as blocks that nothing within them ends', () => {
  const parts = [
    { text: 'Look:' },
    { executableCode: { language: 'PYTHON', code: 'print("````")\n' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '````\n' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'done\n' } },
  ];
  const body = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
  const answer = geminiGenerate.decodeResponse(body, testScope());
  const told = openaiChat.encodeResponse(answer, anyRequest, testScope());
  assert.is(
    at(told, 'choices', 0, 'message', 'content'),
    'Look:\n`````python\nprint("````")\n`````\n\n`````output\n````\n`````\n\n```output\ndone\n```\n',
  );
});

test.run();
