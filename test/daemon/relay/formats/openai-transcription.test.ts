/** Transcripts as clients of OpenAI's dialect are shown them, whatever their vendor told (relay.md 5.8). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openaiTranscription } from '../../../../daemon/relay/formats/openai-transcription/index.ts';
import { usageOfSeconds } from '../../../../daemon/relay/formats/openai-transcription/usage.ts';
import { testScope } from '../../../conformance/scope.ts';

const test = suite('transcripts');

function shown(response_format: string, text: string): string {
  const file = 'data:audio/wav;base64,AAAA';
  const asked = openaiTranscription.decodeRequest({ model: 'm', file, response_format });
  const said = { text, segments: [], usage: usageOfSeconds(61.5, 'upstream') };
  return openaiTranscription.encodeAnswer(said, asked, testScope()).body.toString();
}

test('subtitles show words whose times nobody told from the beginning to the end', () => {
  assert.is(shown('srt', 'All that\n\nwas said.'), '1\n00:00:00,000 --> 00:01:01,500\nAll that was said.\n\n');
  assert.is(shown('vtt', 'Hi'), 'WEBVTT\n\n00:00:00.000 --> 00:01:01.500\nHi\n\n');
});

test('subtitles of silence show nothing', () => {
  assert.equal([shown('srt', ''), shown('vtt', ' ')], ['', 'WEBVTT\n\n']);
});

test.run();
