import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  anthropicCallId,
  anthropicToolName,
  geminiToolName,
  ToolNames,
} from '../../../../daemon/relay/canonical/tool-names.ts';
import { anthropicMessages } from '../../../../daemon/relay/formats/anthropic-messages/index.ts';
import { geminiGenerate } from '../../../../daemon/relay/formats/gemini-generate/index.ts';
import { openaiChat } from '../../../../daemon/relay/formats/openai-chat/index.ts';
import { openaiResponses } from '../../../../daemon/relay/formats/openai-responses/index.ts';
import { testScope } from '../../../conformance/scope.ts';
import { at, list } from '../../../support/checkers/answer.ts';

const test = suite('tool names');

test('keep to the letters and lengths of each dialect', () => {
  assert.is(anthropicToolName('a.b c'), 'a_b_c');
  assert.is(geminiToolName('1.x'), '_1.x');
  assert.is(geminiToolName('x'.repeat(80)).length, 64);
  assert.is.not(geminiToolName(`${'x'.repeat(80)}a`), geminiToolName(`${'x'.repeat(80)}b`));
});

test('lead back to the name that the client used', () => {
  const names = new ToolNames([
    { kind: 'function', name: 'files.read file' },
    { kind: 'function', name: 'read', namespace: 'mcp' },
    { kind: 'custom', name: 'apply_patch' },
  ]);
  assert.is(names.find('files_read_file').name, 'files.read file');
  assert.equal(names.find('mcp__read'), { name: 'read', namespace: 'mcp', kind: 'function' });
  assert.is(names.find('apply_patch').kind, 'custom');
  assert.equal(names.find('unheard_of'), { name: 'unheard_of', kind: 'function' });
});

const grouped = {
  input: 'look',
  tools: [
    { type: 'namespace', name: 'files', tools: ['read', 'find'].map((name) => ({ type: 'function', name })) },
    { type: 'function', name: 'find' },
  ],
};

test('of a choice are those under which grouped tools are offered', () => {
  const forced = openaiResponses.decodeRequest({
    model: 'm',
    ...grouped,
    tool_choice: { type: 'function', name: 'read' },
  });
  const chat = openaiChat.encodeRequest(forced, testScope());
  assert.equal(at(chat, 'tool_choice', 'function', 'name'), 'files__read');
  assert.equal(at(anthropicMessages.encodeRequest(forced, testScope()), 'tool_choice', 'name'), 'files__read');
  const config = at(geminiGenerate.encodeRequest(forced, testScope()), 'toolConfig', 'functionCallingConfig');
  assert.equal(at(config, 'allowedFunctionNames'), ['files__read']);

  const tools = ['read', 'find'].map((name) => ({ type: 'function', name }));
  const allowed = { type: 'allowed_tools', mode: 'auto', tools };
  const narrowed = openaiResponses.decodeRequest({ model: 'm', ...grouped, tool_choice: allowed });
  const offered = list(at(openaiChat.encodeRequest(narrowed, testScope()), 'tools'));
  assert.equal(
    offered.map((tool) => at(tool, 'function', 'name')),
    ['files__read', 'find'],
  );
  const blocks = list(at(anthropicMessages.encodeRequest(narrowed, testScope()), 'tools'));
  assert.equal(
    blocks.map((tool) => at(tool, 'name')),
    ['files__read', 'find'],
  );
});

test('call ids that Anthropic refuses are replaced, the same every time', () => {
  assert.is(anthropicCallId('call_1'), 'call_1');
  assert.match(anthropicCallId('call:1'), /^toolu_[0-9a-f]{24}$/);
  assert.is(anthropicCallId('call:1'), anthropicCallId('call:1'));
});

test.run();
