/** The operation tab. */
import type { SectionEntry } from './section-entry.ts';

const money = { control: 'money', range: { min: 0 } } as const;

export const operationSections: readonly SectionEntry[] = [
  {
    id: 'general',
    tab: 'operation',
    fields: [
      { key: 'TopUpLink', help: 'topUpLink' },
      { key: 'general_setting.docs_link', help: 'docsLink' },
      { key: 'QuotaPerUnit', warning: 'quotaPerUnit', help: 'quotaPerUnit' },
      { key: 'RetryTimes', range: { min: 0, max: 10 }, help: 'retryTimes' },
      { key: 'RelayErrorLanguage', choices: ['en', 'zh'], help: 'relayErrorLanguage' },
      { key: 'DisplayInCurrencyEnabled' },
      { key: 'DisplayTokenStatEnabled', help: 'displayTokenStat' },
      { key: 'DefaultCollapseSidebar', help: 'collapseSidebar' },
      { key: 'DemoSiteEnabled', label: 'demoSite', help: 'demoSite' },
      { key: 'SelfUseModeEnabled', label: 'selfUse', help: 'selfUse' },
      { key: 'EmptyAnswerFree', help: 'emptyAnswerFree' },
      { key: 'HideMappedModel', help: 'hideMappedModel' },
      { key: 'ExposeRatioEnabled', help: 'exposeRatio' },
    ],
  },
  {
    id: 'routing',
    tab: 'operation',
    fields: [
      { key: 'RoutingStrategy', choices: ['weighted', 'round_robin', 'least_busy'], help: 'routingStrategy' },
      { key: 'channel_affinity', help: 'channelAffinity' },
      { key: 'ModelFallbackAlias', help: 'fallbackAlias', template: '{\n  "gpt-4o-latest": "gpt-4o"\n}' },
      { key: 'StreamDrainSeconds', help: 'streamDrain', template: '{\n  "default": 0,\n  "14": 30\n}' },
    ],
  },
  {
    id: 'drawing',
    tab: 'operation',
    fields: [
      { key: 'DrawingEnabled', label: 'drawing', help: 'drawing' },
      { key: 'MjNotifyEnabled', warning: 'mjNotify' },
      { key: 'MjAccountFilterEnabled', help: 'mjAccountFilter' },
      { key: 'MjForwardUrlEnabled', help: 'mjForward' },
      { key: 'MjModeClearEnabled' },
      { key: 'MjActionCheckSuccessEnabled', help: 'mjActionCheck' },
      { key: 'TaskEnabled', help: 'task' },
    ],
  },
  {
    id: 'sensitive',
    tab: 'operation',
    fields: [
      { key: 'CheckSensitiveEnabled' },
      { key: 'CheckSensitiveOnPromptEnabled', enabledBy: 'CheckSensitiveEnabled', help: 'sensitiveOnPrompt' },
      { key: 'SensitiveWords', help: 'sensitiveWords' },
      { key: 'StopOnSensitiveEnabled', isFolded: true, help: 'noEffect' },
      { key: 'StreamCacheQueueLength', isFolded: true, help: 'noEffect', range: { min: 0, max: 1000 } },
    ],
  },
  {
    id: 'logs',
    tab: 'operation',
    fields: [
      { key: 'LogConsumeEnabled', help: 'logConsume' },
      { key: 'LogChatContentEnabled', help: 'logContent', confirm: { when: 'true', text: 'logContent' } },
      {
        key: 'LogContentRetentionDays',
        enabledBy: 'LogChatContentEnabled',
        range: { min: 1, max: 3650 },
        help: 'logContentRetention',
      },
      { key: 'LogRetentionDays', range: { min: 0, max: 3650 }, help: 'logRetention' },
      { key: 'LogClientIpEnabled', help: 'logClientIp' },
    ],
  },
  {
    id: 'data-export',
    tab: 'operation',
    fields: [
      { key: 'DataExportEnabled', label: 'dataExport', help: 'dataExport' },
      {
        key: 'DataExportInterval',
        label: 'dataExportInterval',
        range: { min: 1, max: 1440 },
        help: 'dataExportInterval',
      },
      { key: 'DataExportDefaultTime', choices: ['hour', 'day', 'week'], help: 'dataExportDefault' },
    ],
  },
  {
    id: 'monitoring',
    tab: 'operation',
    fields: [
      { key: 'ChannelDisableThreshold', label: 'longestTest', range: { min: 0 }, help: 'longestTest' },
      { key: 'QuotaRemindThreshold', ...money, help: 'quotaRemind' },
      { key: 'AutomaticDisableChannelEnabled', help: 'autoDisable' },
      { key: 'AutomaticEnableChannelEnabled', help: 'autoEnable' },
      { key: 'AutomaticDisableKeywords', label: 'disableKeywords', help: 'disableKeywords' },
      { key: 'AutomaticDisableStatusCodes', help: 'disableStatuses' },
      { key: 'AutomaticDisableFailures', range: { min: 1, max: 1000 }, help: 'disableFailures' },
      { key: 'AutomaticDisableWindowSeconds', range: { min: 10, max: 86_400 } },
      { key: 'AutomaticRetryStatusCodes', help: 'retryStatuses' },
      { key: 'CoolRateLimitSeconds', range: { min: 1, max: 300 }, help: 'cooling' },
      { key: 'CoolOverloadSeconds', range: { min: 1, max: 300 } },
      { key: 'CoolFailureSeconds', range: { min: 1, max: 300 } },
    ],
  },
  {
    id: 'check-in',
    tab: 'operation',
    fields: [
      { key: 'CheckInEnabled' },
      { key: 'CheckInQuota', label: 'checkInMin', ...money },
      { key: 'CheckInMaxQuota', label: 'checkInMax', ...money, help: 'checkInMax' },
    ],
  },
  {
    id: 'quota',
    tab: 'operation',
    fields: [
      { key: 'QuotaForNewUser', ...money },
      { key: 'PreConsumedQuota', label: 'preConsumed', ...money, help: 'preConsumed' },
      { key: 'QuotaForInviter', ...money },
      { key: 'QuotaForInvitee', ...money },
    ],
  },
  {
    id: 'rebate',
    tab: 'operation',
    fields: [
      { key: 'RebateEnabled', help: 'rebate' },
      {
        key: 'RebatePercentage',
        label: 'rebatePercentage',
        range: { min: 0, max: 100, step: 0.1 },
        problem: { text: 'rebate', tells: /^must be at (?:least|most) / },
      },
    ],
  },
  { id: 'chats', tab: 'operation', fields: [{ key: 'Chats', warning: 'chats', help: 'chats' }] },
  {
    id: 'groups',
    tab: 'operation',
    fields: [
      { key: 'GroupRatio', help: 'groupRatio' },
      { key: 'UserUsableGroups', help: 'usableGroups' },
      { key: 'GroupGroupRatio', help: 'groupGroupRatio', template: '{\n  "vip": {\n    "default": 0.9\n  }\n}' },
      { key: 'AutoGroups', control: 'tags', help: 'autoGroups' },
    ],
  },
  {
    id: 'prices',
    tab: 'operation',
    fields: [
      { key: 'ModelPrice', help: 'modelPrice' },
      { key: 'ModelRatio', help: 'modelRatio' },
      { key: 'CacheRatio' },
      { key: 'CompletionRatio', help: 'completionRatio' },
      { key: 'CacheCreationRatio' },
      { key: 'AudioRatio' },
      { key: 'AudioCompletionRatio' },
      { key: 'ImageRatio' },
      { key: 'ImageCompletionRatio' },
      { key: 'CompletionRatioRules', help: 'completionRules' },
      { key: 'LongContextTiers', help: 'longContext' },
      { key: 'ToolPrice', help: 'toolPrice' },
      { key: 'ImagePriceTable', help: 'imagePrices' },
    ],
  },
  {
    id: 'compatibility',
    tab: 'operation',
    fields: [
      { key: 'FileUploadPermission', control: 'permission', isFolded: true, help: 'noEffect' },
      { key: 'FileDownloadPermission', control: 'permission', isFolded: true, help: 'noEffect' },
      { key: 'ImageUploadPermission', control: 'permission', isFolded: true, help: 'noEffect' },
      { key: 'ImageDownloadPermission', control: 'permission', isFolded: true, help: 'noEffect' },
    ],
  },
];
