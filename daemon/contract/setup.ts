/** First run (management-api.md 2.7, 3.1). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';

export const SetupState = z.object({
  status: z.boolean(),
  root_init: z.boolean(),
  database_type: z.string(),
  setup_token_required: z.boolean(),
});
export type SetupState = z.output<typeof SetupState>;

export const setup = {
  get: endpoint({
    method: 'GET',
    path: '/api/setup',
    access: 'public',
    shape: 'data',
    description: {
      en: 'Whether the system is initialised, and what the setup page needs to know.',
      zh: '系统是否已初始化，以及初始化页面所需的信息。',
    },
    output: SetupState,
    example: {
      output: { status: false, root_init: false, database_type: 'sqlite', setup_token_required: false },
    },
  }),
  submit: endpoint({
    method: 'POST',
    path: '/api/setup',
    access: 'public',
    shape: 'data',
    rate: 'critical',
    crossSite: 'cross_site',
    refusalStatus: 400,
    notice: 'setup_ok',
    description: {
      en: 'Initialises the system once: root account and operating mode. Other than from loopback it needs the header X-Setup-Token.',
      zh: '一次性初始化系统：设置超级管理员账户与运行模式。非本机访问时需要 X-Setup-Token 请求头。',
    },
    input: z.object({
      username: z.optional(z.string()),
      password: z.optional(z.string()),
      confirmPassword: z.optional(z.string()),
      SelfUseModeEnabled: z.optional(z.boolean()),
      DemoSiteEnabled: z.optional(z.boolean()),
    }),
    errors: [
      'cross_site',
      'setup_done',
      'setup_token_invalid',
      'setup_username_invalid',
      'setup_password_short',
      'password_invalid',
      'password_mismatch',
    ],
    example: {
      input: {
        username: 'root',
        password: 'correct horse',
        confirmPassword: 'correct horse',
        SelfUseModeEnabled: false,
        DemoSiteEnabled: false,
      },
    },
  }),
};
