import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeConfig, exampleConfig } from '../../../daemon/config/describe.ts';
import { readConfig } from '../../../daemon/config/load.ts';
import { createWorkspace } from '../../support/workspace.ts';

const test = suite('config.example.yaml');

test('is what the schema says; "npm run example" writes it', () => {
  const written = readFileSync(new URL('../../../config.example.yaml', import.meta.url), 'utf8');
  assert.is(written, exampleConfig());
});

test('configures the defaults when all of it is uncommented', () => {
  const workspace = createWorkspace();
  const file = workspace.path('config.yaml');
  const keys = exampleConfig().replace(/^( *)# (\w+: .*)$/gm, '$1$2');
  writeFileSync(file, keys);
  const read = readConfig({ file, env: {} });
  assert.equal(read.problems, []);
  assert.ok(read.entries.every(({ source }) => source === file));
  const byDefault = readConfig({ env: {} });
  assert.equal({ ...read.config, database: undefined }, { ...byDefault.config, database: undefined });
  workspace.remove();
});

test('names each variable for one key only', () => {
  const names = describeConfig().flatMap(({ environment }) => environment);
  assert.equal(names, [...new Set(names)]);
});

test('covers every variable that the contract pages publish', () => {
  const names = new Set(describeConfig().flatMap(({ environment }) => environment));
  const published =
    'STREAMING_TIMEOUT RELAY_TIMEOUT FIRST_TOKEN_TIMEOUT STREAM_MAX_SECONDS STREAM_WRITE_TIMEOUT CONNECT_TIMEOUT ' +
    'MAX_REQUEST_BODY_MB MAX_FILE_DOWNLOAD_MB MAX_AUDIO_UPLOAD_MB FORCE_STREAM_OPTION GET_MEDIA_TOKEN ' +
    'GET_MEDIA_TOKEN_NOT_STREAM ESTIMATOR GEMINI_VISION_MAX_IMAGE_NUM AZURE_DEFAULT_API_VERSION SYNC_FREQUENCY ' +
    'CHANNEL_TEST_FREQUENCY CHANNEL_UPDATE_FREQUENCY POLLING_INTERVAL BATCH_UPDATE_ENABLED BATCH_UPDATE_INTERVAL ' +
    'ERROR_LOG_ENABLED NOTIFY_LIMIT_COUNT NOTIFICATION_LIMIT_DURATION_MINUTE UPDATE_TASK SHUTDOWN_GRACE_SECONDS ' +
    'RETRY_MAX_SECONDS REALTIME_MAX_SECONDS RESPONSE_AFFINITY_TTL COUNT_TOKENS_RATE_LIMIT MAX_CONCURRENT_RELAY ' +
    'ALLOW_HTTP_MEDIA LOG_SQL_DSN REDIS_CONN_STRING NODE_TYPE TRUSTED_PROXIES GLOBAL_WEB_RATE_LIMIT_ENABLE ' +
    'GLOBAL_WEB_RATE_LIMIT GLOBAL_WEB_RATE_LIMIT_DURATION GLOBAL_API_RATE_LIMIT_ENABLE GLOBAL_API_RATE_LIMIT ' +
    'GLOBAL_API_RATE_LIMIT_DURATION CRITICAL_RATE_LIMIT_ENABLE CRITICAL_RATE_LIMIT CRITICAL_RATE_LIMIT_DURATION ' +
    'UPLOAD_RATE_LIMIT UPLOAD_RATE_LIMIT_DURATION DOWNLOAD_RATE_LIMIT DOWNLOAD_RATE_LIMIT_DURATION EMAIL_RATE_LIMIT ' +
    'SEARCH_RATE_LIMIT LOGIN_FAIL_LIMIT TIME_ZONE COOKIE_SECURE SESSION_SECRET CRYPTO_SECRET SETUP_TOKEN ' +
    'FRONTEND_BASE_URL DEFAULT_LANG MAX_TOKENS_PER_USER GENERATE_DEFAULT_TOKEN EGRESS_ALLOW CHANNEL_ALLOW_PRIVATE';
  assert.equal(
    published.split(' ').filter((name) => !names.has(name)),
    [],
  );
});

test.run();
