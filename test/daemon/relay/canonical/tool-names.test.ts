import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  anthropicCallId,
  anthropicToolName,
  geminiToolName,
  ToolNames,
} from '../../../../daemon/relay/canonical/tool-names.ts';

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

test('call ids that Anthropic refuses are replaced, the same every time', () => {
  assert.is(anthropicCallId('call_1'), 'call_1');
  assert.match(anthropicCallId('call:1'), /^toolu_[0-9a-f]{24}$/);
  assert.is(anthropicCallId('call:1'), anthropicCallId('call:1'));
});

test.run();
