/** What the lists of drawings and tasks say of a work. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { songPieces } from '../../console/pages/works/song-result.ts';
import {
  cutText,
  drawingTimes,
  durationTone,
  isUnfinished,
  isWebAddress,
  percentOf,
  secondsTaken,
  taskTimes,
} from '../../console/pages/works/work-facts.ts';

const test = suite('console/works');
const now = new Date('2026-03-10T12:00:00');
const seconds = now.getTime() / 1000;

test('drawings are asked for in milliseconds, of 30 days and until an hour from now', () => {
  assert.equal(drawingTimes('30d', now), {
    start_timestamp: (seconds - 30 * 86_400) * 1000,
    end_timestamp: (seconds + 3600) * 1000,
  });
  assert.equal(drawingTimes('100-200', now), { start_timestamp: 100_000, end_timestamp: 200_999 });
});

test('tasks are asked for in seconds, of today and without an end', () => {
  assert.equal(taskTimes('today', now), { start_timestamp: seconds - 12 * 3600, end_timestamp: '' });
  assert.equal(taskTimes('100-200', now), { start_timestamp: 100, end_timestamp: 200 });
});

test('an end that a range leaves open is sent as empty text', () => {
  assert.equal(taskTimes('all', now), { start_timestamp: '', end_timestamp: '' });
  assert.is(drawingTimes('all', now).start_timestamp, '');
});

test('a duration is that of finished work, red above a minute', () => {
  assert.is(secondsTaken(1000, 62_000, 1000), 61);
  assert.is(secondsTaken(1000, 0, 1000), undefined);
  assert.equal([60, 61].map(durationTone), ['green', 'red']);
});

test('progress is a share of a hundred where it says a number', () => {
  assert.equal(['35%', '100%', '7', '250%', '', 'waiting'].map(percentOf), [35, 100, 7, 100, undefined, undefined]);
});

test('texts are cut after 15 characters, never within one', () => {
  assert.is(cutText('一二三四五六七八九十一二三四五'), '一二三四五六七八九十一二三四五');
  assert.is(cutText(`${'🦊'.repeat(16)}`), `${'🦊'.repeat(15)}…`);
});

test('only success and failure end a work', () => {
  assert.equal(
    ['', 'SUBMITTED', 'MODAL', 'SUCCESS', 'FAILURE'].map((status) => isUnfinished({ status })),
    [true, true, true, false, false],
  );
});

test('a music task has come to what can be heard or read of it', () => {
  const clip = { id: 'c1', title: 'Cat', audio_url: 'https://cdn1.suno.ai/c1.mp3', metadata: { prompt: '[Verse]' } };
  const heard = { id: 'c1', title: 'Cat', audio: clip.audio_url, video: '', text: '[Verse]' };
  assert.equal(songPieces([clip, { id: 'c2', status: 'queued', audio_url: '' }]), [heard]);
  assert.equal(songPieces({ title: 'Cat', text: '[Verse]' }), [{ ...heard, id: '0', audio: '' }]);
  assert.equal(songPieces([{ ...clip, audio_url: 'javascript:alert(1)' }])[0]?.audio, '');
  for (const data of [null, '', [], {}, 'x', [null, 5]]) assert.equal(songPieces(data), [], JSON.stringify(data));
});

test('an image is linked only by an address of the web', () => {
  assert.equal(['https://a/b.png', '/mj/image/1', '', 'javascript:alert(1)', '//evil'].map(isWebAddress), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test.run();
