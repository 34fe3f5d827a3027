import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesOf, readSongList, type SongState, songView } from '../../../../../daemon/relay/tasks/suno/news.ts';

const test = suite('relay/tasks/suno: news');

const now = 1_768_480_300;
const state: SongState = {
  status: 'SUBMITTED',
  failReason: '',
  submitTime: now - 100,
  startTime: 0,
  finishTime: 0,
  progress: '0%',
  data: '',
};
const clips = [{ id: 'clip', audio_url: 'https://cdn1.suno.ai/clip.mp3' }];
const done = { task_id: 't1', status: 'SUCCESS', start_time: now - 90, finish_time: now - 1, data: clips };

/** What one task's answer changes. */
function changes(task: Record<string, unknown>, before: SongState = state, at = now) {
  const list = readSongList(JSON.parse(JSON.stringify({ code: 'success', message: '', data: [task] })));
  return changesOf(before, list?.get('t1'), at);
}

test('come in lists, alone, and with or without their envelope', () => {
  for (const answer of [
    { code: 'success', message: '', data: [done] },
    { code: 'success', data: done },
    [done],
    done,
  ]) {
    assert.is(readSongList(answer)?.get('t1')?.status, 'SUCCESS', JSON.stringify(answer));
  }
  assert.is(readSongList({ code: 'success', data: [] })?.size, 0);
  for (const answer of [{ code: 'fail', message: 'x', data: null }, { code: 'success', data: null }, 'x', null, 5]) {
    assert.is(readSongList(answer), undefined, JSON.stringify(answer));
  }
});

test('have one word for each state, however an upstream spells it', () => {
  for (const [word, status] of [
    ['queueing', 'QUEUED'],
    ['QUEUED', 'QUEUED'],
    ['processing', 'IN_PROGRESS'],
    ['in_progress', 'IN_PROGRESS'],
    ['complete', 'SUCCESS'],
    ['success', 'SUCCESS'],
    ['failed', 'FAILURE'],
    ['NOT_START', 'NOT_START'],
    ['streaming', 'UNKNOWN'],
    ['constructor', 'UNKNOWN'],
  ] as const) {
    assert.is(changes({ task_id: 't1', status: word })?.status, status, word);
  }
  assert.is(changes({ task_id: 't1', status: 'submitted' }), undefined, 'nothing is new');
});

test('end a task in every field, at the time that the upstream says in seconds or milliseconds', () => {
  const ended = {
    status: 'SUCCESS',
    progress: '100%',
    startTime: now - 90,
    finishTime: now - 1,
    data: JSON.stringify(clips),
  };
  assert.equal(changes(done), ended);
  assert.equal(changes({ ...done, start_time: (now - 90) * 1000, finish_time: (now - 1) * 1000 + 7 }), ended);
  assert.is(changes({ task_id: 't1', status: 'SUCCESS' })?.finishTime, now);
  assert.is(changes({ ...done, finish_time: 1e300 })?.finishTime, now, 'a time that no row can hold is none');
  assert.equal(changes({ task_id: 't1', status: 'IN_PROGRESS', progress: '100%' }), {
    status: 'IN_PROGRESS',
    progress: '99%',
  });
});

test('fail a task that has a reason, and one that is not done within a day', () => {
  const failed = { status: 'FAILURE', failReason: 'copyright', progress: '100%', finishTime: now };
  assert.equal(changes({ task_id: 't1', status: 'IN_PROGRESS', fail_reason: 'copyright' }), failed);
  assert.equal(changes({ task_id: 't1', failReason: 'copyright' }), failed);
  assert.equal(changes({ ...done, fail_reason: 'x' })?.status, 'SUCCESS');
  const old = { ...state, submitTime: now - 86_401 };
  for (const told of [undefined, { status: 'IN_PROGRESS' }]) {
    assert.equal(changesOf(old, told, now), { ...failed, failReason: 'task timeout' });
  }
  assert.is(changesOf({ ...state, submitTime: now - 86_400 }, undefined, now), undefined);
  assert.is(changes(done, old)?.status, 'SUCCESS', 'late is not never');
});

test('are shown to clients as they were told', () => {
  const song = { ...state, taskId: 't1', action: 'MUSIC', data: JSON.stringify(clips) };
  assert.equal(songView(song), {
    task_id: 't1',
    action: 'MUSIC',
    status: 'SUBMITTED',
    fail_reason: '',
    submit_time: now - 100,
    start_time: 0,
    finish_time: 0,
    progress: '0%',
    data: clips,
  });
  assert.is(songView({ ...song, data: '' }).data, null);
});

test.run();
