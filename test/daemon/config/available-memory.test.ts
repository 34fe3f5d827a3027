/** How much memory bodies may take. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { availableMemory, heldBytesOf, heldBytesPerUserOf } from '../../../daemon/config/available-memory.ts';
import { loadConfig } from '../../../daemon/config/load.ts';

const test = suite('config/available memory');

const MEBIBYTE = 1024 * 1024;

function heldBytes(overrides: Readonly<Record<string, unknown>>): number {
  return heldBytesOf(loadConfig({ env: {}, overrides }));
}

test('gives bodies a quarter of what there is, divided among the processes', () => {
  const small = { 'relay.max_request_body_mb': 1 };
  assert.is(heldBytes(small), Math.floor(availableMemory() / 4));
  const several = { ...small, 'server.workers': 4, 'database.url': 'postgres://u:p@localhost/t' };
  assert.is(heldBytes(several), Math.floor(availableMemory() / 16));
});

test('gives them what the operator says, and never less than one body may have', () => {
  assert.is(heldBytes({ 'relay.max_held_bodies_mb': 300 }), 300 * MEBIBYTE);
  assert.is(heldBytes({ 'relay.max_held_bodies_mb': 1, 'relay.max_request_body_mb': 20 }), 20 * MEBIBYTE);
});

test('gives large bodies of one user half of that, or the part that the operator says, and never less than one body', () => {
  const ofUser = (overrides: Readonly<Record<string, unknown>>) =>
    heldBytesPerUserOf(loadConfig({ env: {}, overrides })) / MEBIBYTE;
  const site = { 'relay.max_held_bodies_mb': 300, 'relay.max_request_body_mb': 20 };
  assert.is(ofUser(site), 150);
  assert.is(ofUser({ ...site, 'relay.max_held_bodies_percent_per_user': 10 }), 30);
  assert.is(ofUser({ ...site, 'relay.max_held_bodies_percent_per_user': 100 }), 300);
  assert.is(ofUser({ ...site, 'relay.max_held_bodies_percent_per_user': 1 }), 20);
});

test.run();
