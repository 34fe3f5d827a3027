import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { songAddress } from '../../cli/commands/song-address.ts';

const test = suite('cli: where a song is heard');

test('is the first sound, else the first film, and never more than an address of the web', () => {
  const sound = { video_url: 'https://a/1.mp4', audio_url: 'https://a/1.mp3' };
  assert.is(songAddress([{ id: 'waiting', audio_url: '' }, sound]), 'https://a/1.mp3');
  assert.is(songAddress([{ video_url: 'https://a/1.mp4' }]), 'https://a/1.mp4');
  assert.is(songAddress(sound), 'https://a/1.mp3');
  for (const data of [null, '', [], { text: 'words' }, [{ audio_url: 'file:///etc/passwd' }], [{ audio_url: 5 }]]) {
    assert.is(songAddress(data), undefined, JSON.stringify(data));
  }
});

test.run();
