import type { TextsLike } from '../../texts-like.ts';
import type { texts as zh } from '../zh/frame.ts';

export const texts: TextsLike<typeof zh> = {
  page: {
    home: 'Home',
    setup: 'Setup',
    login: 'Sign in',
    register: 'Sign up',
    reset: 'Reset password',
    oauth: 'Sign in',
    pricing: 'Pricing',
    about: 'About',
    reference: 'API reference',
    playground: 'Playground',
    chat: 'Chat',
    dashboard: 'Dashboard',
    tokens: 'API tokens',
    log: 'Usage log',
    drawings: 'Drawing log',
    tasks: 'Task log',
    channels: 'Channels',
    redemptions: 'Redemption codes',
    users: 'Users',
    orders: 'Orders',
    audit: 'Audit trail',
    health: 'Health',
    settings: 'System settings',
    wallet: 'Wallet',
    personal: 'Personal settings',
    notFound: 'Page not found',
  },
  state: {
    noPermission: 'You do not have permission to view this page',
  },
  error: {
    pageNotFound: 'Page does not exist, check your browser address',
  },
};
