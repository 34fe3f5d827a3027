/** The tabs of rate limits and of models. */
import type { SectionEntry } from './section-entry.ts';

const share = { range: { min: 0.1, max: 1, step: 0.1 } } as const;

export const relaySections: readonly SectionEntry[] = [
  {
    id: 'rate-limits',
    tab: 'ratelimit',
    fields: [
      { key: 'ModelRequestRateLimitEnabled', label: 'rateLimit', help: 'rateLimit' },
      { key: 'ModelRequestRateLimitDurationMinutes', range: { min: 0, max: 525_600 } },
      { key: 'ModelRequestRateLimitCount', label: 'rateLimitCount', range: { min: 0 } },
      { key: 'ModelRequestRateLimitSuccessCount', label: 'rateLimitSuccess', range: { min: 1 } },
      { key: 'ModelRequestRateLimitGroup', help: 'rateLimitGroup', template: '{\n  "vip": [0, 2000]\n}' },
    ],
  },
  {
    id: 'limits',
    tab: 'ratelimit',
    fields: [
      {
        key: 'RateLimits',
        help: 'limits',
        template:
          '{\n  "user": { "*": { "rpm": 600, "tpm": 1000000, "concurrency": 20 } },\n  "model": { "gpt-*": { "rpm": 3000 } }\n}',
      },
      { key: 'UserApiRateLimit', range: { min: 1, max: 1_000_000 }, help: 'apiLimit' },
    ],
  },
  {
    id: 'gemini',
    tab: 'models',
    fields: [
      { key: 'gemini.safety_settings', help: 'geminiSafety' },
      { key: 'gemini.version_settings', help: 'geminiVersion' },
      { key: 'gemini.supported_imagine_models', control: 'tags', help: 'geminiImagine' },
      { key: 'gemini.thinking_adapter_enabled', help: 'geminiThinking' },
      {
        key: 'gemini.thinking_adapter_budget_tokens_percentage',
        ...share,
        enabledBy: 'gemini.thinking_adapter_enabled',
        help: 'geminiShare',
      },
      { key: 'gemini.models_supported_thinking_budget', control: 'tags', help: 'geminiBudget' },
    ],
  },
  {
    id: 'claude',
    tab: 'models',
    fields: [
      {
        key: 'claude.model_headers_settings',
        help: 'claudeHeaders',
        template: '{\n  "claude-sonnet-4-5": {\n    "anthropic-beta": ["context-1m-2025-08-07"]\n  }\n}',
      },
      { key: 'claude.default_max_tokens', help: 'claudeMaxTokens', template: '{\n  "default": 8192\n}' },
      { key: 'claude.thinking_adapter_enabled', help: 'claudeThinking' },
      {
        key: 'claude.thinking_adapter_budget_tokens_percentage',
        ...share,
        enabledBy: 'claude.thinking_adapter_enabled',
        help: 'claudeShare',
      },
    ],
  },
  {
    id: 'global',
    tab: 'models',
    fields: [
      { key: 'global.pass_through_request_enabled', warning: 'passThrough' },
      { key: 'global.hide_upstream_error_enabled', help: 'hideUpstreamError' },
      { key: 'global.block_browser_extension_enabled', help: 'blockExtension' },
    ],
  },
  {
    id: 'ping',
    tab: 'models',
    fields: [
      { key: 'general_setting.ping_interval_enabled', help: 'ping' },
      {
        key: 'general_setting.ping_interval_seconds',
        range: { min: 1, max: 86_400 },
        enabledBy: 'general_setting.ping_interval_enabled',
      },
    ],
  },
];
