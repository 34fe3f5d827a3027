import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  changesOf,
  type DrawingState,
  readTask,
  readTaskList,
} from '../../../../../daemon/relay/tasks/midjourney/news.ts';

const test = suite('relay/tasks/midjourney/news');
const submitTime = 1_768_480_200_000;
const soon = submitTime + 60_000;
const hour = 3_600_000;

const state: DrawingState = {
  promptEn: '',
  description: 'ok',
  state: '',
  submitTime,
  startTime: 0,
  finishTime: 0,
  imageUrl: '',
  videoUrl: '',
  videoUrls: '',
  status: 'IN_PROGRESS',
  progress: '40%',
  failReason: '',
  buttons: '',
  properties: '',
};

test('says only what is new', () => {
  assert.is(changesOf(state, { status: 'IN_PROGRESS', progress: '40%' }, soon), undefined);
  assert.is(changesOf(state, undefined, soon), undefined);
  assert.equal(changesOf(state, { progress: '50%' }, soon), { progress: '50%' });
  assert.equal(changesOf(state, { progress: '' }, soon), { progress: '' });
});

test('an end is an end in every field', () => {
  const end = { progress: '100%', finishTime: soon };
  assert.equal(changesOf(state, { status: 'SUCCESS', progress: '' }, soon), { status: 'SUCCESS', ...end });
  assert.equal(changesOf(state, { failReason: 'no' }, soon), { status: 'FAILURE', failReason: 'no', ...end });
  assert.equal(changesOf(state, { status: 'SUCCESS', finishTime: 7 }, soon), {
    status: 'SUCCESS',
    progress: '100%',
    finishTime: 7,
  });
  // It would never be asked for again.
  assert.equal(changesOf(state, { progress: '100%' }, soon), { progress: '99%' });
});

test('what stands still is lost after an hour, what moved after a day', () => {
  const lost = (progress: string, ageMs: number) =>
    changesOf({ ...state, progress }, undefined, submitTime + ageMs)?.status === 'FAILURE';
  assert.equal([lost('0%', hour), lost('0%', hour + 1), lost('', hour + 1)], [false, true, true]);
  assert.equal([lost('40%', hour + 1), lost('40%', 24 * hour + 1)], [false, true]);
  const forgotten = (ageMs: number) => changesOf(state, 'absent', submitTime + ageMs)?.status;
  assert.equal([forgotten(hour), forgotten(hour + 1)], [undefined, 'FAILURE']);
  const news = { status: 'SUCCESS', progress: '100%', imageUrl: 'https://cdn.example/x.png' };
  assert.is(changesOf({ ...state, progress: '0%' }, news, submitTime + 48 * hour)?.status, 'SUCCESS');
});

test('reads what servers send and nothing that browsers must not be shown', () => {
  const read = readTask({
    id: '1',
    status: 'CANCEL',
    progress: 5,
    startTime: null,
    finishTime: -1,
    imageUrl: 'javascript:alert(1)',
    videoUrl: 'https://cdn.example/v.mp4',
    buttons: [],
    videoUrls: [{ url: 'u' }],
    properties: null,
  });
  assert.equal(read, {
    id: '1',
    news: { status: 'FAILURE', videoUrl: 'https://cdn.example/v.mp4', buttons: '[]', videoUrls: '[{"url":"u"}]' },
  });
  assert.is(readTask({ status: 'SUCCESS' }), undefined);
  assert.equal(readTask({ id: '1', status: 'success' })?.news, { status: 'SUCCESS' }, 'whatever its case');
  // As the answer to its order: a task that is not found in a list is given up after an hour.
  assert.is(readTask({ id: 1_768_480_200_123_456 })?.id, '1768480200123456');
  assert.is(readTaskList({ code: 1 }), undefined);
  assert.equal([...(readTaskList([null, 7, {}, { id: '2', status: 'ODD' }]) ?? [])], [['2', {}]]);
});

test.run();
