import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCodes, formatError } from '../../../daemon/contract/error-codes.ts';
import { readSources } from '../../support/source-files.ts';

const codes = suite('error codes');

codes('are all told by somebody: a promise that nobody keeps misleads whoever reads the list', () => {
  const sources = readSources().filter(
    ({ path }) => path.startsWith('daemon/') && !path.startsWith('daemon/contract/errors-'),
  );
  const told = new Set(
    sources.flatMap(({ tokens }) => tokens.filter(({ kind }) => kind === 'string').map(({ text }) => text)),
  );
  assert.equal(
    Object.keys(errorCodes).filter((code) => !told.has(code)),
    [],
  );
});

codes('have both languages, with the same values in them', () => {
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [code, { en, zh }] of Object.entries(errorCodes)) {
    assert.ok(en.length > 0 && zh.length > 0, code);
    assert.equal(values(zh), values(en), code);
  }
});

codes('speak of one row of an import as of one', () => {
  const said = formatError('channel_import_invalid', { count: 1, row: 2, member: 'name' }, 'en');
  assert.is(said, '1 row cannot be imported, so nothing was; the first is row 2, name');
});

codes('speak of one model and of one object as of one', () => {
  const dearer = formatError('price_rise_exceeded', { count: 1, percent: 10, models: 'm' }, 'en');
  assert.is(dearer, '1 model would become more than 10 % dearer: m');
  const deleted = formatError('state_deletes', { count: 1, max: 0 }, 'en');
  assert.is(deleted, '1 object would be deleted, more than the 0 allowed');
});

codes.run();
