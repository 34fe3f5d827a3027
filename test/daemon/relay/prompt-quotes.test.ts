import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutQuotes } from '../../../daemon/relay/prompt-quotes.ts';

const test = suite('relay/prompt-quotes');
const prompt = 'Dear doctor, my knee has hurt since Tuesday.';

test('hides what is quoted whole, in part, and more than once, and leaves the words around it', () => {
  assert.is(withoutQuotes(`Bad input '${prompt}' at 0`, [prompt]), "Bad input '***' at 0");
  for (let from = 0; from + 16 <= prompt.length; from += 1) {
    const part = prompt.slice(from, from + 16);
    assert.is(withoutQuotes(`<<${part}>>`, ['rules', prompt]), '<<***>>', part);
  }
  assert.is(withoutQuotes(`${prompt} | ${prompt}`, [prompt]), '*** | ***');
  assert.is(withoutQuotes(`${prompt}${prompt.slice(0, 20)}!`, [prompt]), '***!');
});

test('hides short texts that are quoted whole, and leaves words that any two texts share', () => {
  assert.is(withoutQuotes("no: 'My name?'", ['My name?']), "no: '***'");
  const words = 'messages.0.content is too long for this model';
  assert.is(withoutQuotes(words, ['the content is short', 'hi', '']), words);
  assert.is(withoutQuotes('', [prompt]), '');
});

test('keeps of endless words only what it has looked through', () => {
  const kept = withoutQuotes(`${'x'.repeat(9000)}${prompt}`, [prompt]);
  assert.not.match(kept, 'knee');
  assert.is(kept.length, 8192);
});

test.run();
