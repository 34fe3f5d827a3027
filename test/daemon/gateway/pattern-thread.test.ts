import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LoopTurns } from '../../../daemon/domain/loop-turns.ts';
import { SensitiveWords } from '../../../daemon/domain/sensitive-words.ts';
import { PatternThread } from '../../../daemon/gateway/pattern-thread.ts';

const test = suite<{ thread: PatternThread; reports: unknown[] }>('gateway/pattern-thread');

test.before.each((context) => {
  context.reports = [];
  context.thread = new PatternThread((error) => context.reports.push(error));
});
test.after.each(({ thread }) => thread.close());

const lines = ['regex:^x+ pass(word)?\\d+$', 'regex:other\\d', 'regex:\u200b'];

test('looks through long texts as through short ones, and asks for short ones nobody', async ({ thread, reports }) => {
  let asked = 0;
  const elsewhere = (question: Parameters<PatternThread['find']>[0]) => {
    asked += 1;
    return thread.find(question);
  };
  const words = new SensitiveWords(lines, { turns: new LoopTurns(), elsewhere });
  for (const length of [10, 100_000]) {
    const text = 'x'.repeat(length);
    const found = [`${text} PASS12`, `${text} \u200bpassword1`, `${text} pass`, `屏\u200b${text}`, `${text}Ｏther1`];
    const told = await Promise.all(found.map((each) => words.find([each])));
    assert.equal(told, [lines[0], lines[0], undefined, lines[2], lines[1]]);
    assert.is(asked, length === 10 ? 0 : 5);
  }
  assert.equal(reports, []);
});

test('lets nothing pass that it could not look through, and reads on afterwards', async ({ thread }) => {
  const asking = thread.find({ lines, texts: ['x'] }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await Promise.resolve();
  await thread.close();
  const error = await asking;
  assert.instance(error, Error);
  assert.is(await thread.find({ lines, texts: ['other1'] }), lines[1]);
});

test.run();
