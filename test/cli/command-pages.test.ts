/** docs/cli against the commands there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandPages, pagesFolder } from './command-pages.ts';

const pages = suite('pages of the command line');

pages('tell what the commands say of themselves', async () => {
  const written = await commandPages();
  assert.equal(readdirSync(pagesFolder).sort(), [...written.keys()].sort());
  for (const [name, text] of written) assert.fixture(readFileSync(new URL(name, pagesFolder), 'utf8'), text, name);
});

pages.run();
