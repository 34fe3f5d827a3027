import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CallContent, LogContentQueue } from '../../../daemon/domain/log-content.ts';
import { FlakyDatabase } from '../../ledger/flaky-database.ts';
import { type DomainWorld, openDomainWorld } from '../../support/domain-world.ts';

interface Context {
  world: DomainWorld;
  database: FlakyDatabase;
  reports: unknown[];
  queue: LogContentQueue;
}

const content = suite<Context>('domain/log-content');

content.before.each(async (context) => {
  context.world = await openDomainWorld();
  context.database = new FlakyDatabase(context.world.database);
  context.reports = [];
  context.queue = new LogContentQueue({
    database: context.database,
    report: (error) => context.reports.push(error),
  });
});
content.after.each(({ world }) => world.close());

const call = (requestId: string, over: Partial<CallContent> = {}): CallContent => ({
  requestId,
  userId: 7,
  createdAt: 1_800_000_000,
  systemPrompt: 'rules',
  context: [{ role: 'assistant', content: 'before' }],
  inputContent: 'asked',
  outputContent: 'said',
  ...over,
});

content('writes what was kept, in batches, once for a request', async ({ world, queue }) => {
  for (let index = 0; index < 450; index += 1) queue.keep(call(`r${index}`));
  queue.keep(call('r1', { inputContent: 'again' }));
  await queue.flush();
  const { logBodies } = world.database.stores;
  const found = await logBodies.findMany(['r0', 'r1', 'r449', 'other']);
  assert.is(found.length, 3);
  assert.ok(found.every((body) => body.inputContent === 'asked' && body.outputContent === 'said'));
  assert.equal(JSON.parse(found[0]?.context ?? ''), [{ role: 'assistant', content: 'before' }]);
  assert.is(queue.lost, 0);
});

content('keeps no more of messages that are many and empty, or whose roles are long', async ({ world, queue }) => {
  queue.keep(call('many', { context: Array.from({ length: 100_000 }, () => ({ role: '', content: '' })) }));
  queue.keep(call('long', { context: [{ role: 'r'.repeat(1_000_000), content: 'hi' }] }));
  await queue.flush();
  const bodies = await world.database.stores.logBodies.findMany(['many', 'long']);
  const texts = ['many', 'long'].map((id) => bodies.find(({ requestId }) => requestId === id)?.context ?? '');
  const [many = '', long = ''] = texts;
  assert.ok(many.length < 66_000, String(many.length));
  assert.equal(JSON.parse(long), [{ role: `${'r'.repeat(256)}...[cut]`, content: 'hi' }]);
});

content('cuts long texts at a character and keeps the newest of a long context', async ({ world, queue }) => {
  queue.keep(
    call('long', {
      systemPrompt: '',
      inputContent: '漢'.repeat(30_000),
      outputContent: 'a\u0000b',
      context: [
        { role: 'user', content: 'old' },
        { role: 'assistant', content: 'x'.repeat(70_000) },
        { role: 'user', content: 'new' },
      ],
    }),
  );
  await queue.flush();
  const [body] = await world.database.stores.logBodies.findMany(['long']);
  assert.is(body?.systemPrompt, null);
  assert.is(body?.outputContent, 'ab');
  assert.is(body?.inputContent, `${'漢'.repeat(21_845)}...[cut]`);
  const context: { content: string }[] = JSON.parse(body?.context ?? '');
  assert.is(context.length, 2);
  assert.match(context[0]?.content ?? '', /^x+\.\.\.\[cut\]$/);
  assert.is(context[1]?.content, 'new');
});

content('loses and counts what does not fit, and what the database refuses', async ({ database, queue, reports }) => {
  database.weather = 'away';
  const huge = 'x'.repeat(64_000);
  for (let index = 0; index < 1500; index += 1) {
    queue.keep(call(`r${index}`, { systemPrompt: huge, inputContent: huge, outputContent: huge }));
  }
  assert.ok(queue.lost > 0 && queue.lost < 1500);
  const lost = queue.lost;
  await queue.flush();
  assert.is(queue.lost, 1500);
  assert.ok(reports.length > 0 && lost < queue.lost);
});

content.run();
