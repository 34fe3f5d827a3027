import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardFormula, unguardFormula } from '../../../daemon/contract/spreadsheet-text.ts';

const texts = suite('contract/spreadsheet-text');

texts('marks what a spreadsheet would run, also in wide signs, and nothing else', () => {
  for (const text of ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', '＝cmd()', '＋1', '－1', '＠sum']) {
    assert.is(guardFormula(text), `'${text}`);
    assert.is(unguardFormula(`'${text}`), text, 'an import takes the mark off');
  }
  for (const text of ['', 'a=1', "'t is", '名称', '1+1', '"=1']) {
    assert.is(guardFormula(text), text);
    assert.is(unguardFormula(text), text);
  }
});

texts.run();
