import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pagePath, renderConversionPage, silentLosses } from './conversion-page.ts';

const test = suite('conversion page');

test('docs/conversion.md tells what the codecs do', () => {
  assert.fixture(renderConversionPage(), readFileSync(pagePath, 'utf8'));
});

test('no pair loses a part of a request or of an answer without noting it', () => {
  assert.equal(silentLosses(), []);
});

test.run();
