import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  databaseUnavailable,
  isSchemaAway,
  postgresFailure,
  readDateOrNull,
  readFlag,
  rowsOf,
  sqliteFailure,
} from '../../../daemon/store/dialect.ts';

const dialect = suite('store/dialect');
const failure = (code: string) => Object.assign(new Error('text that says nothing'), { code });

dialect('reads flags and dates of either engine', () => {
  assert.equal([readFlag(1), readFlag(0), readFlag(true), readFlag(false)], [true, false, true, false]);
  const date = new Date(1_700_000_000_123);
  assert.equal([readDateOrNull(1_700_000_000_123), readDateOrNull(date), readDateOrNull(null)], [date, date, null]);
  assert.equal([rowsOf([1]), rowsOf({ rows: [1] })], [[1], [1]]);
});

dialect('tells what may be tried again from what is broken, by code alone', () => {
  for (const code of ['40001', '40P01']) assert.is(postgresFailure(failure(code)), 'contention');
  assert.is(postgresFailure(failure('23505')), 'duplicate');
  for (const code of ['26000', '42P05']) assert.is(postgresFailure(failure(code)), 'unprepared');
  for (const code of [
    '08006',
    '53300',
    '57014',
    '57P01',
    '58030',
    '25P03',
    '25P04',
    '25006',
    '55P03',
    'ECONNREFUSED',
  ]) {
    assert.is(postgresFailure(failure(code)), 'unavailable');
  }
  for (const code of ['42601', '42P01', '23502', '22003', 'user_not_found'])
    assert.is(postgresFailure(failure(code)), 'bug');
  assert.is(postgresFailure(new Error('connection terminated')), 'bug');
  assert.is(sqliteFailure(failure('SQLITE_BUSY')), 'unavailable');
  assert.is(sqliteFailure(failure('SQLITE_CONSTRAINT')), 'bug');
  assert.is(sqliteFailure('no error at all'), 'bug');
});

dialect('tells tables that are not there from other mistakes', () => {
  for (const code of ['42P01', '3F000', '42703', '42501']) assert.ok(isSchemaAway(failure(code)), code);
  for (const code of ['42601', '08006', '23505']) assert.not.ok(isSchemaAway(failure(code)), code);
});

dialect('says when to come back', () => {
  const cause = failure('ECONNREFUSED');
  const error = databaseUnavailable(cause);
  assert.equal([error.code, error.retryAfterSeconds], ['db_unavailable', 5]);
  assert.is(error.cause, cause);
});

dialect.run();
