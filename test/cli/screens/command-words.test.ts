/** Lines of the palette: read as a shell reads them, and commands found by a few letters of their names. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandOfLine, foundCommands, quoted, wordsOfLine } from '../../../cli/screens/command-words.ts';

const lines = suite('lines of the palette');

const known = ['chat', 'channel list', 'channel key list', 'channel tag list', 'token list', 'log list'].map(
  (path) => ({ path, usage: '', summary: '' }),
);

lines('are split as a shell would', () => {
  assert.equal(wordsOfLine(`  channel edit 3 --name 'my "own" one'  `), [
    'channel',
    'edit',
    '3',
    '--name',
    'my "own" one',
  ]);
  assert.equal(wordsOfLine(String.raw`option set Notice "say \"hi\"" a\ b ''`), [
    'option',
    'set',
    'Notice',
    'say "hi"',
    'a b',
    '',
  ]);
  assert.equal(wordsOfLine('--setting={"a":1}'), ['--setting={a:1}']);
  assert.equal(wordsOfLine("it's"), ["it's"]);
  assert.equal(wordsOfLine(''), []);
});

lines('hold a text together whatever it is, so that a name gives no flags to a command', () => {
  for (const text of ["x' --out '/tmp/file", 'a b', "'", '', 'say "hi" \\', '两\n行'])
    assert.equal(wordsOfLine(`channel explain --model ${quoted(text)} --yes`).slice(3), [text, '--yes']);
});

lines('name the command with the longest name that they begin with', () => {
  assert.is(commandOfLine(['channel', 'key', 'list', '4'], known)?.path, 'channel key list');
  assert.is(commandOfLine(['channel', 'key'], known), undefined);
});

lines('find commands by their letters, those that begin words first', () => {
  const paths = (typed: string) => foundCommands(typed, known).map(({ path }) => path);
  assert.is(paths('cl')[0], 'channel list');
  assert.is(paths('ckl')[0], 'channel key list');
  assert.is(paths('logl')[0], 'log list');
  assert.equal(paths('zz'), []);
  assert.equal(
    paths(''),
    known.map(({ path }) => path),
  );
});

lines.run();
