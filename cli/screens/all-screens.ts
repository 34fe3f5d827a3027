/** One of each screen. */
import { AccountScreen } from './account.ts';
import { ChannelsScreen } from './channels.ts';
import { CodesScreen } from './codes.ts';
import type { Desk } from './desk.ts';
import { LogsScreen } from './logs.ts';
import { OverviewScreen } from './overview.ts';
import type { Refresher } from './refresh.ts';
import type { TabScreen } from './screen.ts';
import type { ScreenId } from './screen-table.ts';
import { SettingsScreen } from './settings.ts';
import { TokensScreen } from './tokens.ts';
import { UsersScreen } from './users.ts';

export type AllScreens = Readonly<Record<ScreenId, TabScreen>>;

export function screensOf(desk: Desk, refresher: Refresher): AllScreens {
  const channels = new ChannelsScreen(desk, refresher);
  const openChannel = (name: string) => {
    channels.find(name);
    desk.goTo('channels');
  };
  return {
    overview: new OverviewScreen(desk, openChannel),
    channels,
    users: new UsersScreen(desk, refresher),
    tokens: new TokensScreen(desk, refresher),
    codes: new CodesScreen(desk, refresher),
    logs: new LogsScreen(desk, refresher),
    settings: new SettingsScreen(desk, refresher),
    account: new AccountScreen(desk, refresher),
  };
}
