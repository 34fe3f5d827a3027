/** Keys of the relay and of the jobs beside it (relay.md section 18). */
import { notEmpty } from './checks.ts';
import { flag, integer, text } from './key.ts';

const day = 86_400;

export const relayKeys = {
  streaming_timeout_seconds: integer({
    environment: ['STREAMING_TIMEOUT'],
    default: 300,
    min: 1,
    max: day,
    meaning: 'Longest silence of an upstream within an answer; doubled for models that think',
  }),
  relay_timeout_seconds: integer({
    environment: ['RELAY_TIMEOUT'],
    default: 0,
    max: day,
    meaning: 'Longest wait for the headers of an upstream answer; 0 for no limit',
  }),
  first_token_timeout_seconds: integer({
    environment: ['FIRST_TOKEN_TIMEOUT'],
    default: 0,
    max: day,
    meaning: 'Longest wait for the first token of a stream before the next channel is tried; 0 for no limit',
  }),
  stream_max_seconds: integer({
    environment: ['STREAM_MAX_SECONDS'],
    default: 0,
    max: 7 * day,
    meaning: 'Longest life of one answer, streamed or whole; 0 for no limit',
  }),
  stream_write_timeout_seconds: integer({
    environment: ['STREAM_WRITE_TIMEOUT'],
    default: 120,
    min: 1,
    max: day,
    meaning: 'A client that reads nothing for this long counts as gone',
  }),
  connect_timeout_seconds: integer({
    environment: ['CONNECT_TIMEOUT'],
    default: 10,
    min: 1,
    max: 300,
    meaning: 'Longest wait for a connection to an upstream, and again for its TLS',
  }),
  max_request_body_mb: integer({
    environment: ['MAX_REQUEST_BODY_MB'],
    default: 128,
    min: 1,
    max: 2048,
    meaning: 'Largest request body after decompression, in MiB',
  }),
  max_held_bodies_mb: integer({
    environment: ['TOLLGATE_MAX_HELD_BODIES_MB'],
    default: 0,
    max: 1_048_576,
    meaning:
      'Memory for the bodies of all running requests together, in MiB, in each process; 0 takes a quarter of what there is',
  }),
  max_held_bodies_percent_per_user: integer({
    environment: ['TOLLGATE_MAX_HELD_BODIES_PERCENT_PER_USER'],
    default: 50,
    min: 1,
    max: 100,
    meaning:
      'Part of that memory, in percent, that large bodies of one user may take, and one of the largest bodies in any case; 100 for no limit',
  }),
  max_file_download_mb: integer({
    environment: ['MAX_FILE_DOWNLOAD_MB'],
    default: 64,
    min: 1,
    max: 2048,
    meaning: 'Largest file that is fetched for a request, in MiB',
  }),
  max_audio_upload_mb: integer({
    environment: ['MAX_AUDIO_UPLOAD_MB'],
    default: 25,
    min: 1,
    max: 2048,
    meaning: 'Largest audio file of a request, in MiB',
  }),
  allow_http_media: flag({
    environment: ['ALLOW_HTTP_MEDIA'],
    default: true,
    meaning: 'Media of a request may be fetched over http, not only https',
  }),
  force_stream_option: flag({
    environment: ['FORCE_STREAM_OPTION'],
    default: true,
    meaning: 'Ask upstreams for usage on every stream that can report it',
  }),
  get_media_token: flag({
    environment: ['GET_MEDIA_TOKEN'],
    default: true,
    meaning: 'Fetch remote images to count their tokens when an upstream reports no usage',
  }),
  get_media_token_not_stream: flag({
    environment: ['GET_MEDIA_TOKEN_NOT_STREAM'],
    default: true,
    meaning: 'Fetch them for answers that are not streamed, too',
  }),
  estimator: flag({
    environment: ['ESTIMATOR'],
    default: true,
    meaning: 'Estimate tokens of models without a public tokenizer by family; off counts them as cl100k',
  }),
  gemini_vision_max_image_num: integer({
    environment: ['GEMINI_VISION_MAX_IMAGE_NUM'],
    default: 16,
    min: -1,
    max: 3600,
    meaning: 'Most images that one message of a translated Gemini request carries; -1 for any number',
  }),
  azure_default_api_version: text({
    environment: ['AZURE_DEFAULT_API_VERSION'],
    default: '2024-12-01-preview',
    check: notEmpty,
    meaning: 'API version for Azure channels that name none',
    idle: 'a channel that names no version speaks the v1 API, which has none',
  }),
  error_log_enabled: flag({
    environment: ['ERROR_LOG_ENABLED'],
    default: true,
    meaning: 'Write a log row for requests that failed upstream',
  }),
  retry_max_seconds: integer({
    environment: ['RETRY_MAX_SECONDS'],
    default: 60,
    min: 1,
    max: day,
    meaning: 'No new attempt starts later than this after the request came',
  }),
  realtime_max_seconds: integer({
    environment: ['REALTIME_MAX_SECONDS'],
    default: 3600,
    min: 1,
    max: day,
    meaning: 'Longest life of a realtime session',
  }),
  response_affinity_ttl_seconds: integer({
    environment: ['RESPONSE_AFFINITY_TTL'],
    default: day,
    min: 1,
    max: 30 * day,
    meaning: 'How long a stored response stays tied to the channel that made it',
  }),
  count_tokens_rate_limit: integer({
    environment: ['COUNT_TOKENS_RATE_LIMIT'],
    default: 60,
    min: 1,
    meaning: 'Calls of one user in a minute that only count tokens',
  }),
  max_concurrent: integer({
    environment: ['MAX_CONCURRENT_RELAY'],
    default: 5000,
    min: 1,
    meaning: 'Most relay requests that run at once on this node',
  }),
  max_concurrent_per_user: integer({
    environment: ['TOLLGATE_MAX_CONCURRENT_PER_USER'],
    default: 200,
    min: 1,
    meaning: 'Most relay requests of one user that run at once on this node',
  }),
  shutdown_grace_seconds: integer({
    environment: ['SHUTDOWN_GRACE_SECONDS'],
    default: 120,
    max: 3600,
    meaning: 'How long running streams may go on after the signal to stop',
  }),
};

