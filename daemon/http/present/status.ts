/** The public state of the site (management-api.md 3.2). No secret, no internal address, no person's e-mail. */
import type { OptionsView } from '../../contract/options.ts';
import type { StatusView } from '../../contract/status.ts';
import { missingPaymentKeys } from '../../domain/orders.ts';

/** Where browsers are sent to sign in elsewhere. */
export interface SignInPages {
  readonly github: string;
  readonly linuxdo: string;
}

/** What the process itself knows. */
export interface SiteFacts {
  readonly version: string;
  /** Unix seconds. */
  readonly startTime: number;
  readonly timeZone: string;
  readonly batchUpdate: boolean;
  readonly signInPages: SignInPages;
  /** Parts of the API that this daemon has, for the console. */
  readonly features: readonly string[];
}

export function presentStatus(site: SiteFacts, options: OptionsView, setupDone: boolean): StatusView {
  return {
    ...siteMembers(site, options, setupDone),
    ...moneyMembers(options),
    ...signInMembers(options, site.signInPages),
    check_in_enabled: options.get('CheckInEnabled'),
    checkin_enabled: options.get('CheckInEnabled'),
    enable_drawing: options.get('DrawingEnabled'),
    enable_task: options.get('TaskEnabled'),
    enable_data_export: options.get('DataExportEnabled'),
    data_export_default_time: options.get('DataExportDefaultTime'),
    default_collapse_sidebar: options.get('DefaultCollapseSidebar'),
    mj_notify_enabled: options.get('MjNotifyEnabled'),
    chats: options.get('Chats').map((chat) => ({ ...chat })),
    demo_site_enabled: options.get('DemoSiteEnabled'),
    self_use_mode_enabled: options.get('SelfUseModeEnabled'),
    enable_batch_update: site.batchUpdate,
    features: [...site.features],
  };
}

function siteMembers(site: SiteFacts, options: OptionsView, setupDone: boolean) {
  return {
    version: site.version,
    version_label: options.get('VersionLabel') || `v${site.version}`,
    start_time: site.startTime,
    time_zone: site.timeZone,
    setup: setupDone,
    system_name: options.get('SystemName'),
    logo: options.get('Logo'),
    footer_html: options.get('Footer'),
    server_address: options.get('ServerAddress'),
    docs_link: options.get('general_setting.docs_link'),
  };
}

function moneyMembers(options: OptionsView) {
  return {
    top_up_link: options.get('TopUpLink'),
    quota_per_unit: options.get('QuotaPerUnit'),
    display_in_currency: options.get('DisplayInCurrencyEnabled'),
    price: options.get('Price'),
    min_topup: options.get('MinTopUp'),
    enable_online_topup: missingPaymentKeys(options).length === 0,
  };
}

function signInMembers(options: OptionsView, pages: SignInPages) {
  return {
    email_verification: options.get('EmailVerificationEnabled'),
    register_enabled: options.get('RegisterEnabled') && !options.get('SelfUseModeEnabled'),
    password_register_enabled: options.get('PasswordRegisterEnabled'),
    password_login_enabled: options.get('PasswordLoginEnabled'),
    turnstile_check: options.get('TurnstileCheckEnabled'),
    turnstile_site_key: options.get('TurnstileSiteKey'),
    github_oauth: options.get('GitHubOAuthEnabled'),
    github_client_id: options.get('GitHubClientId'),
    github_authorization_endpoint: pages.github,
    oidc_enabled: options.get('oidc.enabled'),
    oidc_client_id: options.get('oidc.client_id'),
    oidc_authorization_endpoint: options.get('oidc.authorization_endpoint'),
    linuxdo_oauth: options.get('LinuxDOOAuthEnabled'),
    linuxdo_client_id: options.get('LinuxDOClientId'),
    linuxdo_authorization_endpoint: pages.linuxdo,
    wechat_login: options.get('WeChatAuthEnabled'),
    wechat_qrcode: options.get('WeChatAccountQRCodeImageURL'),
    telegram_oauth: options.get('TelegramOAuthEnabled'),
    telegram_bot_name: options.get('TelegramBotName'),
  };
}
