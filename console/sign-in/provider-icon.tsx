/** Marks of the ways to sign in. */
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconId,
  IconMail,
  IconMessages,
} from '@tabler/icons-react';

const icons = {
  email: IconMail,
  github: IconBrandGithub,
  oidc: IconId,
  linuxdo: IconMessages,
  wechat: IconBrandWechat,
  telegram: IconBrandTelegram,
} as const;

export type SignInWay = keyof typeof icons;

export function ProviderIcon({ way, size = 18 }: { way: SignInWay; size?: number }) {
  const Icon = icons[way];
  return <Icon size={size} stroke={1.75} aria-hidden />;
}
