import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readButton } from '../../../../../daemon/relay/tasks/midjourney/custom-id.ts';

const test = suite('relay/tasks/midjourney/custom-id');

test('reads what each button does', () => {
  const buttons: readonly [string, string][] = [
    ['MJ::JOB::upsample::1::hash', 'UPSCALE'],
    ['MJ::JOB::upsample_v6_2x_subtle::1::hash::SOLO', 'UPSCALE'],
    ['MJ::JOB::variation::4::hash', 'VARIATION'],
    ['MJ::JOB::low_variation::1::hash::SOLO', 'LOW_VARIATION'],
    ['MJ::JOB::high_variation::1::hash::SOLO', 'HIGH_VARIATION'],
    ['MJ::JOB::reroll::0::hash::SOLO', 'REROLL'],
    ['MJ::JOB::pan_left::1::hash::SOLO', 'PAN'],
    ['MJ::Outpaint::50::1::hash::SOLO', 'ZOOM'],
    ['MJ::CustomZoom::hash', 'CUSTOM_ZOOM'],
    ['MJ::Inpaint::1::hash::SOLO', 'INPAINT'],
    ['MJ::JOB::animate_high::1::hash::SOLO', 'VIDEO'],
    ['MJ::JOB::video::1::low', 'VIDEO'],
    ['MJ::Job::PicReader::2', 'IMAGINE'],
    ['MJ::Picread::Retry', 'DESCRIBE'],
  ];
  for (const [customId, action] of buttons) assert.equal(readButton(customId), { action }, customId);
});

test('refuses what has parts missing or does nothing that is known', () => {
  for (const customId of ['MJ::JOB::upsample', 'MJ::JOB::variation::x::hash', 'MJ::JOB::upsample::0::h']) {
    assert.equal(readButton(customId), { refusal: 'index_parse_failed' }, customId);
  }
  for (const customId of ['', 'MJ', '::', 'MJ::JOB', 'MJ::BOOKMARK::1', 'MJ::JOB::constructor::1', 'MJ::toString']) {
    assert.equal(readButton(customId), { refusal: `unknown_action:${customId}` }, customId);
  }
});

test.run();