export const jobKeys = {
  sync_frequency_seconds: integer({
    environment: ['SYNC_FREQUENCY'],
    default: 60,
    min: 1,
    max: day,
    meaning: 'Full reload of what is kept in memory; changes arrive within 2 s without it',
  }),
  channel_test_frequency_minutes: integer({
    environment: ['CHANNEL_TEST_FREQUENCY'],
    default: 0,
    max: 43_200,
    meaning: 'Minutes between tests of all channels; 0 tests none',
  }),
  channel_update_frequency_minutes: integer({
    environment: ['CHANNEL_UPDATE_FREQUENCY'],
    default: 0,
    max: 43_200,
    meaning: 'Minutes between balance queries of all channels; 0 asks none',
  }),
  polling_interval_seconds: integer({
    environment: ['POLLING_INTERVAL'],
    default: 0,
    max: 3600,
    meaning: 'Pause between two channels of these jobs',
  }),
  batch_update_enabled: flag({
    environment: ['BATCH_UPDATE_ENABLED'],
    default: false,
    meaning: 'Sum up the counters of users and channels before writing them',
    idle: 'settlements that wait at one moment share one transaction, counters included',
  }),
  batch_update_interval_seconds: integer({
    environment: ['BATCH_UPDATE_INTERVAL'],
    default: 5,
    min: 1,
    max: 300,
    meaning: 'How long those counters are summed up',
    idle: 'settlements that wait at one moment share one transaction, counters included',
  }),
  update_task: flag({
    environment: ['UPDATE_TASK'],
    default: true,
    meaning: 'Follow up drawings and songs from this node',
  }),
  notify_limit_count: integer({
    environment: ['NOTIFY_LIMIT_COUNT'],
    default: 2,
    min: 1,
    meaning: 'Most notices of the same about a channel, or about tests of all channels, within the period below',
  }),
  notification_limit_duration_minutes: integer({
    environment: ['NOTIFICATION_LIMIT_DURATION_MINUTE'],
    default: 10,
    min: 1,
    max: 1440,
    meaning:
      'That period, in minutes; for channels until rules of alerts are saved, which then have a quiet time of their own',
  }),
};
