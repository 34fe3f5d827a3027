/** The form of new codes: what was sent and not answered is sent again as it was, and other words make another batch. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CodeWizard } from '../../../cli/screens/code-wizard.ts';
import { deskFor } from '../../support/screen-desk.ts';
import { untilPasses } from '../../support/until.ts';
import { startWebServer } from '../../support/web-server.ts';

const wizards = suite('the form of new codes');

interface Batch {
  readonly key: unknown;
  readonly name: string;
  readonly validUntil: number;
}

/** A form at a server that makes codes and says so, cuts the line instead, or refuses. */
async function wizardAt(answers: readonly ('codes' | 'lost' | 'refused')[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-codes-'));
  const sent: Batch[] = [];
  const server = await startWebServer(({ method, headers, body }, response) => {
    if (method === 'GET') return { success: true, message: '', data: { count: 0, quota_per_unit: 500_000 } };
    const { name, valid_until: validUntil } = JSON.parse(body);
    sent.push({ key: headers['idempotency-key'], name, validUntil });
    const answer = answers[sent.length - 1];
    if (answer === 'lost') response.destroy();
    if (answer !== 'codes') response.statusCode = 400;
    return answer === 'codes'
      ? { success: true, message: '', data: ['code-1'] }
      : { success: false, message: 'no', code: 'invalid_params' };
  });
  const desk = deskFor({ lang: 'en', url: server.url });
  const wizard = new CodeWizard(desk, () => undefined);
  const press = (name: string, text = '') => wizard.press({ name, text });
  const shown = () => [...wizard.lines({ width: 100, height: 30 }), ...wizard.keys()].join('\n');
  const fill = (texts: readonly string[]) => {
    for (const text of texts) {
      press('C-u');
      press('', text);
      press('Enter');
    }
  };
  return {
    desk,
    sent,
    press,
    shown,
    file: join(folder, 'codes.txt'),
    /** Up to the review. */
    async describe(name: string) {
      press('C-u');
      fill([name]);
      press('Enter');
      fill(['1000units', '1', '', '+3d', join(folder, 'codes.txt')]);
      await untilPasses(() => assert.match(shown(), '2 of 3: review'));
    },
    /** From the review back to the first field. */
    backToName() {
      press('Esc');
      press('Down');
    },
    async create(times: number) {
      press('C-u');
      press('', '1');
      press('Enter');
      press('Enter');
      await untilPasses(() => assert.equal([sent.length, desk.running], [times, 0]));
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

wizards(
  'sends the same batch again after a lost answer, though it was described anew and its times moved on',
  async () => {
    const form = await wizardAt(['lost', 'codes']);
    try {
      await form.describe('spring');
      assert.match(form.shown(), 'Ctrl-C leave; nothing is created');
      await form.create(1);
      assert.is(form.desk.message?.tone, 'bad');
      assert.match(form.shown(), 'Ctrl-C leave; codes may be created');
      form.backToName();
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await form.describe('spring');
      await form.create(2);
      const [first, second] = form.sent;
      assert.equal(second, first);
      assert.match(form.shown(), '3 of 3: result');
      assert.is(readFileSync(form.file, 'utf8'), 'code-1\n');
    } finally {
      await form.stop();
    }
  },
);

wizards('shows a command that asks for the same codes whenever it is run', async () => {
  const form = await wizardAt(['codes']);
  try {
    await form.describe('spring');
    const shown = form.shown().replace(/\s+/g, ' ');
    await form.create(1);
    const until = new Date(Number(form.sent[0]?.validUntil) * 1000).toISOString().replace('.000Z', 'Z');
    assert.match(shown, `--valid-until ${until}`);
    assert.not.match(shown, '+3d');
  } finally {
    await form.stop();
  }
});

wizards('makes another batch of other words after a lost answer, which the server takes', async () => {
  const form = await wizardAt(['lost', 'codes']);
  try {
    await form.describe('spring');
    await form.create(1);
    form.backToName();
    await form.describe('summer');
    await form.create(2);
    const [first, second] = form.sent;
    assert.equal([first?.name, second?.name], ['spring', 'summer']);
    assert.is.not(second?.key, first?.key);
  } finally {
    await form.stop();
  }
});

wizards('promises that nothing is created again once the server has refused', async () => {
  const form = await wizardAt(['refused']);
  try {
    await form.describe('spring');
    await form.create(1);
    assert.match(form.shown(), 'Ctrl-C leave; nothing is created');
    form.press('Esc');
    form.press('Esc');
    assert.is(form.desk.question?.label, 'Leave without creating codes?');
  } finally {
    await form.stop();
  }
});

wizards.run();
