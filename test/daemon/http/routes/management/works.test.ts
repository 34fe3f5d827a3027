import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WorkLists } from '../../../../../daemon/domain/works.ts';
import { workRoutes } from '../../../../../daemon/http/routes/management/works.ts';
import { type HttpHarness, startHttpHarness, type TestUser } from '../../../../support/http-harness.ts';
import { newDrawing, newTask } from '../../../../support/work-records.ts';

const works = suite('drawing and task lists');

let harness: HttpHarness;
let admin: TestUser;
let ann: TestUser;
let ben: TestUser;

works.before(async () => {
  harness = await startHttpHarness({
    routes: ({ database, snapshots }) =>
      workRoutes(new WorkLists({ stores: database.stores, options: () => snapshots.current().options })),
  });
  [admin, ann, ben] = [await harness.addUser({ role: 10 }), await harness.addUser(), await harness.addUser()];
  const { midjourneys, tasks } = harness.world.database.stores;
  for (let index = 0; index < 12; index += 1) {
    const userId = (index % 2 === 0 ? ann : ben).user.id;
    await midjourneys.insert(newDrawing({ userId, mjId: `mj ${index}`, submitTime: 1_000_000 + index, channelId: 5 }));
    await tasks.insert(newTask({ userId, taskId: `task-${index}`, submitTime: 1000 + index, channelId: index % 3 }));
  }
});
works.after(() => harness.close());

async function listed(path: string, as: TestUser): Promise<{ data: Record<string, unknown>[]; total: number }> {
  const response = await harness.request(path, { as });
  return JSON.parse(await response.text());
}

works('are bare arrays of ten, newest first, pages from 0, with the total beside them', async () => {
  for (const path of ['/api/mj/', '/api/task/']) {
    const first = await listed(path, admin);
    const second = await listed(`${path}?p=1`, admin);
    assert.equal([first.data.length, first.total, second.data.length], [10, 12, 2], path);
    assert.ok(Number(first.data[0]?.id) > Number(first.data[9]?.id));
    assert.is((await listed(`${path}?p=0&page_size=3`, admin)).data.length, 3);
  }
});

works('show owners their own, without channel, and nobody what is kept for follow-ups', async () => {
  for (const [path, name] of [
    ['/api/mj/self', 'mj_id'],
    ['/api/task/self', 'task_id'],
  ] as const) {
    const { data, total } = await listed(`${path}?channel_id=5&user_id=${ben.user.id}&page_size=100`, ann);
    assert.equal([data.length, total], [6, 6], path);
    for (const row of data) assert.equal([row.user_id, row.channel_id], [ann.user.id, 0], String(row[name]));
    assert.not.match(JSON.stringify(data), 'hidden-');
    const { data: all } = await listed(path.replace('self', ''), admin);
    assert.not.match(JSON.stringify(all), 'hidden-');
    assert.ok(all.some((row) => row.channel_id !== 0));
  }
});

works('are filtered by channel, owner, id, state and time, and emptied filters filter nothing', async () => {
  const count = async (query: string) => (await listed(`/api/${query}`, admin)).total;
  assert.equal(
    [
      await count(`mj/?channel_id=5&mj_id=mj%203`),
      await count(`mj/?user_id=${ann.user.id}`),
      await count('mj/?start_timestamp=1000004&end_timestamp=1000007'),
      await count('mj/?channel_id=&mj_id=&start_timestamp=NaN&end_timestamp='),
      await count('mj/?status=FAILURE'),
      await count('task/?channel_id=2'),
      await count('task/?task_id=task-4&platform=suno&action=MUSIC&status=IN_PROGRESS'),
      await count('task/?start_timestamp=1010&end_timestamp='),
      await count('task/?platform=other'),
    ],
    [1, 6, 4, 12, 0, 4, 1, 2, 0],
  );
});

works('show what a task was asked for and answered as JSON, also where nothing readable is stored', async () => {
  const [row] = (await listed('/api/task/?task_id=task-1', admin)).data;
  assert.equal([row?.properties, row?.data], [{ input: 'a song' }, [{ id: 'clip' }]]);
  const { tasks } = harness.world.database.stores;
  await tasks.insert(newTask({ taskId: 'torn', userId: ben.user.id, properties: '', data: '{"a":' }));
  const [torn] = (await listed('/api/task/?task_id=torn', admin)).data;
  assert.equal([torn?.properties, torn?.data], [null, null]);
});

works('show images from this site’s own address while the option says so', async () => {
  const { database, snapshots } = harness.world;
  const shown = async (id: string) => (await listed(`/api/mj/?mj_id=${id}`, admin)).data[0]?.image_url;
  await database.stores.options.set('ServerAddress', 'https://ours.example');
  await snapshots.reload('options');
  assert.is(await shown('mj%203'), 'https://ours.example/mj/image/mj%203');
  await database.stores.midjourneys.insert(newDrawing({ mjId: 'none', imageUrl: '', userId: ann.user.id }));
  assert.is(await shown('none'), '');
  await database.stores.options.set('MjForwardUrlEnabled', 'false');
  await snapshots.reload('options');
  assert.is(await shown('mj%203'), 'https://inside.example/i.png');
});

works.run();
