/** Icons of the pages, by the key in `pages.tsx`. */
import {
  IconApi,
  IconBook2,
  IconBrush,
  IconGift,
  IconHeartbeat,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListCheck,
  IconListDetails,
  IconMessageChatbot,
  IconReceipt,
  IconSettings,
  IconUserCircle,
  IconUsers,
  IconWallet,
} from '@tabler/icons-react';

const icons = {
  reference: IconBook2,
  playground: IconMessageChatbot,
  dashboard: IconLayoutDashboard,
  tokens: IconKey,
  log: IconListDetails,
  drawings: IconBrush,
  tasks: IconListCheck,
  channels: IconApi,
  redemptions: IconGift,
  users: IconUsers,
  orders: IconReceipt,
  audit: IconHistory,
  health: IconHeartbeat,
  settings: IconSettings,
  wallet: IconWallet,
  personal: IconUserCircle,
};

const isKnown = (name: string): name is keyof typeof icons => name in icons;

export function PageIcon({ name }: { name: string | undefined }) {
  if (name === undefined || !isKnown(name)) return null;
  const Icon = icons[name];
  return <Icon size={16} stroke={1.75} aria-hidden />;
}
